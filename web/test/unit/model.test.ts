import assert from 'node:assert/strict';
import test from 'node:test';
import { isRead, kubectlArgs, wordsOf } from '../../src/model/argv';
import { brief, bytes, clock, cores } from '../../src/model/format';
import { attemptsOf } from '../../src/model/scheduling';
import { followed, podsOf, resembles } from '../../src/model/select';
import { sentence } from '../../src/model/say';
import { lineOf } from '../../src/model/flow';
import { advanceRun, chainOf, countAt, emptyRun, forkRun, isWarning } from '../../src/model/trace';
import { WORDS } from '../../src/model/words';
import { placeAt } from '../../src/model/yamlpath';
import { event, rec, seconds, trace, web } from '../support/make';

test('a clock shows tenths below an hour and seconds above', () => {
  assert.equal(clock(seconds(0)), '00:00.0');
  assert.equal(clock(seconds(12.4)), '00:12.4');
  assert.equal(clock(seconds(600)), '10:00.0');
  assert.equal(clock(seconds(3723)), '1:02:03');
});

test('moments are as short as they can be', () => {
  assert.deepEqual([0.02, 1, 1.424, 12.34, 200, 7200, 90000].map((s) => brief(seconds(s))), ['20 ms', '1 s', '1.42 s', '12.3 s', '3m20s', '2h', '1d1h']);
});

test('room is in the units that people write', () => {
  assert.deepEqual([0, 128 * 2 ** 20, 8 * 2 ** 30, 1.5 * 2 ** 30, 123456789].map(bytes), ['0', '128Mi', '8Gi', '1.5Gi', '118Mi']);
  assert.deepEqual([0, 250, 1500, 4000].map(cores), ['0', '250m', '1.5', '4']);
});

test('a command line is split as a shell does it', () => {
  assert.deepEqual(wordsOf(`kubectl get pods -l 'app in (a, b)' "x y" a\\ b ''`).argv, ['kubectl', 'get', 'pods', '-l', 'app in (a, b)', 'x y', 'a b', '']);
  assert.equal(wordsOf('get "pods').error, 'unclosed quote "');
  assert.deepEqual(kubectlArgs(['$', 'kubectl', 'get', 'pods']), ['get', 'pods']);
  assert.deepEqual(kubectlArgs(['get', 'pods']), ['get', 'pods']);
});

test('commands that change the cluster are told from those that only read', () => {
  assert.ok(isRead(['get', 'pods']) && isRead(['-n', 'x', 'describe', 'pod', 'web'].slice(2)));
  assert.ok(!isRead(['delete', 'pod', 'web']) && !isRead(['apply', '-f', 'pod.yaml']));
  assert.ok(isRead(['apply', '-f', 'pod.yaml', '--dry-run=server']));
});

test('an answer adds only the records that are new', () => {
  const r = trace(rec(1, 'a'), rec(2, 'b'), rec(3, 'c'));
  const one = advanceRun(emptyRun('main'), { now: 2, rev: 1, records: r.slice(0, 2), nextAt: 3, quiescent: false });
  const two = advanceRun(one, { now: 3, rev: 2, records: r.slice(1), nextAt: null, quiescent: true });
  assert.deepEqual(two.records.map((x) => x.id), [1, 2, 3]);
  assert.equal(two.now, seconds(3));
  assert.equal(one.records.length, 2, 'the run before is unchanged');
});

test('a branch shares the records before its fork and no later ones', () => {
  const r = trace(rec(1, 'a'), rec(2, 'b'), rec(3, 'c'));
  const main = advanceRun(emptyRun('main'), { now: 3, rev: 1, records: r, nextAt: null, quiescent: true });
  const fork = forkRun(main, 'b1', seconds(2), { now: 4, rev: 2, records: [{ ...rec(2.5, 'd'), id: 3 }], nextAt: null, quiescent: true });
  assert.deepEqual(fork.records.map((x) => x.source), ['a', 'b', 'd']);
});

test('records at a moment are those up to and with it', () => {
  const r = trace(rec(1, 'a'), rec(2, 'b'), rec(2, 'c'), rec(3, 'd'));
  assert.deepEqual([0, 1, 2, 2.5, 9].map((t) => countAt(r, seconds(t))), [0, 1, 3, 3, 4]);
});

test('the chain of a record leads from its first cause to it', () => {
  const r = trace(rec(1, 'a'), rec(2, 'b', { cause: 1 }), rec(2, 'x'), rec(3, 'c', { cause: 2 }));
  assert.deepEqual(chainOf(r, 4).map((x) => x.source), ['a', 'b', 'c']);
  assert.deepEqual(chainOf(r, 99), []);
});

