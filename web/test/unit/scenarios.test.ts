import assert from 'node:assert/strict';
import test from 'node:test';
import { exampleOf } from '../../scenarios.mjs';

const text = `# title: A pod that runs
# example: true
# about: The whole way.

apply
apiVersion: v1
kind: Pod
metadata: {name: web}
---
apiVersion: v1
kind: Service
----
pod/web created

advance until=quiescent
----

describe pod web
----
Name: web

$ kubectl delete pod web
----
----
with a

blank line
----
----
`;

test('a scenario file that is meant for the page is an example', () => {
  const e = exampleOf('runs', text)!;
  assert.equal(e.title, 'A pod that runs');
  assert.equal(e.about, 'The whole way.');
  assert.deepEqual(e.files.map((f) => f.name), ['pod.yaml']);
  assert.match(e.files[0]!.text, /^apiVersion: v1\nkind: Pod[^]*kind: Service\n$/);
  assert.deepEqual(e.commands, ['kubectl delete pod web']);
});

test('other scenario files are not', () => {
  assert.equal(exampleOf('x', text.replace('# example: true\n', '')), null);
  assert.equal(exampleOf('x', '# title: t\n# example: true\nadvance\n----\n'), null);
});
