// Workloads, faults and the network: what the cluster does beside one pod.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { paste, useBrowser, visit } from './harness';

useBrowser();

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: "nginx:1.27", ports: [{containerPort: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: front}
spec: {selector: {app: web}, ports: [{port: 80}]}
`;
const POLICY = `---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: nobody}
spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}
`;

const tab = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click();
const rows = (page: Page): Promise<string[]> => page.locator('.table-workloads tbody tr').allInnerTexts();

test('the owners of a pod are a tree that lives, and each can be described', () => visit(async (page) => {
  await paste(page, DEPLOYMENT);
  await tab(page, 'Workloads');
  await page.waitForFunction(() => document.querySelectorAll('.table-workloads tbody tr').length === 5);
  const all = await rows(page);
  assert.match(all[0]!, /Deployment\s+web\s+3\/3/);
  assert.match(all[1]!, /ReplicaSet\s+web-[0-9a-z]+\s+3\/3/);
  assert.equal(all.filter((r) => /^\s*Pod .*1\/1\s+Running/.test(r)).length, 3);
  await page.locator('#kubectl').fill('kubectl scale deployment web --replicas=5');
  await page.locator('#kubectl').press('Enter');
  await page.waitForFunction(() => /5\/5/.test(document.querySelector('.table-workloads tbody tr')?.textContent ?? ''), undefined, { timeout: 60_000 });
  await page.locator('#kubectl').blur();
  await page.keyboard.press('End');
  await page.getByRole('button', { name: 'Deployment web', exact: true }).click();
  await page.waitForFunction(() => /^Name: +web/.test(document.querySelector('#text-describe')?.textContent ?? ''));
  assert.match(await page.locator('#text-describe').innerText(), /5 desired \| 5 updated \| 5 total \| 5 available/);
}));

test('a machine is stopped by its name, its pods come back elsewhere, and it can be started again', () => visit(async (page) => {
  await paste(page, DEPLOYMENT);
  const pod = page.locator('.node', { has: page.locator('.tokens .pod, .tokens .own') }).first();
  const name = (await pod.locator('.node-name').innerText()).trim();
  await pod.locator('.node-name').click();
  await page.getByRole('button', { name: 'Stop the machine' }).click();
  await page.waitForFunction((n) => [...document.querySelectorAll('.node')].some((x) => x.textContent?.includes(n) && /no power, not ready/.test(x.textContent)), name, { timeout: 90_000 });
  await page.keyboard.press('Escape');
  await tab(page, 'Cluster');
  await page.keyboard.press('End');
  await tab(page, 'Workloads');
  await page.waitForFunction((n) => {
    const all = [...document.querySelectorAll('.table-workloads tbody tr')].map((r) => r.textContent ?? '');
    return /3\/3/.test(all[0] ?? '') && all.some((r) => r.includes(n) && r.includes('Terminating'));
  }, name, { timeout: 90_000 });
  await page.locator('.node', { hasText: name }).first().locator('.node-name').click();
  await page.getByRole('button', { name: 'Start the machine' }).waitFor();
}));

test('a request is followed hop by hop, the rules that it met are marked, and a policy stops it', () => visit(async (page) => {
  await paste(page, DEPLOYMENT);
  await tab(page, 'Network');
  await page.getByRole('button', { name: 'Send a request' }).click();
  await page.locator('.hops > svg').waitFor({ timeout: 60_000 });
  assert.match((await page.locator('.hops > svg').getAttribute('aria-label'))!, /dns passed.*kube-proxy passed.*program passed/);
  await page.getByRole('button', { name: 'kube-proxy rules' }).click();
  await page.locator('.table-rules tr.met').first().waitFor();
  assert.match((await page.locator('.table-rules tr.met').allInnerTexts()).join('\n'), /default\/front/);
  await page.getByLabel('what the last change did').check();
  await page.waitForFunction(() => [...document.querySelectorAll('.table-rules tbody tr')].some((r) => /^\+\d+.*default\/front/.test(r.textContent ?? '')));
  await page.getByLabel('what the last change did').uncheck();
  await paste(page, DEPLOYMENT + POLICY);
  await page.getByRole('button', { name: 'Who reaches whom' }).click();
  await page.locator('.matrix td').first().waitFor();
  assert.match((await page.locator('.matrix td').allInnerTexts()).join('\n'), /kept out: no ingress rule of default\/nobody allows it/);
  await page.getByRole('button', { name: 'Request', exact: true }).click();
  await page.locator('.ask').getByLabel('From').selectOption({ label: 'outside' });
  await page.locator('.ask').getByLabel('to', { exact: true }).fill('http://10.244.1.2');
  await page.getByRole('button', { name: 'Send a request' }).click();
  await page.locator('.network .why-text').waitFor();
  assert.match(await page.locator('.network .why-text').innerText(), /It ends at/);
}));
