// Runs one Go program in a Web Worker: loads it, hands it requests one by one.
// A classic script, because Go's wasm_exec.js is one.
import type { Boot, FromWorker } from './wire';

type Handle = (request: Uint8Array) => Uint8Array;
interface GoProgram { importObject: WebAssembly.Imports; run(instance: WebAssembly.Instance): Promise<void>; }
const scope = self as unknown as { [name: string]: unknown } & {
  postMessage(m: FromWorker, transfer?: Transferable[]): void;
  importScripts(url: string): void;
  Go: new () => GoProgram;
};

let handle: Handle | null = null;
let begun = false;
let lines: string[] = [];

self.onmessage = (e: MessageEvent<Boot | string[]>) => {
  if (Array.isArray(e.data)) answer(e.data);
  else void boot(e.data);
};

/** A second call changes nothing: the page may take over a worker that was started early. */
async function boot(b: Boot): Promise<void> {
  if (begun) return;
  begun = true;
  try {
    scope.importScripts(b.exec);
    keepOutput();
    const go = new scope.Go();
    const instance = await load(b, go.importObject);
    const ended = go.run(instance);
    handle = await exported(b.handle, ended);
    scope.postMessage({ kind: 'ready' });
    void ended.then(() => gone(''), (err: unknown) => gone(String(err)));
  } catch (err) {
    scope.postMessage({ kind: 'failed', message: err instanceof Error ? err.message : String(err) });
  }
}

/**
 * Compiles while loading. The response itself is handed over, not a wrapped one:
 * only so does the browser keep the compiled code for the next visit.
 */
async function load(b: Boot, imports: WebAssembly.Imports): Promise<WebAssembly.Instance> {
  const response = await wanted(b.wasm);
  void count(response.clone(), b.size);
  const typed = response.headers.get('Content-Type') === 'application/wasm';
  if (typed && typeof WebAssembly.instantiateStreaming === 'function') {
    return (await WebAssembly.instantiateStreaming(response, imports)).instance;
  }
  return (await WebAssembly.instantiate(await response.arrayBuffer(), imports)).instance;
}

async function wanted(url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`.trim());
  return response;
}

/** Tells how much of the program has come, some ten times. */
async function count(copy: Response, total: number): Promise<void> {
  const reader = copy.body?.getReader();
  let loaded = 0;
  let told = 0;
  while (reader) {
    const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
    if (done || !value) return;
    loaded += value.byteLength;
    if (loaded - told < total / 10) continue;
    told = loaded;
    scope.postMessage({ kind: 'progress', loaded, total });
  }
}

/** The program sets its function before it parks; it may need a turn of the event loop. */
async function exported(name: string, ended: Promise<void>): Promise<Handle> {
  let over = false;
  const note = (): void => { over = true; };
  void ended.then(note, note);
  for (let i = 0; i < 100 && !over; i++) {
    if (typeof scope[name] === 'function') return scope[name] as Handle;
    await new Promise((done) => setTimeout(done, 5));
  }
  throw new Error(`the program set no ${name}`);
}

function answer(requests: readonly string[]): void {
  if (!handle) {
    scope.postMessage({ kind: 'gone', message: lines.join('\n') || 'the program is not running' });
    return;
  }
  const bytes: Uint8Array[] = [];
  try {
    for (const r of requests) bytes.push(own(handle(new TextEncoder().encode(r))));
    scope.postMessage({ kind: 'answers', bytes }, bytes.map((b) => b.buffer as ArrayBuffer));
  } catch (err) {
    gone(err instanceof Error ? `${err.message}\n${err.stack ?? ''}` : String(err));
  }
}

/** The bytes in a buffer that holds nothing else, so that it can be handed over. */
const own = (b: Uint8Array): Uint8Array => (b.byteLength === b.buffer.byteLength ? b : b.slice());

function gone(message: string): void {
  handle = null;
  scope.postMessage({ kind: 'gone', message: [message, ...lines].filter(Boolean).join('\n') });
}

/** Go's fatal errors are written to the console; keep the last lines for the page. */
function keepOutput(): void {
  const fs = scope['fs'] as { writeSync(fd: number, bytes: Uint8Array): number } | undefined;
  if (!fs) return;
  fs.writeSync = (_fd, bytes) => {
    lines.push(...new TextDecoder().decode(bytes).split('\n').filter(Boolean));
    lines = lines.slice(-200);
    return bytes.length;
  };
}
