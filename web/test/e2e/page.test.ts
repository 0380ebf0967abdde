// What the page does besides showing a run.
import assert from 'node:assert/strict';
import test from 'node:test';
import { address, panel, paste, pod, ready, shown, shows, stations, status, useBrowser, visit } from './harness';

useBrowser();

test('the first example is shown before the simulator has loaded, and it stays the same then', () => visit(async (page) => {
  assert.ok(await page.locator('.station.is-well').count() > 5);
  const early = await stations(page);
  await page.unroute('**/*.wasm');
  await page.evaluate(() => (window as unknown as { go: () => void }).go?.());
  await ready(page);
  assert.deepEqual(await stations(page), early);
}, { raw: true, setup: async (page) => {
  await page.route('**/play-*.wasm', async (route) => { await new Promise((done) => setTimeout(done, 600)); await route.continue(); });
} }));

test('every example of the list runs and shows something', () => visit(async (page) => {
  const ids = await page.locator('#example option').evaluateAll((all) => all.map((o) => (o as HTMLOptionElement).value));
  assert.ok(ids.length >= 8, `${ids.length} examples`);
  for (const id of ids) {
    const before = await shown(page);
    await page.locator('#example').selectOption(id);
    if (id !== ids[0]) await shows(page, before + 1);
    const here = await page.locator('.station.here').count();
    assert.ok(here === 1 || await page.locator('.real').innerText() !== '', id);
  }
}));

test('an error is marked at its line and said in words', () => visit(async (page) => {
  await paste(page, pod('web', 'nginx:1.27', '    imagePullPolcy: Always\n'));
  const marked = page.locator('#editor .cm-lintRange-error, #editor .cm-lintRange-warning').first();
  await marked.waitFor();
  assert.match(await marked.evaluate((el) => el.closest('.cm-line')!.textContent), /imagePullPolcy/);
  assert.match(await page.locator('.problems').innerText(), /9/);
  assert.match(await page.locator('.real').innerText(), /unknown field "spec.containers\[0\].imagePullPolcy"/);
  await page.locator('.problems button').first().click();
  assert.match(await page.locator('#editor .cm-activeLine').innerText(), /imagePullPolcy/);
}));

test('the timeline is dragged back and forward, and the page follows', () => visit(async (page) => {
  await paste(page, pod('web', 'nginx:1.27'));
  const count = (): Promise<number> => page.locator('.table-events tbody tr').count();
  const all = await count();
  const box = (await page.locator('#timeline').boundingBox())!;
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width - 20, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.35, y, { steps: 8 });
  const some = await count();
  assert.ok(some > 0 && some < all, `${some} of ${all} events in the middle`);
  await page.mouse.move(box.x + 2, y, { steps: 8 });
  await page.waitForFunction(() => document.querySelectorAll('.station.here').length === 0);
  await page.mouse.move(box.x + box.width - 2, y, { steps: 8 });
  await page.mouse.up();
  assert.equal(await count(), all);
  await page.waitForFunction(() => document.querySelector('.line-head .status')?.textContent === 'Running');
}));

test('playing goes on from step to step to the end', () => visit(async (page) => {
  await paste(page, pod('web', 'nginx:1.27'));
  await page.getByLabel('Speed').selectOption('4');
  await page.getByRole('button', { name: 'To the start' }).click();
  assert.equal(await page.locator('.station.here').count(), 0);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor({ timeout: 30_000 });
  assert.equal(await status(page), 'Running');
}));

test('a link holds the manifest and the moment', () => visit(async (page) => {
  await paste(page, pod('shared', 'nginx:1.27'));
  await page.locator('#timeline').focus();
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft');
  const clock = await page.locator('.clock').innerText();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.waitForFunction(() => location.hash.startsWith('#s='));
  const hash = await page.evaluate(() => location.hash);
  await page.goto('about:blank');
  await page.goto(`${address()}/${hash}`);
  await ready(page);
  assert.match(await page.locator('#editor .cm-content').innerText(), /name: shared/);
  assert.equal(await page.locator('.clock').innerText(), clock);
}));

