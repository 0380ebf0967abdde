import assert from 'node:assert/strict';
import test from 'node:test';
import { laneOf, layoutOf, nodePoint, pathOf, pointAt, routeOf } from '../../src/model/stage';
import { event, rec } from '../support/make';

const l = layoutOf(880, ['control-plane', 'node-1', 'node-2'], '');

test('a record belongs to the lane of its source, an event to its reporter', () => {
  assert.equal(laneOf(rec(0, 'admission/Priority')), 'apiserver');
  assert.equal(laneOf(rec(0, 'scheduler')), 'scheduler');
  assert.equal(laneOf(event(0, 'Scheduled', 'default-scheduler')), 'scheduler');
  assert.equal(laneOf(event(0, 'Pulled', 'kubelet, node-1')), 'node');
  assert.equal(laneOf(rec(0, 'authorization')), 'apiserver');
  assert.equal(laneOf(rec(0, 'deployment-controller')), 'controllers');
});

test('every way between two components leads through the API server', () => {
  const hub = l.lanes.apiserver;
  const route = routeOf(l, { lane: 'scheduler', node: '' }, { lane: 'node', node: 'node-2' });
  assert.ok(route.some((p) => p.x === hub.x));
  assert.deepEqual(route.at(-1), nodePoint(l, 'node-2'));
});

test('a way that stays in its place is a point', () => {
  assert.equal(routeOf(l, { lane: 'etcd', node: '' }, { lane: 'etcd', node: '' }).length, 1);
});

test('a token on a way is at its start, at its end and in between', () => {
  const route = routeOf(l, { lane: 'client', node: '' }, { lane: 'etcd', node: '' });
  assert.deepEqual(pointAt(route, 0), l.lanes.client);
  assert.deepEqual(pointAt(route, 1), l.lanes.etcd);
  assert.ok(pointAt(route, 0.5).x > l.lanes.client.x && pointAt(route, 0.5).x < l.lanes.etcd.x);
});

test('of many nodes as many are shown as fit, and the one to keep always', () => {
  const names = Array.from({ length: 200 }, (_, i) => `n${i}`);
  const many = layoutOf(880, names, 'n150');
  assert.ok(many.nodes.length <= 6);
  assert.ok(many.nodes.some((n) => n.name === 'n150'));
  assert.equal(many.more, 200 - many.nodes.length);
});

test('a path has rounded corners and ends where the route ends', () => {
  assert.equal(pathOf([{ x: 0, y: 0 }, { x: 40, y: 0 }, { x: 40, y: 40 }]), 'M0 0L32 0Q40 0 40 8L40 40');
});
