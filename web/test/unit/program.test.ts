import assert from 'node:assert/strict';
import test from 'node:test';
import { needsExpressions } from '../../src/model/program';

const needs = (text: string): boolean => needsExpressions([{ name: 'a.yaml', text: 'kind: Pod' }, { name: 'b.yaml', text }]);

test('policies and match conditions need the larger program', () => {
  for (const text of ['apiVersion: v1\nkind: ValidatingAdmissionPolicy', '  "kind": "MutatingAdmissionPolicy",', '- kind: ValidatingAdmissionPolicy', '{"kind":"ValidatingAdmissionPolicy","a":1}', 'webhooks:\n- matchConditions:\n  - name: a']) {
    assert.ok(needs(text), text);
  }
});

test('bindings and other kinds do not', () => {
  for (const text of ['kind: ValidatingAdmissionPolicyBinding', 'kind: Pod', 'say: matchConditions']) {
    assert.ok(!needs(text), text);
  }
});
