// The page for everyone: keyboard only, axe, narrow, dark, forced colours, motion.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';
import type { Page } from 'playwright-core';
import { panel, paste, pod, shows, shown, status, useBrowser, visit, webRoot } from './harness';

useBrowser();

const axe = readFileSync(createRequire(join(webRoot, 'package.json')).resolve('axe-core/axe.min.js'), 'utf8');

/** Violations of the rules of WCAG 2 A and AA; the script comes from outside the page's policy. */
async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  return page.evaluate(async () => {
    const run = (window as unknown as { axe: { run(o: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe;
    const result = await run.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    return result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 160)} ${n.failureSummary}`).join(' | ').slice(0, 600)}`);
  });
}

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 360, height: 740 };

for (const scheme of ['light', 'dark'] as const) {
  test(`axe finds nothing on the wide page, ${scheme}`, () => visit(async (page) => {
    await paste(page, pod('web', 'nginx:no-such-tag'));
    for (const name of ['Events', 'Describe', 'YAML', 'Logs', 'Why', 'Scheduling', 'Network', 'Workloads', 'Cluster']) {
      await panel(page, name);
      assert.deepEqual(await violations(page), [], name);
    }
  }, { viewport: WIDE, colorScheme: scheme }));

  test(`axe finds nothing on the narrow page, ${scheme}`, () => visit(async (page) => {
    for (const name of ['Manifest', 'Map', 'Events', 'Describe', 'Network', 'Workloads']) {
      await panel(page, name);
      assert.deepEqual(await violations(page), [], name);
    }
  }, { viewport: NARROW, colorScheme: scheme }));
}

test('axe finds nothing in present mode, in Chinese and in the list of keys', () => visit(async (page) => {
  await page.getByRole('button', { name: '中文' }).click();
  assert.deepEqual(await violations(page), []);
  await page.locator('.brand').click();
  await page.keyboard.press('p');
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('?');
  await page.locator('dialog[open]').waitFor();
  assert.deepEqual(await violations(page), []);
}, { viewport: { width: 1280, height: 720 } }));

test('nothing is wider than a narrow page', () => visit(async (page) => {
  for (const name of ['Manifest', 'Map', 'Events', 'Describe', 'Network', 'Workloads', 'Cluster']) {
    await panel(page, name);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name);
  }
}, { viewport: NARROW }));

test('the whole way works with the keyboard alone', () => visit(async (page) => {
  await page.keyboard.press('e');
  await page.waitForFunction(() => document.querySelector('#editor')!.shadowRoot!.activeElement !== null);
  await page.keyboard.press('ControlOrMeta+a');
  const before = await shown(page);
  await page.keyboard.insertText(pod('keys', 'nginx:1.27'));
  await shows(page, before + 1);
  await page.keyboard.press('ControlOrMeta+Enter');
  await shows(page, before + 2);
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'run');
  await page.locator('#timeline').focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => document.querySelector('.line-head .status')?.textContent === 'Running');
  await page.keyboard.press('Home');
  assert.equal(await page.locator('.station.here').count(), 0);
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('.station.here').count(), 1);
  await page.keyboard.press('End');
  await page.keyboard.press('2');
  await page.locator('#text-describe').waitFor();
  await page.keyboard.press('k');
  await page.waitForFunction(() => document.activeElement?.id === 'kubectl');
  await page.keyboard.type('get pods');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /keys +1\/1 +Running/.test(document.querySelector('.said')!.textContent!));
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.locator('dialog[open]').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('dialog[open]').count(), 0);
}));

test('every control can be reached with Tab and shows the focus', () => visit(async (page) => {
  const seen = new Set<string>();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const el = document.activeElement;
      if (!el || el === document.body) return '';
      const style = getComputedStyle(el);
      const shows = style.outlineStyle !== 'none' || el.id === 'editor' || el.id === 'kubectl';
      return `${el.id || el.getAttribute('aria-label') || el.textContent}${shows ? '' : ' WITHOUT FOCUS RING'}`;
    });
    if (/editor/.test(at)) await page.keyboard.press('Escape');
    if (/editor/.test(at)) await page.locator('#kubectl').focus();
    seen.add(at);
  }
  assert.ok(![...seen].some((s) => s.includes('WITHOUT')), [...seen].join('\n'));
  for (const id of ['example', 'run', 'timeline', 'panel']) assert.ok(seen.has(id), `${id} in ${[...seen].join(', ')}`);
}));

test('nothing moves by itself where motion is not wanted', () => visit(async (page) => {
  await page.getByRole('button', { name: 'To the start' }).click();
  await page.keyboard.press('ArrowRight');
  const at = (): Promise<string | null> => page.locator('.token g').getAttribute('transform');
  const first = await at();
  await page.waitForTimeout(120);
  assert.equal(await at(), first);
}));

test('scrubbing and running shift no part of the layout', () => visit(async (page) => {
  const place = (): Promise<number[]> => page.evaluate(() => ['.stations', '.stage', '.panels', '.timeline', '.console'].map((q) => Math.round(document.querySelector(q)!.getBoundingClientRect().top)));
  const first = await place();
  await page.getByRole('button', { name: 'To the start' }).click();
  assert.deepEqual(await place(), first);
  await paste(page, pod('web', 'nginx:no-such-tag'));
  assert.deepEqual(await place(), first);
  await paste(page, pod('web', 'nginx:1.27', '    resources: {requests: {cpu: "10"}}\n'));
  assert.deepEqual(await place(), first);
  assert.equal(await status(page), 'Pending');
}));

test('the page keeps its signs in forced colours', () => visit(async (page) => {
  assert.ok(await page.evaluate(() => matchMedia('(forced-colors: active)').matches));
  assert.ok(await page.locator('.station .glyph').first().isVisible());
}, { forcedColors: 'active' }));
