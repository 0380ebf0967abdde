// A browser on the built page, served with production's headers. Every test fails
// on a console error, an exception, or a request to another host.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { serve } from '../support/server.mjs';

export const webRoot = process.env['PODWALK_WEB'] ?? process.cwd();
export const FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update',
  '--disable-default-apps', '--disable-sync', '--no-first-run', '--no-default-browser-check', '--metrics-recording-only'];

/** Where Chromium is: CHROMIUM, or the places where systems put it. */
export function browserPath(): string {
  const found = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'].find((p) => p && existsSync(p));
  if (!found) throw new Error('no Chromium found; set CHROMIUM to its path');
  return found;
}

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: browserPath(), args: FLAGS });

let browser: Browser;
let server: { url: string; close: () => Promise<void> };

/** Starts browser and server around the tests of a file. */
export function useBrowser(): void {
  before(async () => {
    const assets = join(webRoot, 'dist', 'assets');
    assert.ok(existsSync(assets) && readdirSync(assets).some((f) => /^play-.*\.wasm$/.test(f)), 'web/dist holds no play.wasm: run ./build.sh first');
    server = await serve();
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
}

export interface Visit extends BrowserContextOptions { readonly hash?: string; readonly raw?: boolean; readonly setup?: (page: Page) => Promise<unknown>; }

/** Opens the page, does something with it, and checks that nothing went wrong meanwhile. */
export async function visit(what: (page: Page) => Promise<void>, { hash = '', raw = false, setup, ...options }: Visit = {}): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (m) => { if (m.type() === 'error' || m.type() === 'warning') wrong.push(`console: ${m.text()}`); });
  page.on('pageerror', (e) => wrong.push(`exception: ${e.stack ?? e.message}`));
  page.on('request', (r) => { if (!r.url().startsWith(server.url) && !/^(data|blob):/.test(r.url())) wrong.push(`request to ${r.url()}`); });
  try {
    await setup?.(page);
    await page.goto(`${server.url}/${hash}`);
    if (!raw) await ready(page);
    await what(page);
    if (!raw) assert.deepEqual(wrong, []);
  } finally {
    await context.close();
  }
}

export const address = (): string => server.url;

/** Waits until the simulator itself has answered. */
export async function ready(page: Page): Promise<void> {
  await shows(page, 1);
}

/** Waits until the page has shown so many results and is working on none. */
export async function shows(page: Page, count: number, timeout = 60_000): Promise<void> {
  await page.waitForFunction((n) => {
    const d = document.documentElement.dataset;
    return Number(d['shown']) >= n && d['busy'] === 'false';
  }, count, { timeout });
}

export const shown = (page: Page): Promise<number> => page.evaluate(() => Number(document.documentElement.dataset['shown']));

/** Puts a manifest into the editor, as pasting does, and waits for its result. */
export async function paste(page: Page, text: string, timeout?: number): Promise<void> {
  const before = await shown(page);
  await page.locator('#editor .cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.evaluate((t) => {
    const data = new DataTransfer();
    data.setData('text/plain', t);
    const el = document.querySelector('#editor')!.shadowRoot!.querySelector('.cm-content')!;
    el.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
  await shows(page, before + 1, timeout);
}

export const status = (page: Page): Promise<string | null> => page.locator('.line-head .status').textContent();
export const real = async (page: Page): Promise<string> => (await page.locator('.real').textContent()) ?? '';

export async function panel(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click();
}

/** The rows of the event list as [time, type, reason, from, message]. */
export async function eventRows(page: Page): Promise<string[][]> {
  await panel(page, 'Events');
  return page.locator('.table-events tbody tr').evaluateAll((rows) => rows.map((r) => [...r.children].slice(0, 5).map((c) => (c as HTMLElement).innerText.trim())));
}

export const stations = (page: Page): Promise<string[]> =>
  page.locator('.station button').evaluateAll((all) => all.map((b) => b.textContent ?? ''));

export const scenario = (name: string): string => readFileSync(join(webRoot, '..', 'core', 'scenario', 'testdata', name), 'utf8');

export function pod(name: string, image: string, more = ''): string {
  return `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  containers:\n  - name: app\n    image: ${image}\n${more}`;
}
