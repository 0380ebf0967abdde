import assert from 'node:assert/strict';
import test from 'node:test';
import type { PodState, State, WorkloadState } from '../../src/protocol';
import { rowsOf } from '../../src/model/tree';

const workload = (kind: string, name: string, desired: number, owner = '', namespace = 'default'): WorkloadState =>
  ({ kind, namespace, name, desired, ready: desired, ...(owner ? { owner } : {}) });
const pod = (name: string, owner = '', namespace = 'default'): PodState => ({
  namespace, name, uid: name, node: '', phase: 'Running', status: 'Running', ready: '1/1', restarts: 0, ip: '', containers: [],
  ...(owner ? { owner } : {}),
});
const show = (s: Pick<State, 'workloads' | 'pods'>): string[] =>
  rowsOf({ now: 0, nodes: [], services: [], ...s }).map((r) => `${'  '.repeat(r.depth)}${r.workload ? `${r.workload.kind}/${r.workload.name}` : r.pod!.name}`);

test('an owner stands above what it owns, at any depth', () => {
  assert.deepEqual(show({
    workloads: [workload('Deployment', 'web', 2), workload('ReplicaSet', 'web-old', 0, 'Deployment/web'), workload('ReplicaSet', 'web-new', 2, 'Deployment/web')],
    pods: [pod('web-new-a', 'ReplicaSet/web-new'), pod('web-new-b', 'ReplicaSet/web-new'), pod('alone')],
  }), ['Deployment/web', '  ReplicaSet/web-new', '    web-new-a', '    web-new-b', '  ReplicaSet/web-old', 'alone']);
});

test('a pod whose owner is gone, or of another namespace, stands alone', () => {
  assert.deepEqual(show({
    workloads: [workload('ReplicaSet', 'web', 1, 'Deployment/web'), workload('ReplicaSet', 'web', 0, '', 'other')],
    pods: [pod('left', 'ReplicaSet/gone'), pod('web-a', 'ReplicaSet/web')],
  }), ['ReplicaSet/web', '  web-a', 'ReplicaSet/web', 'left']);
});
