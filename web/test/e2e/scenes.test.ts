// The four scenes that everybody meets, each from a pasted manifest.
import assert from 'node:assert/strict';
import test from 'node:test';
import { eventRows, panel, paste, pod, real, stations, status, useBrowser, visit } from './harness';

useBrowser();

test('a simple pod runs, with its events and its describe text', () => visit(async (page) => {
  await paste(page, pod('nginx', 'nginx:1.14.2', '    ports:\n    - containerPort: 80\n'));
  assert.equal(await status(page), 'Running');
  const reasons = (await eventRows(page)).map((r) => r[2]);
  assert.deepEqual(reasons, ['Scheduled', 'Pulling', 'Pulled', 'Created', 'Started']);
  await panel(page, 'Describe');
  const text = await page.locator('#text-describe').textContent();
  assert.match(text!, /^Name: +nginx\nNamespace: +default\n/);
  assert.match(text!, /Status: +Running/);
  assert.match(text!, /Successfully assigned default\/nginx to node-\d/);
  const marks = await stations(page);
  assert.match(marks[11]!, /^Ready: done/);
}));

test('a wrong tag ends in ImagePullBackOff at the station where images are pulled', () => visit(async (page) => {
  await paste(page, pod('web', 'nginx:no-such-tag'));
  assert.equal(await status(page), 'ImagePullBackOff');
  assert.match((await stations(page))[6]!, /^Pulled: failed/);
  assert.match(await page.locator('.sentence').innerText(), /image cannot be pulled/);
  assert.match(await real(page), /^Failed to pull image "nginx:no-such-tag": rpc error: code = NotFound/);
  const rows = await eventRows(page);
  assert.ok(rows.some((r) => r[2]!.startsWith('Failed') && /Failed to pull image "nginx:no-such-tag"/.test(r[4]!)));
  assert.ok(rows.some((r) => r[2]!.startsWith('BackOff') && /Back-off pulling image "nginx:no-such-tag"/.test(r[4]!)));
}));

test('a program that exits 1 ends in CrashLoopBackOff, restarted ever more rarely', () => visit(async (page) => {
  await paste(page, pod('web', 'busybox:1.36', '    command: ["sh", "-c", "exit 1"]\n'));
  assert.equal(await status(page), 'CrashLoopBackOff');
  const times = (await eventRows(page)).filter((r) => r[2]!.startsWith('Started')).map((r) => seconds(r[0]!));
  assert.ok(times.length >= 5, `started at ${times}`);
  // Never earlier than the back-off of the kubelet: 0, 10, 20, 40, 80 seconds.
  const gaps = times.slice(1).map((t, i) => t - times[i]!);
  [0, 10, 20, 40].forEach((least, i) => assert.ok(gaps[i]! >= least, `gap ${i} of ${gaps}`));
  assert.match((await stations(page))[9]!, /^Started: failed/);
  assert.match(await real(page), /^Back-off restarting failed container app in pod web_default/);
  assert.match(await page.locator('.sentence').innerText(), /exits again and again/);
}));

test('a request that no node can hold stays Pending and every node says why', () => visit(async (page) => {
  await paste(page, pod('web', 'nginx:1.27', '    resources:\n      requests:\n        cpu: "10"\n'));
  assert.equal(await status(page), 'Pending');
  const message = '0/4 nodes are available: 1 node(s) had untolerated taint(s), 3 Insufficient cpu. '
    + 'preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.';
  assert.ok((await eventRows(page)).some((r) => r[2]!.startsWith('FailedScheduling') && comparable(r[4]!) === comparable(message)));
  assert.match(await real(page), /^0\/4 nodes are available: 1 node\(s\) had untolerated taint\(s\), 3 Insufficient cpu\./);
  assert.match((await stations(page))[4]!, /^Scheduled: failed/);
  await panel(page, 'Scheduling');
  const rows = await page.locator('.table-nodes').first().locator('tbody tr').allInnerTexts();
  assert.equal(rows.length, 4);
  assert.equal(rows.filter((r) => r.includes('Insufficient cpu')).length, 3);
}));

const comparable = (message: string): string => message.replace(/\s+/g, ' ').trim();

/** Seconds of a moment as the page writes it: 40 ms, 1.42 s, 3m20s. */
function seconds(text: string): number {
  const ms = /^(\d+) ms$/.exec(text);
  if (ms) return Number(ms[1]) / 1000;
  const short = /^([\d.]+) s$/.exec(text);
  if (short) return Number(short[1]);
  const long = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text)!;
  return Number(long[1] ?? 0) * 3600 + Number(long[2] ?? 0) * 60 + Number(long[3] ?? 0);
}

test('a policy in CEL is evaluated: the larger program takes over and refuses the pod', () => visit(async (page) => {
  const policy = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owner}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations:
  - {expression: "'owner' in object.metadata.?labels.orValue({})", message: a pod names its owner}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: owner}
spec: {policyName: owner, validationActions: [Deny]}
---
`;
  await paste(page, policy + pod('web', 'nginx:1.27'), 120_000);
  assert.match(await page.locator('.said').innerText(), /ValidatingAdmissionPolicy 'owner' with binding 'owner' denied request: a pod names its owner/);
  await paste(page, policy + pod('web', 'nginx:1.27').replace('name: web\n', 'name: web\n  labels: {owner: me}\n'), 120_000);
  assert.equal(await status(page), 'Running');
}));
