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
let lines: string[] = [];

self.onmessage = (e: MessageEvent<Boot | string>) => {
  if (typeof e.data === 'string') answer(e.data);
  else void boot(e.data);
};

async function boot(b: Boot): Promise<void> {
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

async function load(b: Boot, imports: WebAssembly.Imports): Promise<WebAssembly.Instance> {
  const response = await fetch(b.wasm);
  if (!response.ok) throw new Error(`${b.wasm}: ${response.status} ${response.statusText}`.trim());
  const counted = withProgress(response, b.size);
  if (typeof WebAssembly.instantiateStreaming === 'function' && counted.body) {
    return (await WebAssembly.instantiateStreaming(counted, imports)).instance;
  }
  return (await WebAssembly.instantiate(await counted.arrayBuffer(), imports)).instance;
}

function withProgress(response: Response, total: number): Response {
  if (!response.body) return response;
  let loaded = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      scope.postMessage({ kind: 'progress', loaded, total });
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), { headers: { 'Content-Type': 'application/wasm' } });
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

function answer(request: string): void {
  if (!handle) {
    scope.postMessage({ kind: 'gone', message: lines.join('\n') || 'the program is not running' });
    return;
  }
  try {
    const bytes = handle(new TextEncoder().encode(request));
    const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
    scope.postMessage({ kind: 'answer', bytes: own }, [own.buffer as ArrayBuffer]);
  } catch (err) {
    gone(err instanceof Error ? `${err.message}\n${err.stack ?? ''}` : String(err));
  }
}

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
