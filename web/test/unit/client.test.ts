import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, SimError, type Status } from '../../src/sim/client';
import type { Boot, FromWorker, WorkerLike } from '../../src/sim/wire';

const boot: Boot = { exec: 'x.js', wasm: 'p.wasm', size: 10, handle: 'h' };

class Fake implements WorkerLike {
  onmessage: ((e: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((e: ErrorEvent) => void) | null = null;
  got: string[] = [];
  ended = false;
  postMessage(m: Boot | string[]): void { if (Array.isArray(m)) this.got.push(...m); }
  terminate(): void { this.ended = true; }
  say(m: FromWorker): void { this.onmessage?.({ data: m } as MessageEvent<FromWorker>); }
  answer(a: unknown): void { this.say({ kind: 'answers', bytes: [new TextEncoder().encode(JSON.stringify(a))] }); }
}

function started(): { client: Client; workers: Fake[]; seen: Status[] } {
  const workers: Fake[] = [];
  const seen: Status[] = [];
  const client = new Client(() => { const f = new Fake(); workers.push(f); return f; }, boot, (s) => seen.push(s));
  client.start();
  return { client, workers, seen };
}

test('what is asked before the program is ready is sent when it is', async () => {
  const { client, workers } = started();
  const about = client.call('about', {});
  assert.equal(workers[0]!.got.length, 0);
  workers[0]!.say({ kind: 'ready' });
  assert.deepEqual(JSON.parse(workers[0]!.got[0]!), { id: 1, op: 'about', args: {} });
  workers[0]!.answer({ id: 1, ok: { version: 'v' } });
  assert.equal((await about).version, 'v');
});

test('another program takes the place of the present one', async () => {
  const { client, workers } = started();
  workers[0]!.say({ kind: 'ready' });
  const other = { ...boot, wasm: 'full.wasm' };
  assert.ok(client.runs(boot) && !client.runs(other));
  const lost = client.call('state', {});
  client.swap(other);
  await assert.rejects(lost, (e: SimError) => e.code === 'restart');
  assert.ok(client.runs(other) && workers[0]!.ended && workers.length === 2);
});

test('an error is an error with its code and stack', async () => {
  const { client, workers } = started();
  workers[0]!.say({ kind: 'ready' });
  const call = client.call('state', {});
  workers[0]!.answer({ id: 1, err: { code: 'panic', message: 'boom', stack: 'at x', scenario: 'text' } });
  await assert.rejects(call, (e: SimError) => e.code === 'panic' && e.trace === 'at x' && e.scenario === 'text');
});

test('a program that has ended fails every question as a panic', async () => {
  const { client, workers } = started();
  workers[0]!.say({ kind: 'ready' });
  const call = client.call('state', {});
  workers[0]!.say({ kind: 'gone', message: 'fatal error: all goroutines are asleep\nstack' });
  await assert.rejects(call, (e: SimError) => e.code === 'panic' && /asleep/.test(e.message));
});

test('loading and its failure are told, and a new start is a new worker', () => {
  const { client, workers, seen } = started();
  workers[0]!.say({ kind: 'progress', loaded: 5, total: 10 });
  workers[0]!.say({ kind: 'failed', message: '404' });
  assert.deepEqual(seen.map((s) => s.phase), ['loading', 'loading', 'failed']);
  assert.ok(workers[0]!.ended);
  client.start();
  assert.equal(workers.length, 2);
});

test('a build without the program says so', () => {
  const seen: Status[] = [];
  new Client(() => new Fake(), { ...boot, wasm: '' }, (s) => seen.push(s)).start();
  assert.equal(seen[0]!.phase, 'failed');
});