test('a damaged link is said to be one, and the page works', () => visit(async (page) => {
  await page.getByText('This link could not be read').waitFor();
  await ready(page);
  assert.equal(await status(page), 'Running');
}, { hash: '#s=AAAA', raw: true }));

test('the kubectl line reads at the cursor and writes make it go on', () => visit(async (page) => {
  await paste(page, pod('web', 'nginx:1.27'));
  const line = page.locator('#kubectl');
  await line.fill('kubectl get pods');
  await line.press('Enter');
  await page.waitForFunction(() => /web +1\/1 +Running/.test(document.querySelector('.said')!.textContent!));
  await line.fill('kubectl delete pod web --wait=false');
  await line.press('Enter');
  await page.waitForFunction(() => /pod "web" deleted/.test(document.querySelector('.said')!.textContent!));
  await page.getByRole('button', { name: 'To the end' }).click();
  await line.fill('get pods');
  await line.press('Enter');
  await page.waitForFunction(() => /No resources found/.test(document.querySelector('.said')!.textContent!));
}));

test('a command before the end starts a branch, and both branches can be seen', () => visit(async (page) => {
  await paste(page, pod('web', 'nginx:1.27'));
  await page.locator('#timeline').focus();
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft');
  await page.locator('#kubectl').fill('kubectl delete pod web --wait=false');
  await page.locator('#kubectl').press('Enter');
  await page.locator('#branch').waitFor();
  assert.equal(await page.locator('#branch option').count(), 2);
  await page.locator('#branch').selectOption('main');
  await page.getByRole('button', { name: 'To the end' }).click();
  await page.waitForFunction(() => document.querySelector('.line-head .status')?.textContent === 'Running');
}));

test('files can be added, named and removed', () => visit(async (page) => {
  await page.getByRole('button', { name: 'Add a file' }).click();
  await paste(page, pod('second', 'nginx:1.27'));
  await page.locator('#pod').waitFor();
  assert.equal(await page.locator('#pod option').count(), 2);
  await page.getByRole('button', { name: /^Rename/ }).click();
  await page.getByLabel('File name').fill('two.yaml');
  const before = await shown(page);
  await page.keyboard.press('Enter');
  await shows(page, before + 1);
  assert.match(await page.locator('.said').innerText(), /-f two\.yaml/);
  await page.getByRole('button', { name: /^Remove/ }).click();
  await shows(page, before + 2);
  assert.equal(await page.locator('#pod').count(), 0);
}));

test('why leads to the records from the cause to the effect', () => visit(async (page) => {
  await paste(page, pod('web', 'nginx:no-such-tag'));
  await page.locator('#why').click();
  await page.locator('.chain li').first().waitFor();
  assert.ok(await page.locator('.chain li').count() > 3);
  assert.match(await page.locator('.chain li').first().innerText(), /kubectl|podwalk|scenario/);
}));

test('what Podwalk says changes its language, what Kubernetes prints does not', () => visit(async (page) => {
  await paste(page, pod('web', 'nginx:no-such-tag'));
  const message = await page.locator('.real').innerText();
  await page.getByRole('button', { name: '中文' }).click();
  assert.match(await page.locator('.sentence').innerText(), /镜像/);
  assert.equal(await page.locator('.real').innerText(), message);
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
}));

test('the panels say what kubectl prints: YAML and logs', () => visit(async (page) => {
  await paste(page, pod('web', 'busybox:1.36', '    command: ["sh", "-c", "echo hello from a pod; sleep 3600"]\n'));
  await panel(page, 'YAML');
  await page.locator('#text-yaml').waitFor();
  assert.match((await page.locator('#text-yaml').textContent())!, /^apiVersion: v1\nkind: Pod\n/);
  await panel(page, 'Logs');
  await page.locator('#text-logs').waitFor();
  assert.equal(await page.locator('#text-logs').textContent(), 'hello from a pod\n');
}));
