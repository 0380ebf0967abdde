// Bad input, large input, and a simulator that cannot be had.
import assert from 'node:assert/strict';
import test from 'node:test';
import { eventRows, panel, paste, pod, ready, status, useBrowser, visit } from './harness';

useBrowser();

test('markup in names and values is text everywhere', () => visit(async (page) => {
  const evil = '<script>window.pwned=1</script><img src=x onerror=window.pwned=1>';
  await paste(page, pod(JSON.stringify(evil), 'nginx:1.27'));
  await page.waitForFunction(() => /<script>/.test(document.querySelector('.real')!.textContent!));
  await paste(page, pod('web', 'busybox:1.36', `    command: ["echo", ${JSON.stringify(evil)}]\n`));
  for (const name of ['Describe', 'YAML', 'Logs', 'Why']) await panel(page, name);
  await panel(page, 'Logs');
  await page.locator('#text-logs').waitFor();
  assert.match((await page.locator('#text-logs').textContent())!, /<script>/);
  assert.equal(await page.evaluate(() => (window as unknown as { pwned?: number }).pwned), undefined);
  assert.equal(await page.locator('main script, main img').count(), 0);
}));

test('junk is refused with a message and the page works on', () => visit(async (page) => {
  for (const junk of ['{{{{', '\u0000\u0001\u0002', 'a: b: c: d', '- - - -\n\t\t- x', 'kind: Pod', '%PDF-1.4 \ufffd\ufffd', '"', '&a [*a, *a]', '[]', 'null', '🐳'.repeat(500)]) {
    await paste(page, junk);
    assert.notEqual(await page.locator('.said').innerText(), '', JSON.stringify(junk.slice(0, 20)));
    assert.equal(await page.locator('.trouble').count(), 0, JSON.stringify(junk.slice(0, 20)));
  }
  await paste(page, pod('web', 'nginx:1.27'));
  assert.equal(await status(page), 'Running');
}));

test('an empty editor is not an error', () => visit(async (page) => {
  await paste(page, ' ');
  assert.match(await page.locator('.saying').innerText(), /Write a manifest/);
}));

test('a manifest of 5,000 lines stays usable', () => visit(async (page) => {
  const parts = Array.from({ length: 300 }, (_, i) => pod(`p-${i}`, 'busybox:1.36', '    command: ["sleep", "3600"]\n    env:\n'
    + Array.from({ length: 4 }, (_, n) => `    - name: KEY_${n}\n      value: "${n}"\n`).join('')));
  const text = parts.join('---\n');
  assert.ok(text.split('\n').length > 5000);
  await paste(page, text, 180_000);
  assert.equal(await page.locator('#pod option').count(), 300);
  await page.locator('#pod').selectOption('p-250');
  const started = Date.now();
  await page.locator('#timeline').focus();
  for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowLeft');
  assert.ok(Date.now() - started < 3000, `ten steps back took ${Date.now() - started} ms`);
  await panel(page, 'Cluster');
  assert.ok(await page.locator('.table-cluster tbody tr').count() >= 4);
}));

test('a thousand events are a list of which only a part is in the document', () => visit(async (page) => {
  await paste(page, pod('web', 'busybox:1.36', '    command: ["sh", "-c", "exit 1"]\n    livenessProbe:\n      exec: {command: ["false"]}\n      periodSeconds: 1\n'));
  for (let i = 0; i < 8; i++) {
    await page.getByRole('button', { name: 'Run on' }).click();
    await page.waitForTimeout(50);
  }
  const rows = await eventRows(page);
  assert.ok(rows.length > 10);
  assert.ok(await page.locator('.table-events tbody tr').count() < 600);
}));

test('a simulator that cannot be loaded is said, and can be tried again', () => visit(async (page) => {
  await page.locator('.trouble').waitFor();
  assert.match(await page.locator('.trouble').innerText(), /could not be loaded/);
  assert.ok(await page.locator('.station.is-well').count() > 5, 'the computed result is still there');
  await page.unroute('**/play-*.wasm');
  await page.locator('#retry').click();
  await ready(page);
  assert.equal(await page.locator('.trouble').count(), 0);
  assert.equal(await status(page), 'Running');
}, { raw: true, setup: (page) => page.route('**/play-*.wasm', (route) => route.abort()) }));

test('a program that is broken is shown with a way out, and restarted', () => visit(async (page) => {
  await page.locator('.trouble').waitFor();
  assert.match(await page.locator('.trouble').innerText(), /could not be loaded/);
}, { raw: true, setup: (page) => page.route('**/play-*.wasm', (route) => route.fulfill({ status: 200, contentType: 'application/wasm', body: 'not wasm' })) }));

const PANICS = `onmessage = (e) => {
  if (!Array.isArray(e.data)) { postMessage({ kind: 'ready' }); return; }
  const err = { code: 'panic', message: 'index out of range', stack: 'goroutine 1 [running]', scenario: 'apply pod.yaml' };
  const bytes = e.data.map((r) => new TextEncoder().encode(JSON.stringify({ id: JSON.parse(r).id, err })));
  postMessage({ kind: 'answers', bytes });
};`;

test('a simulator that stops shows its stack and offers the scenario', () => visit(async (page) => {
  await page.locator('.trouble').waitFor();
  assert.match(await page.locator('.trouble').innerText(), /index out of range/);
  await page.locator('.trouble summary').click();
  assert.match(await page.locator('.trouble pre').innerText(), /goroutine 1/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download this scenario' }).click()]);
  assert.equal(download.suggestedFilename(), 'scenario.txt');
}, { raw: true, setup: (page) => page.route('**/worker-*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: PANICS })) }));
