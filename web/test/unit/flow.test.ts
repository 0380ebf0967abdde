import assert from 'node:assert/strict';
import test from 'node:test';
import { indexPods, lineOf, nodeAt, podKey } from '../../src/model/flow';
import type { Record as Rec } from '../../src/protocol';
import { event, rec, trace, web } from '../support/make';

const line = (records: Rec[], count = records.length) => lineOf(records, indexPods(records).get(podKey(web)) ?? [], count);
const marks = (records: Rec[], count = records.length): string[] => line(records, count).stations.map((s) => s.mark);

const walked = trace(
  rec(0.02, 'kubectl', { stage: 'submitted' }),
  rec(0.02, 'apiserver', { stage: 'authorised' }),
  rec(0.02, 'admission/ServiceAccount', { stage: 'admitted', verdict: 'changed' }),
  rec(0.02, 'etcd', { stage: 'stored' }),
  rec(0.04, 'scheduler', { stage: 'scheduled', verdict: 'denied', detail: [{ name: 'node', value: 'control-plane' }] }),
  rec(0.04, 'scheduler', { stage: 'scheduled', detail: [{ name: 'node', value: 'node-2' }] }),
  event(0.04, 'Scheduled', 'default-scheduler'),
  rec(0.1, 'kubelet', { stage: 'volumes' }),
  rec(0.1, 'runtime', { stage: 'pulled', verdict: 'info' }),
  rec(2, 'runtime', { stage: 'sandbox' }),
  rec(3, 'kubelet', { stage: 'ready' }),
);

test('a line before the first record has no present place', () => {
  const l = line([]);
  assert.equal(l.here, -1);
  assert.ok(l.stations.every((s) => s.mark === 'ahead' && !s.here));
});

test('stations behind the present place without a record are passed without a stop', () => {
  assert.deepEqual(marks(walked), ['well', 'well', 'well', 'well', 'well', 'well', 'well', 'well', 'passed', 'passed', 'passed', 'well', 'ahead']);
});

test('a station that is reached later is still ahead', () => {
  const r = trace(rec(1, 'runtime', { stage: 'sandbox' }), rec(2, 'runtime', { stage: 'pulled' }));
  assert.equal(marks(r, 1)[6], 'ahead');
  assert.equal(marks(r, 1)[5], 'passed');
});

test('only the records up to the cursor count', () => {
  assert.deepEqual(marks(walked, 4).slice(0, 6), ['well', 'well', 'well', 'well', 'ahead', 'ahead']);
  assert.equal(line(walked, 4).here, 3);
});

test('one node that refuses does not fail the station', () => {
  assert.equal(marks(walked, 5)[4], 'ahead');
  assert.equal(marks(walked, 6)[4], 'well');
});

test('a container that ends badly fails the station where it was started', () => {
  const l = line(trace(rec(1, 'runtime', { stage: 'started' }), rec(2, 'runtime', { stage: 'ended', verdict: 'failed', reason: 'Error' })));
  assert.equal(l.stations[l.here]!.stage, 'started');
  assert.equal(l.stations[l.here]!.mark, 'failed');
});

test('a pod that is unready because its container has failed stands at the container', () => {
  const l = line(trace(rec(1, 'runtime', { stage: 'ended', verdict: 'failed' }), rec(1, 'kubelet', { stage: 'ready', verdict: 'failed' })));
  assert.equal(l.stations[l.here]!.stage, 'started');
  assert.equal(l.record!.source, 'runtime');
});

test('looking for an image on the node is no verdict, and the failed pull says what went wrong', () => {
  const failed = event(2, 'Failed', 'kubelet', 'Warning');
  const l = line(trace(rec(1, 'runtime', { stage: 'pulled', reason: 'PullImage', verdict: 'failed', message: 'not found' }),
    { ...failed, cause: 1, message: 'Failed to pull image "x"' }, rec(3, 'runtime', { stage: 'pulled', reason: 'ImageStatus' })));
  assert.equal(l.stations[6]!.mark, 'failed');
  assert.equal(l.message, 'Failed to pull image "x"');
});

test('waiting after a refusal or a failure has the sign of a failure', () => {
  assert.equal(marks(trace(rec(1, 'scheduler', { stage: 'scheduled', verdict: 'waiting', reason: 'Unschedulable' })))[4], 'failed');
  assert.equal(marks(trace(rec(1, 'kubelet', { stage: 'started', verdict: 'waiting', reason: 'CrashLoopBackOff' })))[9], 'failed');
  assert.equal(marks(trace(rec(1, 'kubelet', { stage: 'pulled', verdict: 'waiting', reason: 'Pulling' })))[6], 'waiting');
});

test('a pod that has completed has not failed', () => {
  assert.equal(marks(trace(rec(1, 'kubelet', { stage: 'ready', verdict: 'failed', reason: 'PodCompleted' })))[11], 'well');
});

test('what led to the first record of a pod and has no name yet belongs to it', () => {
  const nameless = { kind: 'Pod', name: '' };
  const r = trace(rec(1, 'kubectl', { ref: { kind: '', name: '' } }), rec(1, 'apiserver', { ref: nameless, cause: 1 }), rec(1, 'etcd', { ref: { kind: 'Service', name: 's' } }),
    rec(1, 'etcd', { cause: 2 }));
  assert.deepEqual(indexPods(r).get(podKey(web)), [0, 1, 3]);
});

test('an assumption after a verdict does not take the verdict back', () => {
  const l = line(trace(rec(1, 'runtime', { stage: 'pulled' }), rec(1, 'runtime', { stage: 'pulled', verdict: 'assumed' })));
  assert.equal(l.stations[6]!.mark, 'well');
});

test('the node is read from the scheduler, or from the event where the scheduler names none', () => {
  const own = indexPods(walked).get(podKey(web))!;
  assert.equal(nodeAt(walked, own, 5), '');
  assert.equal(nodeAt(walked, own, 6), 'node-2');
  const told = trace({ ...event(1, 'Scheduled', 'default-scheduler'), message: 'Successfully assigned default/web to node-7' });
  assert.equal(nodeAt(told, [0], 1), 'node-7');
});