test('events warn by their type, records by their verdict, one node never', () => {
  assert.ok(isWarning(event(1, 'BackOff', 'kubelet', 'Warning')) && !isWarning(event(1, 'Pulled', 'kubelet')));
  assert.ok(isWarning(rec(1, 'kubelet', { verdict: 'failed' })) && !isWarning(rec(1, 'scheduler', { verdict: 'denied', detail: [{ name: 'node', value: 'n1' }] })));
});

test('the page follows the chosen pod, else the first that has stopped', () => {
  const b = { ...web, name: 'b' };
  const r = trace(rec(1, 'kubelet', { stage: 'ready' }), rec(1, 'kubelet', { stage: 'pulled', verdict: 'failed', ref: b }));
  const pods = podsOf(r);
  assert.deepEqual(pods.map((p) => p.name), ['web', 'b']);
  assert.equal(followed(pods, r, null)!.name, 'b');
  assert.equal(followed(pods, r, web)!.name, 'web');
  assert.equal(followed([], [], web), null);
});

test('an edited example is the example until half of it is gone', () => {
  assert.ok(resembles('a\nb\nx', 'a\nb\nc\nd'));
  assert.ok(!resembles('a\nx\ny', 'a\nb\nc\nd'));
});

test('each attempt of the scheduler has the verdict on each node', () => {
  const on = (node: string) => [{ name: 'node', value: node }];
  const r = trace(
    rec(1, 'scheduler', { stage: 'scheduled', verdict: 'denied', reason: 'NodeResourcesFit', message: 'Insufficient cpu', detail: on('n1') }),
    rec(1, 'scheduler', { stage: 'scheduled', verdict: 'denied', reason: 'TaintToleration', message: 'node(s) had untolerated taint(s)', detail: on('n2') }),
    rec(1, 'scheduler', { stage: 'scheduled', verdict: 'waiting', reason: 'Unschedulable', message: '0/2 nodes are available' }),
    rec(2, 'scheduler', { stage: 'scheduled', verdict: 'denied', reason: 'TaintToleration', message: 'node(s) had untolerated taint(s)', detail: on('n2') }),
    rec(2, 'scheduler', { stage: 'scheduled', reason: 'Scheduled', message: 'chose node n1', detail: [...on('n1'), { name: 'score n1', value: '290 = x' }] }),
  );
  const [last, first] = attemptsOf(r, web, r.length);
  assert.deepEqual(first!.nodes.map((n) => [n.node, n.fits, n.plugin, n.text]), [
    ['n1', false, 'NodeResourcesFit', 'Insufficient cpu'], ['n2', false, 'TaintToleration', 'node(s) had untolerated taint(s)']]);
  assert.equal(last!.chosen, 'n1');
  assert.deepEqual(last!.nodes.map((n) => [n.node, n.fits]), [['n1', true], ['n2', false]]);
  assert.equal(attemptsOf(r, web, 3).length, 1);
});

test('the sentence names the trouble in both languages', () => {
  const r = trace(rec(1, 'scheduler', { stage: 'scheduled', verdict: 'failed', reason: 'FailedScheduling' }));
  const l = lineOf(r, [0], 1);
  assert.match(sentence(l, null, 'en'), /No node can take the pod/);
  assert.match(sentence(l, null, 'zh'), /没有节点/);
});

test('both languages have every word', () => {
  const flat = (v: unknown, at: string): string[] => (typeof v === 'object' && v !== null && !Array.isArray(v)
    ? Object.entries(v).flatMap(([k, x]) => flat(x, `${at}.${k}`)) : [at]);
  assert.deepEqual(flat(WORDS.zh, ''), flat(WORDS.en, ''));
  assert.equal(WORDS.zh.keyList.length, WORDS.en.keyList.length);
});

test('the place in a manifest is its kind and the fields above', () => {
  const lines = ['apiVersion: v1', 'kind: ConfigMap', '---', 'apiVersion: apps/v1', 'kind: Deployment', 'spec:', '  template:', '    spec:', '      containers:', '      - name: app', '        ports:', '        - containerPort: 80', '          '];
  const p = placeAt(lines, 12, 10);
  assert.deepEqual([p.apiVersion, p.kind, p.path.join('.')], ['apps/v1', 'Deployment', 'spec.template.spec.containers[0].ports[0]']);
  assert.deepEqual(placeAt(lines, 10, 8).path, ['spec', 'template', 'spec', 'containers[0]']);
  assert.deepEqual(placeAt(lines, 1, 0).path, []);
});
