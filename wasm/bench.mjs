// Times play.wasm in node against its budgets: milliseconds of processor time, so
// that a busy machine does not count. A run is timed several times, each in a new
// cluster; the median counts.
// usage: node bench.mjs BUILD_FOLDER
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './node.mjs';

const folder = process.argv[2] ?? 'build';
const call = await start(join(folder, 'wasm_exec.js'), join(folder, 'play.wasm'), 'podwalkHandle');
const lint = await start(join(folder, 'wasm_exec.js'), join(folder, 'lint.wasm'), 'podwalkLint');
let id = 0;

function op(name, args, on = call) {
  const answer = JSON.parse(on(JSON.stringify({ id: ++id, op: name, args })));
  if (answer.err) throw new Error(`${name}: ${answer.err.message}\n${answer.err.stack ?? ''}`);
  return answer.ok;
}

const pod = (name, more = '') => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
spec:
  containers:
  - name: app
    image: nginx:1.27
    resources: {requests: {cpu: 10m, memory: 16Mi}}
${more}`;
const many = Array.from({ length: 200 }, (_, i) => pod(`web-${i}`)).join('---\n');
const crash = pod('crash', '    command: ["sh", "-c", "exit 1"]\n');
function run(text) {
  open(text);
  op('advance', { to: 600, untilQuiescent: true });
}

const open = (text) => op('open', { files: [{ name: 'pod.yaml', text }] });

/** Milliseconds that this thread has run, without V8's compilers beside it; wall time where Linux does not tell. */
function cpu() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** The median time of some work, or of the part of it whose time the work returns. */
function timed(runs, work) {
  const times = [];
  for (let i = 0; i < runs; i++) {
    const before = cpu();
    const part = work(i);
    times.push(typeof part === 'number' ? part : cpu() - before);
  }
  return times.sort((a, b) => a - b)[runs >> 1];
}

let over = 0;
function report(what, ms, budget) {
  const verdict = budget === undefined ? '' : ms <= budget ? `of ${budget} ms` : `OVER ${budget} ms`;
  if (verdict.startsWith('OVER')) over++;
  console.log(`${what.padEnd(52)} ${ms.toFixed(2).padStart(9)} ms  ${verdict}`);
}

report('one pod, first run of the program', timed(1, () => run(pod('web'))));
report('one pod, open and advance', timed(25, () => run(pod('web'))), 16);
report('200 pods, open and advance', timed(5, () => run(many)), 100);
const state = op('state', {});
const running = state.pods.filter((p) => p.status === 'Running').length;
console.log(`  ${running} of ${state.pods.length} run, ${op('records', {}).records.length} records`);
const end = state.now;
report('200 pods, seek and state', timed(21, (i) => op('seek', { to: (end * ((i * 7) % 21)) / 21 })), 50);
report('200 pods, kubectl get pods in the past', timed(21, (i) => op('kubectl', { argv: ['get', 'pods', '-A'], at: (end * ((i * 7) % 21)) / 21 })));
report('200 pods, fork in the past', timed(21, (i) => {
  op('switch', { branch: 'main' });
  op('fork', { at: (end * ((i * 7) % 21)) / 21 });
}), 50);
report('a crash loop, one virtual hour', timed(7, () => {
  open(crash);
  const before = cpu();
  op('advance', { to: 3600 });
  return cpu() - before;
}), 10);
report('a crash loop, seek and state', timed(21, (i) => op('seek', { to: (3600 * ((i * 7) % 21)) / 21 })), 50);
report('a crash loop, logs in the past', timed(21, (i) => op('kubectl', { argv: ['logs', 'crash'], at: 60 + (3500 * ((i * 7) % 21)) / 21 })), 50);

/** A Deployment on nodes of its own, ten pods a node. */
function deployment(replicas) {
  const nodes = Array.from({ length: Math.ceil(replicas / 10) }, (_, i) => `apiVersion: v1
kind: Node
metadata: {name: node-${i}, labels: {topology.kubernetes.io/zone: zone-${i % 3}}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}}
---
`).join('');
  return `${nodes}apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: "nginx:1.27", resources: {requests: {cpu: 10m, memory: 16Mi}}}
`;
}

/** Runs in steps until nothing more happens, a minute at most. */
function settle() {
  let p = op('advance', { steps: 1 });
  for (const end = p.now + 60; !p.quiescent && p.now < end;) p = op('advance', { to: end, steps: 20_000, untilQuiescent: true });
}

/** Milliseconds until a Deployment is all ready; throws if it is not. */
function ready(replicas) {
  const before = cpu();
  open(deployment(replicas));
  settle();
  const ms = cpu() - before;
  const w = op('state', {}).workloads.find((x) => x.kind === 'Deployment');
  if (w.ready !== replicas) throw new Error(`${w.ready} of ${replicas} are ready`);
  return ms;
}

report('200 replicas of a Deployment, until all are ready', timed(5, () => ready(200)), 100);
const small = timed(3, () => ready(100));
report('100 replicas over 10 nodes', small);
const middle = timed(1, () => ready(1000));
report('1,000 replicas over 100 nodes', middle);
console.log(`  a replica costs ${((middle / 1000) / (small / 100)).toFixed(2)} times what it costs among 100`);
const large = timed(1, () => ready(10_000));
report('10,000 replicas over 1,000 nodes', large, 5000);
console.log(`  a replica costs ${((large / 10_000) / (small / 100)).toFixed(2)} times what it costs among 100`);
/** Milliseconds that the next ten minutes take. */
function tenMinutes(now) {
  const before = cpu();
  op('advance', { to: now + 600, steps: 200_000 });
  return cpu() - before;
}

const { now } = op('state', {});
const idle = tenMinutes(now);
report('10,000 pods, ten minutes in which nothing happens', idle);
op('do', { kind: 'fault', argv: ['node-down', 'node-7'] });
report('one of the 1,000 nodes fails: ten minutes cost more', tenMinutes(now + 600) - idle, 50);

report('lint, one pod, first', timed(1, () => op('lint', { files: [{ name: 'pod.yaml', text: pod('web') }] }, lint)));
report('lint, one pod', timed(21, () => op('lint', { files: [{ name: 'pod.yaml', text: pod('web') }] }, lint)));
console.log(over ? `${over} over budget` : 'all within budget');
process.exit(0);
