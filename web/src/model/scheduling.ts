// What the scheduler's records say of each node. Pure.
import type { Record as Rec, Ref } from '../protocol';
import { samePod } from './trace';

export interface NodeVerdict {
  readonly node: string;
  readonly fits: boolean;
  /** Real texts, each with the plugin that said it ("" if the record names none). */
  readonly reasons: readonly { readonly plugin: string; readonly text: string }[];
}

export interface Attempt {
  readonly record: Rec;
  readonly nodes: readonly NodeVerdict[];
}

/** The scheduler's attempts at a pod, the last one first. */
export function attemptsOf(records: readonly Rec[], pod: Ref, count: number): Attempt[] {
  const out: Attempt[] = [];
  let parts: Rec[] = [];
  for (let i = 0; i < count; i++) {
    const r = records[i]!;
    if (!samePod(r.ref, pod) || !/^(kube-)?scheduler(\/|$)/.test(r.source)) continue;
    if (r.source.includes('/')) {
      parts.push(r);
      continue;
    }
    if (!ends(r)) continue;
    out.unshift({ record: r, nodes: nodesOf(r, parts) });
    parts = [];
  }
  return out;
}

const ends = (r: Rec): boolean =>
  r.stage === 'scheduled' && ['passed', 'changed', 'failed', 'denied', 'waiting'].includes(r.verdict);

const NOT_NODES = new Set(['node', 'plugin', 'score', 'scores', 'attempt', 'attempts', 'nominated', 'backoff']);

function nodesOf(r: Rec, parts: readonly Rec[]): NodeVerdict[] {
  const nodes = new Map<string, { plugin: string; text: string }[]>();
  for (const p of parts) {
    const plugin = p.source.split('/').slice(1).join('/');
    const node = p.detail?.find((d) => d.name === 'node')?.value;
    if (!node) continue;
    const refused = p.verdict === 'denied' || p.verdict === 'failed' || p.verdict === 'waiting';
    const list = nodes.get(node) ?? [];
    if (refused) list.push({ plugin, text: p.message ?? p.reason ?? '' });
    nodes.set(node, list);
  }
  for (const d of r.detail ?? []) {
    if (NOT_NODES.has(d.name) || nodes.has(d.name)) continue;
    nodes.set(d.name, d.value ? [{ plugin: '', text: d.value }] : []);
  }
  return [...nodes].map(([node, reasons]) => ({ node, fits: reasons.length === 0, reasons }));
}
