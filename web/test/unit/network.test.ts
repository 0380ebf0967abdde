import assert from 'node:assert/strict';
import test from 'node:test';
import { changedLines, lastSent, metLines, rulesChangedAt, senders } from '../../src/model/network';
import type { State } from '../../src/protocol';
import { rec } from '../support/make';

const hop = (id: number, cause: number, source: string, verdict = 'passed', rule = ''): ReturnType<typeof rec> =>
  ({ ...rec(2, source, { verdict, ...(rule ? { detail: [{ name: 'rule', value: rule }] } : {}) }), id, cause });
const all = [
  { ...rec(1, 'kubelet'), id: 1 }, hop(2, 0, 'request'), hop(3, 2, 'dns'), hop(4, 3, 'kube-proxy', 'passed', '-A KUBE-SVC-X'), { ...rec(2, 'etcd'), id: 5, cause: 1 },
  hop(6, 4, 'networkpolicy', 'denied'), { ...hop(7, 0, 'request'), at: 3e9 }, { ...hop(8, 7, 'program'), at: 3e9 },
];

test('the last request before the cursor has its hops in the order of causes', () => {
  assert.equal(lastSent(all, 1), null);
  const first = lastSent(all, 6)!;
  assert.deepEqual(first.hops.map((h) => h.record.id), [3, 4, 6]);
  assert.equal(first.failed?.source, 'networkpolicy');
  assert.deepEqual(first.hops.map((h) => h.last), [false, false, true]);
  const second = lastSent(all, all.length)!;
  assert.deepEqual(second.hops.map((h) => h.record.id), [8]);
  assert.equal(second.failed, null);
});

test('the rules that a hop names are marked, and no others', () => {
  const lines = ['*nat', '-A KUBE-SVC-X -j KUBE-SEP-Y', '-A KUBE-SVC-Z -j KUBE-SEP-W'];
  assert.deepEqual([...metLines(lines, lastSent(all, 6))], [1]);
  assert.deepEqual([...metLines(lines, lastSent(all, all.length))], []);
  assert.equal(metLines(lines, null).size, 0);
});

test('a change of the rules is the lines that went, then those that came', () => {
  const text = changedLines(['a', 'b', 'b', 'c'], ['a', 'd', 'b', 'c', 'e']).map((l) => l.sign + l.text + l.n).join(' ');
  assert.equal(text, '−b3 +d2 +e5');
  assert.deepEqual(changedLines(['a'], ['a']), []);
  const changed = { ...rec(2, 'kube-proxy'), id: 9, reason: 'Rules', at: 5e9 };
  assert.equal(rulesChangedAt([...all, changed], all.length), 0);
  assert.equal(rulesChangedAt([...all, changed], all.length + 1), 5e9);
});

test('running pods with an address, nodes and the outside can send', () => {
  const pod = (name: string, phase: string, ip: string): State['pods'][number] =>
    ({ namespace: 'a', name, uid: name, node: 'n', phase, status: phase, ready: '1/1', restarts: 0, ip, containers: [] });
  const node = { name: 'n', ready: true, schedulable: true, zone: '', roles: [], taints: [], cpu: { used: 0, capacity: 1 }, memory: { used: 0, capacity: 1 }, pods: { used: 0, capacity: 1 } };
  const state: State = { now: 0, nodes: [node], pods: [pod('x', 'Running', '10.0.0.1'), pod('y', 'Pending', ''), pod('z', 'Succeeded', '10.0.0.2')], workloads: [], services: [] };
  assert.deepEqual(senders(state), ['pod/a/x', 'node/n', 'outside']);
});
