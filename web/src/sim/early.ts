// Starts the simulator's worker before the page's own code has come: a small
// script of its own, so that both load side by side. The page takes it over.
import type { Boot, FromWorker, WorkerLike } from './wire';

export interface Early { readonly worker: Worker; readonly heard: MessageEvent<FromWorker>[]; }

declare global {
  interface Window { podwalkEarly?: Early; }
}

/** What build.mjs wrote into the head of the page. */
export const meta = (name: string): string => document.querySelector<HTMLMetaElement>(`meta[name="podwalk:${name}"]`)?.content ?? '';

export function bootOf(name: string, handle: string): Boot {
  const [url = '', size = '0'] = meta(name).split(' ');
  const full = (u: string): string => (u ? new URL(u, document.baseURI).href : '');
  return { exec: full(meta('exec')), wasm: full(url), size: Number(size), handle };
}

export function startEarly(): void {
  const boot = bootOf('play', 'podwalkHandle');
  if (!boot.wasm) return;
  const early: Early = { worker: new Worker(meta('worker')), heard: [] };
  early.worker.onmessage = (e) => early.heard.push(e);
  early.worker.postMessage(boot);
  window.podwalkEarly = early;
}

/** A worker for the page: the one that was started early, once; then new ones. */
export function spawn(): WorkerLike {
  const early = window.podwalkEarly;
  delete window.podwalkEarly;
  if (!early) return new Worker(meta('worker')) as WorkerLike;
  const worker = early.worker as WorkerLike;
  queueMicrotask(() => early.heard.forEach((e) => worker.onmessage?.(e)));
  return worker;
}
