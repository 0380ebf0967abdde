// The Worker on the real runtime (workerd), as ./build.sh builds it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Miniflare } from 'miniflare';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const build = process.env.PODWALK_BUILD ?? join(root, 'build');
const pod = (name, image = 'nginx:1.27') => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  containers:
  - name: app
    image: ${image}
`;

let worker;
let base;

before(async () => {
  worker = new Miniflare({
    modulesRoot: join(build, 'worker'),
    modules: ['worker.mjs', 'wasm_exec.js', 'runtime.mjs', 'app.wasm'].map((name) => ({
      type: name.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule', path: join(build, 'worker', name),
    })),
    compatibilityDate: '2026-01-01',
  });
  base = await worker.ready;
});

after(() => worker.dispose());

async function play(body, type = 'application/yaml') {
  const answer = await fetch(new URL('/play', base), { method: 'POST', body, headers: { 'Content-Type': type } });
  return { status: answer.status, json: await answer.json() };
}

test('a manifest comes back with records, events, describe and get', async () => {
  const { status, json } = await play(pod('web'));
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.exit, 0);
  assert.match(json.get.pods, /^NAMESPACE +NAME +READY +STATUS[^\n]*\ndefault +web +1\/1 +Running/);
  assert.match(json.describe['pod/default/web'], /^Name: +web\n/);
  const reasons = json.events.filter((e) => e.involvedObject.name === 'web').map((e) => e.reason);
  assert.deepEqual(reasons, ['Scheduled', 'Pulling', 'Pulled', 'Created', 'Started']);
  assert.ok(json.records.length > 10);
});

test('the records are those of the native program', async () => {
  const input = JSON.stringify({ files: [{ name: 'pod.yaml', text: pod('same') }], seed: 7, for: '90s' });
  const { json } = await play(input, 'application/json');
  const native = JSON.parse(execFileSync(join(build, 'podwalk'), ['run', '-o', 'json', '--seed', '7', '--for', '90s', '-'],
    { input: pod('same'), maxBuffer: 64 << 20 }));
  assert.deepEqual(named(json.records), named(native.records));
  assert.equal(json.describe['pod/default/same'], native.describe['pod/default/same']);
});

/** On the command line the file came from stdin. */
function named(records) {
  return JSON.parse(JSON.stringify(records).replaceAll('STDIN', 'pod.yaml'));
}

test('one request after another starts from nothing', async () => {
  for (const name of ['one', 'two', 'one']) {
    const { json } = await play(pod(name));
    assert.deepEqual(Object.keys(json.describe).filter((k) => k.startsWith('pod/')), [`pod/default/${name}`]);
  }
});

test('requests in parallel do not meet', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const answers = await Promise.all(names.map((n) => play(pod(n, n === 'c' ? 'nginx:no-such-tag' : 'nginx:1.27'))));
  answers.forEach(({ status, json }, i) => {
    assert.equal(status, 200);
    assert.match(json.get.pods, new RegExp(`default +${names[i]} +${names[i] === 'c' ? '0/1' : '1/1'} `));
    assert.equal(json.exit, names[i] === 'c' ? 1 : 0);
  });
});

test('a scenario prints what each directive does', async () => {
  const { status, json } = await play(`# title: one pod\n\napply pod.yaml\n${pod('told')}----\n\nadvance until=quiescent\n----\n\n$ kubectl get pods\n----\n`,
    'text/vnd.podwalk.scenario');
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.printed[0], 'pod/told created\n');
  assert.match(json.printed.at(-1), /told +1\/1 +Running/);
});

test('a rejected manifest is a result, not an error', async () => {
  const { status, json } = await play('apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: Web, image: x}]}\n');
  assert.equal(status, 200);
  assert.equal(json.exit, 2);
  assert.match(json.apply[0].stderr, /The Pod "web" is invalid: spec.containers\[0\].name: Invalid value: "Web"/);
});

test('limits and mistakes are clear errors', async () => {
  const cases = [
    ['', 'application/yaml', 400, /no body/],
    ['x'.repeat((1 << 20) + 1), 'application/yaml', 413, /larger than 1 MiB/],
    [JSON.stringify({ files: [{ name: 'a', text: pod('a') }], for: '8760h' }), 'application/json', 413, /more than 24h0m0s of virtual time/],
    [JSON.stringify({ files: [{ name: 'a', text: pod('a') }], for: '-1s' }), 'application/json', 400, /duration above 0/],
    [JSON.stringify({ files: [], what: 1 }), 'application/json', 400, /unknown field "what"/],
    ['apiVersion: sim.podwalk.dev/v1\nkind: Nonsense\n', 'application/yaml', 400, /manifest.yaml:\d+: no kind "Nonsense"/],
  ];
  for (const [body, type, want, message] of cases) {
    const { status, json } = await play(body, type);
    assert.equal(status, want, JSON.stringify(json));
    assert.match(json.error.message, message);
  }
  const get = await fetch(new URL('/play', base));
  assert.equal(get.status, 405);
  assert.equal((await fetch(new URL('/nowhere', base))).status, 404);
});

test('a run that reaches the limit of steps says so', async () => {
  const loop = pod('loop').replace('    image: nginx:1.27', '    image: busybox\n    command: ["sh", "-c", "while true; do echo x; done"]');
  const { status, json } = await play(JSON.stringify({ files: [{ name: 'pod.yaml', text: loop }], for: '24h' }), 'application/json');
  assert.equal(status, 200, JSON.stringify(json).slice(0, 400));
  assert.ok(json.limit === '' || json.limit === 'steps' || json.limit === 'time', json.limit);
});
