import assert from 'node:assert/strict';
import test from 'node:test';
import { lineOf, ownArgs } from '../../src/model/argv';
import { deedsOf, NO_TROUBLE, troubleOf } from '../../src/model/faults';
import { rec, trace } from '../support/make';

const fault = (line: string): ReturnType<typeof rec> =>
  rec(1, 'fault', { verdict: 'failed', reason: line.split(' ')[0]!, detail: [{ name: 'fault', value: line }] });

test('a fault lasts until it is put right, and only on its node', () => {
  const all = trace(fault('node-down n1'), fault('pressure n2 memory'), fault('component-stop scheduler'), fault('registry-down'), fault('node-up n1'), fault('relief n2 memory'),
    fault('component-start scheduler'), fault('registry-up'));
  const at = (count: number): string => {
    const t = troubleOf(all, count);
    return [t.nodes.get('n1')?.down, [...(t.nodes.get('n2')?.short ?? [])].join(), [...t.stopped].join(), t.registries].join(' ');
  };
  assert.deepEqual([1, 4, 5, 6, 8].map(at), ['true   false', 'true memory scheduler true', 'false memory scheduler true', 'false  scheduler true', 'false   false']);
});

test('a machine that starts has a kubelet again', () => {
  assert.deepEqual(troubleOf(trace(fault('kubelet-stop n'), fault('node-down n'), fault('node-up n')), 3).nodes.get('n'), NO_TROUBLE);
});

test('what can be done to a node fits its state', () => {
  assert.deepEqual(deedsOf('n', true, NO_TROUBLE).map((d) => d.word), ['nodeDown', 'kubeletStop', 'memoryShort', 'networkCut', 'cordon', 'drain']);
  assert.deepEqual(deedsOf('n', false, { ...NO_TROUBLE, down: true, cut: true }).map((d) => d.word), ['nodeUp', 'networkHeal', 'uncordon', 'drain']);
  assert.equal(deedsOf('n', true, NO_TROUBLE)[2]!.line, 'podwalk fault pressure n memory');
});

test('a line is a fault or a kubectl command', () => {
  assert.deepEqual(ownArgs(['podwalk', 'fault', 'node-down', 'n']), { kind: 'fault', argv: ['node-down', 'n'] });
  assert.deepEqual(ownArgs(['podwalk', 'request', 'outside', 'http://x']), { kind: 'request', argv: ['outside', 'http://x'] });
  assert.equal(ownArgs(['get', 'pods']), null);
  assert.equal(lineOf(['podwalk', 'fault', 'registry-down']), 'podwalk fault registry-down');
  assert.equal(lineOf(['get', 'pods']), 'kubectl get pods');
});
