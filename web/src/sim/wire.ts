// What the page and its workers say to each other. Requests that are made together
// travel together, and so do their answers.

/** Where the Go program is: URLs, the bytes of the wasm, the name of its function. */
export interface Boot { readonly exec: string; readonly wasm: string; readonly size: number; readonly handle: string; }

export type FromWorker =
  | { kind: 'progress'; loaded: number; total: number }
  | { kind: 'ready' }
  | { kind: 'failed'; message: string }
  | { kind: 'answers'; bytes: Uint8Array[] }
  | { kind: 'gone'; message: string };

export interface WorkerLike {
  postMessage(m: Boot | string[]): void;
  terminate(): void;
  onmessage: ((e: MessageEvent<FromWorker>) => void) | null;
  onerror: ((e: ErrorEvent) => void) | null;
}
