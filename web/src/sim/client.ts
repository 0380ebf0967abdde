// Calls the Go program in its worker: requests go out in order, answers come
// back in order. Knows nothing of what the page does with them.
import type {
  About, AdvanceArgs, Answer, DoArgs, DoOK, Err, ExplainArgs, ExplainOK, GetArgs, GetOK, KubectlArgs, KubectlOK,
  LintArgs, LintOK, MatrixArgs, MatrixOK, OpenArgs, OpenOK, Progress, RulesArgs, RulesOK, SchemaArgs, SchemaOK, State, StateArgs,
} from '../protocol';
import type { Boot, FromWorker, WorkerLike } from './wire';

export interface Ops {
  about: [Record<string, never>, About];
  open: [OpenArgs, OpenOK];
  advance: [AdvanceArgs, Progress];
  do: [DoArgs, DoOK];
  state: [StateArgs, State];
  kubectl: [KubectlArgs, KubectlOK];
  get: [GetArgs, GetOK];
  explain: [ExplainArgs, ExplainOK];
  switch: [{ branch: string }, Progress];
  rules: [RulesArgs, RulesOK];
  matrix: [MatrixArgs, MatrixOK];
  lint: [LintArgs, LintOK];
  schema: [SchemaArgs, SchemaOK];
}

export type Status =
  | { readonly phase: 'off' }
  | { readonly phase: 'loading'; readonly loaded: number; readonly total: number }
  | { readonly phase: 'ready' }
  | { readonly phase: 'failed'; readonly message: string };

/** An answer with "err"; code "panic" means that the program's state is lost. */
export class SimError extends Error {
  readonly code: string;
  readonly trace: string;
  readonly scenario: string;
  constructor(e: Err) {
    super(e.message);
    this.code = e.code;
    this.trace = e.stack ?? '';
    this.scenario = e.scenario ?? '';
  }
}

interface Waiting { id: number; done: (v: unknown) => void; fail: (e: SimError) => void; }

export class Client {
  private worker: WorkerLike | null = null;
  private waiting: Waiting[] = [];
  private queued: string[] = [];
  private ready = false;
  private lastId = 0;

  constructor(
    private readonly spawn: () => WorkerLike,
    private boot: Boot,
    private readonly onStatus: (s: Status) => void,
  ) {}

  /** Starts the worker, or starts it anew; what was asked before is answered with an error. */
  start(): void {
    this.worker?.terminate();
    this.drop({ code: 'restart', message: 'the simulator was restarted' });
    this.ready = false;
    if (!this.boot.wasm) {
      this.onStatus({ phase: 'failed', message: 'this build has no simulator' });
      return;
    }
    this.onStatus({ phase: 'loading', loaded: 0, total: this.boot.size });
    const worker = this.spawn();
    this.worker = worker;
    worker.onmessage = (e) => { if (this.worker === worker) this.heard(e.data); };
    worker.onerror = (e) => { if (this.worker === worker) this.fail(e.message || 'the worker did not start'); };
    worker.postMessage(this.boot);
  }

  /** Whether this program is the one that runs. */
  runs(boot: Boot): boolean {
    return this.boot.wasm === boot.wasm;
  }

  /** Starts another program in place of the present one. */
  swap(boot: Boot): void {
    this.boot = boot;
    this.start();
  }

  call<K extends keyof Ops>(op: K, args: Ops[K][0]): Promise<Ops[K][1]> {
    const id = ++this.lastId;
    return new Promise<unknown>((done, fail) => {
      this.waiting.push({ id, done, fail });
      const text = JSON.stringify({ id, op, args });
      this.queued.push(text);
      if (this.ready && this.queued.length === 1) queueMicrotask(() => this.send());
    }) as Promise<Ops[K][1]>;
  }

  private heard(m: FromWorker): void {
    if (m.kind === 'progress') this.onStatus({ phase: 'loading', loaded: m.loaded, total: m.total });
    else if (m.kind === 'ready') this.opened();
    else if (m.kind === 'failed') this.fail(m.message);
    else if (m.kind === 'answers') for (const b of m.bytes) this.answered(JSON.parse(new TextDecoder().decode(b)) as Answer);
    else {
      this.ready = false;
      this.drop({ code: 'panic', message: m.message.split('\n')[0] || 'the program ended', stack: m.message });
    }
  }

  private opened(): void {
    this.ready = true;
    this.onStatus({ phase: 'ready' });
    this.send();
  }

  private send(): void {
    if (this.ready && this.queued.length > 0) this.worker!.postMessage(this.queued.splice(0));
  }

  private answered(a: Answer): void {
    const i = this.waiting.findIndex((w) => w.id === a.id);
    if (i < 0) return;
    const [w] = this.waiting.splice(i, 1);
    if (a.err) w!.fail(new SimError(a.err));
    else w!.done(a.ok);
  }

  private fail(message: string): void {
    this.ready = false;
    this.worker?.terminate();
    this.worker = null;
    this.drop({ code: 'unavailable', message });
    this.onStatus({ phase: 'failed', message });
  }

  private drop(e: Err): void {
    this.queued = [];
    for (const w of this.waiting.splice(0)) w.fail(new SimError(e));
  }
}
