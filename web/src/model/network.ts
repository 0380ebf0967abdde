// A request through the network, read from its records. Pure.
import type { Record as Rec, State } from '../protocol';

export interface Hop { readonly record: Rec; readonly last: boolean; }

export interface Sent {
  readonly record: Rec; // who sent it, and where to
  readonly hops: readonly Hop[];
  /** The hop at which it ended badly. */
  readonly failed: Rec | null;
}

/** The last request before so many records: each hop is caused by the one before. */
export function lastSent(records: readonly Rec[], count: number): Sent | null {
  let i = Math.min(count, records.length) - 1;
  while (i >= 0 && records[i]!.source !== 'request') i--;
  if (i < 0) return null;
  const record = records[i]!;
  const hops: Rec[] = [];
  let cause = record.id;
  for (let j = i + 1; j < records.length && records[j]!.at === record.at; j++) {
    if (records[j]!.cause !== cause) continue;
    hops.push(records[j]!);
    cause = records[j]!.id;
  }
  const failed = hops.find((h) => h.verdict === 'failed' || h.verdict === 'denied') ?? null;
  return { record, hops: hops.map((r, k) => ({ record: r, last: k === hops.length - 1 })), failed };
}

/** The lines of rules that the request met: those that hold a rule which a hop names. */
export function metLines(lines: readonly string[], sent: Sent | null): ReadonlySet<number> {
  const rules: string[] = [];
  for (const h of sent?.hops ?? []) {
    if (h.record.source !== 'kube-proxy') continue;
    for (const d of h.record.detail ?? []) if (d.name === 'rule') rules.push(d.value);
  }
  const met = new Set<number>();
  lines.forEach((l, i) => { if (rules.some((r) => l.includes(r))) met.add(i); });
  return met;
}

/** When kube-proxy last changed its rules before so many records, ns; 0 if it has not. */
export function rulesChangedAt(records: readonly Rec[], count: number): number {
  for (let i = Math.min(count, records.length) - 1; i >= 0; i--) {
    const r = records[i]!;
    if (r.source === 'kube-proxy' && r.reason === 'Rules') return r.at;
  }
  return 0;
}

export interface RuleLine { readonly text: string; readonly n: number; readonly met: boolean; readonly sign: '' | '+' | '−'; }

/** What went and what came between two texts of rules; a line that is there twice counts twice. */
export function changedLines(before: readonly string[], after: readonly string[]): RuleLine[] {
  const left = new Map<string, number>();
  const take = (l: string): boolean => {
    const n = left.get(l) ?? 0;
    if (n > 0) left.set(l, n - 1);
    return n > 0;
  };
  for (const l of before) left.set(l, (left.get(l) ?? 0) + 1);
  const came = after.flatMap((text, i) => (take(text) ? [] : [{ text, n: i + 1, met: false, sign: '+' as const }]));
  const went: RuleLine[] = [];
  for (let i = before.length - 1; i >= 0; i--) {
    if (take(before[i]!)) went.unshift({ text: before[i]!, n: i + 1, met: false, sign: '−' });
  }
  return [...went, ...came];
}

/** Who can send: running pods, nodes, and somebody outside. */
export function senders(state: State): string[] {
  const pods = state.pods.filter((p) => p.ip && p.phase === 'Running').map((p) => `pod/${p.namespace}/${p.name}`);
  return [...pods, ...state.nodes.map((n) => `node/${n.name}`), 'outside'];
}
