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

const of = (container: string, more: { [name: string]: string } = {}) =>
  Object.entries({ container, id: container, ...more }).map(([name, value]) => ({ name, value }));

test('a pod whose work is done has not failed', () => {
  const l = line(trace(
    rec(1, 'runtime', { stage: 'started', detail: of('app') }),
    rec(9, 'runtime', { stage: 'ended', verdict: 'info', message: 'container app has ended', detail: of('app', { 'exit code': '0' }) }),
    rec(9, 'kubelet', { stage: 'ready', verdict: 'failed', reason: 'ContainersNotReady' }),
  ));
  assert.equal(l.stations[11]!.mark, 'well');
  assert.equal(l.message, 'container app has ended, exit code 0');
});

test('a container that was told to stop has not failed', () => {
  const l = line(trace(
    rec(1, 'runtime', { stage: 'started', detail: of('app') }),
    rec(2, 'runtime', { stage: 'ended', reason: 'StopContainer', detail: of('app') }),
    rec(3, 'runtime', { stage: 'ended', verdict: 'failed', detail: of('app', { 'exit code': '137' }) }),
  ));
  assert.equal(l.stations[9]!.mark, 'well');
});

test('requests about a stored pod leave it where it is, and its deletion ends the line', () => {
  const r = trace(rec(1, 'etcd', { stage: 'stored', reason: 'Created' }), rec(2, 'kubelet', { stage: 'ready' }),
    rec(3, 'authorization', { stage: 'authorised' }), rec(9, 'etcd', { reason: 'Deleted' }), rec(10, 'apiserver', { stage: 'admitted' }));
  assert.equal(line(r, 3).stations[line(r, 3).here]!.stage, 'ready');
  assert.equal(line(r, 4).here, -1);
  assert.equal(line(r, 4).gone!.reason, 'Deleted');
  assert.equal(line(r, 5).gone, null, 'a pod of the same name begins again');
  assert.equal(line(r, 5).stations[11]!.mark, 'ahead');
});

test('a pod that has to end waits, it does not fail', () => {
  const l = line(trace(
    rec(2, 'runtime', { stage: 'ended', reason: 'StopContainer', detail: of('app') }),
    rec(3, 'runtime', { stage: 'ended', verdict: 'failed', detail: of('app', { 'exit code': '137' }) }),
    rec(3, 'kubelet', { stage: 'ready', verdict: 'failed' }),
  ));
  assert.equal(l.stations[11]!.mark, 'waiting');
});

test('init containers stop at a station of their own', () => {
  const told = { ...event(1, 'Created', 'kubelet'), detail: [{ name: 'field', value: 'spec.initContainers{fetch}' }] };
  const l = line(trace(rec(1, 'runtime', { stage: 'started', detail: of('fetch') }), told,
    rec(2, 'runtime', { stage: 'ended', verdict: 'failed', detail: of('fetch', { 'exit code': '1' }) })));
  assert.equal(l.stations[l.here]!.stage, 'init');
  assert.equal(l.stations[8]!.mark, 'failed');
  assert.equal(l.stations[9]!.mark, 'ahead');
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
