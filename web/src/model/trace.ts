// What the page knows of a run: its records, in the order of their ids, and the
// questions that views ask of them. Pure; records never change.
import type { Record as Rec, Progress, Ref } from '../protocol';

/** The stations of a pod's line, in order. */
export const STAGES = [
  'submitted', 'authorised', 'admitted', 'stored', 'scheduled', 'volumes', 'pulled',
  'sandbox', 'init', 'started', 'probed', 'ready', 'endpoints',
] as const;
export type Stage = (typeof STAGES)[number];

export const NS = 1e9;

/** The records of one branch and where its head stands. Times are nanoseconds. */
export interface Run {
  readonly branch: string;
  readonly records: readonly Rec[];
  readonly now: number;
  readonly nextAt: number | null;
  readonly quiescent: boolean;
  readonly limit: string;
}

export function emptyRun(branch: string): Run {
  return { branch, records: [], now: 0, nextAt: null, quiescent: false, limit: '' };
}

/** Appends an answer's new records. Records that are known already are dropped. */
export function advanceRun(run: Run, p: Progress): Run {
  const last = run.records.at(-1)?.id ?? 0;
  const fresh = (p.records ?? []).filter((r) => r.id > last);
  return {
    branch: run.branch,
    records: fresh.length > 0 ? [...run.records, ...fresh] : run.records,
    now: Math.round(p.now * NS),
    nextAt: p.nextAt === null || p.nextAt === undefined ? null : Math.round(p.nextAt * NS),
    quiescent: p.quiescent,
    limit: p.limit ?? '',
  };
}

/** The run of a branch that leaves `run` at `at`: the shared records and the first new answer. */
export function forkRun(run: Run, branch: string, at: number, p: Progress): Run {
  const first = p.records?.[0]?.id ?? Infinity;
  const shared = run.records.filter((r) => r.id < first && r.at <= at);
  return advanceRun({ ...run, branch, records: shared }, p);
}

/** How many records stand at or before a moment. */
export function countAt(records: readonly Rec[], at: number): number {
  let lo = 0;
  let hi = records.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (records[mid]!.at <= at) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

export function refKey(ref: Ref): string {
  return `${ref.kind}/${ref.namespace ?? ''}/${ref.name}`;
}

export function samePod(ref: Ref, pod: Ref): boolean {
  return ref.kind === 'Pod' && ref.name === pod.name && (ref.namespace ?? '') === (pod.namespace ?? '');
}

export function detail(r: Rec, name: string): string | undefined {
  return r.detail?.find((d) => d.name === name)?.value;
}

/** What the scheduler says it chose. */
export const chosenNode = (r: Rec): string | undefined =>
  (r.source === 'scheduler' && r.verdict === 'passed' ? detail(r, 'node') : undefined);

export const isEvent = (r: Rec): boolean => r.source === 'event';

/** The scheduler's refusal of one node: a part of its verdict on the pod. */
export const ofOneNode = (r: Rec): boolean => r.source === 'scheduler' && r.verdict === 'denied' && detail(r, 'node') !== undefined;

/** An Event's type is Warning or Normal; other records warn when they deny or fail. */
export function isWarning(r: Rec): boolean {
  if (isEvent(r)) return detail(r, 'type') === 'Warning';
  return !ofOneNode(r) && (r.verdict === 'denied' || r.verdict === 'failed');
}

/** The record and the records that led to it, the cause first. */
export function chainOf(records: readonly Rec[], id: number): Rec[] {
  const byId = new Map(records.map((r) => [r.id, r]));
  const chain: Rec[] = [];
  let at = byId.get(id);
  while (at && chain.length < 64) {
    chain.unshift(at);
    at = at.cause ? byId.get(at.cause) : undefined;
  }
  return chain;
}
