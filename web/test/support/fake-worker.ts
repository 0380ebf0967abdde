// A worker that answers like the simulator from a canned run, for work on the page
// without the Go program: node build.mjs --worker test/support/fake-worker.ts
import type { Record as Rec, State } from '../../src/protocol';
import type { FromWorker } from '../../src/sim/wire';

const post = (m: FromWorker): void => (self as unknown as { postMessage(m: FromWorker): void }).postMessage(m);
const ref = { kind: 'Pod', namespace: 'default', name: 'web' };
const T = (s: number): number => Math.round(s * 1e9);
let records: Rec[] = [];
let bad = false;

function rec(at: number, source: string, stage: string, verdict: string, reason = '', message = '', detail: { [k: string]: string } = {}): void {
  const r: Rec = { id: records.length + 1, at: T(at), source, ref, verdict, detail: Object.entries(detail).map(([name, value]) => ({ name, value })) };
  if (records.length > 0) r.cause = records.length;
  if (stage) r.stage = stage;
  if (reason) r.reason = reason;
  if (message) r.message = message;
  records.push(r);
}

function make(text: string): void {
  records = [];
  bad = /nope/.test(text);
  rec(0.02, 'kubectl', 'submitted', 'passed', '', 'POST /api/v1/namespaces/default/pods');
  rec(0.021, 'apiserver', 'authorised', 'passed', '', 'kubernetes-admin may create pods');
  rec(0.022, 'admission/ServiceAccount', 'admitted', 'changed', '', 'serviceAccountName: default');
  rec(0.022, 'admission/DefaultTolerationSeconds', 'admitted', 'changed', '', 'two tolerations added');
  rec(0.023, 'etcd', 'stored', 'passed', '', '/registry/pods/default/web', { rev: '42' });
  rec(0.03, 'scheduler', 'scheduled', 'denied', 'TaintToleration', 'node(s) had untolerated taint(s)', { node: 'control-plane' });
  rec(0.03, 'scheduler', 'scheduled', 'passed', '', 'node-2 has the highest score', { node: 'node-2' });
  rec(0.031, 'event', 'scheduled', 'info', 'Scheduled', 'Successfully assigned default/web to node-2', { type: 'Normal', from: 'default-scheduler', count: '1' });
  rec(0.05, 'kubelet', 'volumes', 'passed', '', 'kube-api-access-x7k2p mounted');
  rec(0.06, 'event', 'pulled', 'info', 'Pulling', 'Pulling image "nginx:1.27"', { type: 'Normal', from: 'kubelet', count: '1' });
  if (bad) {
    for (const t of [1.2, 16, 42, 90, 180]) {
      rec(t, 'runtime', 'pulled', 'failed', 'ErrImagePull', 'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:nope": not found');
      rec(t, 'event', 'pulled', 'failed', 'Failed', 'Failed to pull image "nginx:nope": rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/library/nginx:nope": failed to resolve reference "docker.io/library/nginx:nope": docker.io/library/nginx:nope: not found', { type: 'Warning', from: 'kubelet', count: '1' });
      rec(t + 0.5, 'event', 'pulled', 'waiting', 'BackOff', 'Back-off pulling image "nginx:nope"', { type: 'Warning', from: 'kubelet', count: '1' });
      rec(t + 0.5, 'kubelet', 'pulled', 'failed', 'ImagePullBackOff', 'Back-off pulling image "nginx:nope": ErrImagePull: not found');
    }
    return;
  }
  rec(2.4, 'event', 'pulled', 'passed', 'Pulled', 'Successfully pulled image "nginx:1.27" in 2.34s', { type: 'Normal', from: 'kubelet', count: '1' });
  rec(2.5, 'runtime', 'sandbox', 'passed', '', 'RunPodSandbox', { node: 'node-2' });
  rec(2.6, 'cni', 'sandbox', 'passed', '', '10.244.2.2', { node: 'node-2' });
  rec(2.7, 'event', 'started', 'info', 'Created', 'Container created', { type: 'Normal', from: 'kubelet', count: '1' });
  rec(2.9, 'event', 'started', 'passed', 'Started', 'Container started', { type: 'Normal', from: 'kubelet', count: '1' });
  rec(3.0, 'kubelet', 'ready', 'passed', '', 'Ready is True');
}

function state(at: number): State {
  const node = (name: string): State['nodes'][number] => ({
    name, ready: true, schedulable: true, zone: 'zone-a', taints: name === 'control-plane' ? ['node-role.kubernetes.io/control-plane:NoSchedule'] : [], roles: [],
    cpu: { used: name === 'node-2' ? 250 : 0, capacity: 4000 }, memory: { used: name === 'node-2' ? 128 << 20 : 0, capacity: 8 * 2 ** 30 }, pods: { used: 0, capacity: 110 },
  });
  const on = at >= 0.03;
  const status = !on ? 'Pending' : bad ? (at < 1.2 ? 'ContainerCreating' : 'ImagePullBackOff') : at < 2.9 ? 'ContainerCreating' : 'Running';
  return {
    now: at, nodes: ['control-plane', 'node-1', 'node-2', 'node-3'].map(node), workloads: [], services: [],
    pods: at < 0.023 ? [] : [{ namespace: 'default', name: 'web', uid: 'x', node: on ? 'node-2' : '', phase: 'Pending', status, ready: status === 'Running' ? '1/1' : '0/1',
      restarts: 0, ip: status === 'Running' ? '10.244.2.2' : '', containers: [{ name: 'app', init: false, state: status === 'Running' ? 'running' : 'waiting', reason: '', ready: false, restarts: 0 }] }],
  };
}

function answer(op: string, args: { files?: { name: string; text: string }[]; at?: number; argv?: string[]; record?: number }): unknown {
  const end = bad ? 600 : 3.2;
  if (op === 'open') {
    make(args.files!.map((f) => f.text).join('\n'));
    return { branch: 'main', start: '2026-01-01T00:00:00Z', state: state(0.02), apply: [{ object: 'pod/web', file: args.files![0]!.name, line: 1, exit: 0, stdout: 'pod/web created\n', stderr: '' }] };
  }
  if (op === 'advance' || op === 'do' || op === 'switch') return { now: end, rev: 50, records, nextAt: null, quiescent: !bad };
  if (op === 'state') return state(args.at ?? end);
  if (op === 'explain') return { chain: records.slice(0, args.record), text: ['The registry does not have this tag.'], hint: 'Use a tag that exists, for example nginx:1.27.' };
  return { stdout: `$ kubectl ${args.argv?.join(' ')}\n${'Name:             web\n'.repeat(40)}`, stderr: '', exit: 0 };
}

self.onmessage = (e: MessageEvent) => {
  if (!Array.isArray(e.data)) {
    post({ kind: 'ready' });
    return;
  }
  const bytes = e.data.map((text: string) => {
    const { id, op, args } = JSON.parse(text);
    return new TextEncoder().encode(JSON.stringify({ id, ok: answer(op, args) }));
  });
  post({ kind: 'answers', bytes });
};
