import assert from 'node:assert/strict';
import test from 'node:test';
import { pace, reached, scaleOf, stepsOf, ticksOf, timeOf, xOf } from '../../src/model/timeline';
import { flagsOf } from '../../src/model/flags';
import { event, rec, seconds, trace } from '../support/make';

test('records of one instant in one lane at one station are one step', () => {
  const r = trace(rec(1, 'apiserver'), rec(1, 'admission/Priority'), rec(1, 'etcd'), rec(2, 'scheduler'), rec(2, 'scheduler'), rec(2, 'scheduler', { stage: 'scheduled' }));
  const steps = stepsOf(r, r.map((_, i) => i));
  assert.deepEqual(steps.map((s) => s.count), [2, 3, 5, 6]);
});

test('the cursor has reached the steps whose records it has seen', () => {
  const r = trace(rec(1, 'apiserver'), rec(1, 'etcd'), rec(2, 'scheduler'));
  const steps = stepsOf(r, [0, 1, 2]);
  assert.equal(reached(steps, { at: 0, count: 0 }), 0);
  assert.equal(reached(steps, { at: seconds(1), count: 2 }), 2);
  assert.equal(reached(steps, { at: seconds(9), count: 3 }), 3);
});

test('the scale keeps the order, gives short moments room and can be read back', () => {
  const s = scaleOf([0.02, 0.04, 1, 10, 300].map(seconds), seconds(600));
  assert.equal(xOf(s, 0), 0);
  assert.equal(xOf(s, seconds(600)), 1);
  assert.ok(xOf(s, seconds(0.04)) > 0.05, 'the first instants are not squeezed together');
  for (const t of [0.02, 0.5, 7, 299, 599].map(seconds)) assert.ok(Math.abs(timeOf(s, xOf(s, t)) - t) < 1000);
});

test('an empty run has a scale', () => {
  const s = scaleOf([], 0);
  assert.equal(xOf(s, 5), 0);
  assert.equal(timeOf(s, 0.5), 0);
});

test('labels of the scale are round moments and do not touch', () => {
  const s = scaleOf([seconds(1), seconds(30)], seconds(600));
  const ticks = ticksOf(s, 0.08);
  assert.equal(ticks[0]!.at, 0);
  for (let i = 1; i < ticks.length; i++) assert.ok(ticks[i]!.x - ticks[i - 1]!.x >= 0.08);
});

test('names on the timeline do not overlap and warnings come first', () => {
  const r = trace(event(1, 'Pulling', 'kubelet'), event(1.01, 'Failed', 'kubelet', 'Warning'));
  const flags = flagsOf(r, (at) => at / 1e7, 1000);
  assert.deepEqual(flags.map((f) => f.text), ['Failed']);
});

test('a long wait is played as a short rest, a short one as long as it takes to see it', () => {
  const at = (s: number) => ({ at: seconds(s), count: 0 });
  assert.equal(pace(at(0), at(300), 1), 1400);
  assert.equal(pace(at(0), at(0.02), 1), 320);
  assert.equal(pace(at(0), at(0.02), 2), 160);
});
