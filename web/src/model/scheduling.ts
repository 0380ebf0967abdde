// What the scheduler's records say of each node. Pure.
import type { Record as Rec, Ref } from '../protocol';
import { chosenNode, detail, ofOneNode, samePod } from './trace';

export interface NodeVerdict {
  readonly node: string;
  readonly fits: boolean;
  /** The plugins that refused the node, or those that scored it. */
  readonly plugin: string;
  /** The real text of a refusal, or the score. */
  readonly text: string;
}

export interface Attempt {
  readonly record: Rec;
  readonly chosen: string;
  readonly nodes: readonly NodeVerdict[];
}

/** The scheduler's attempts at a pod, the last one first. */
export function attemptsOf(records: readonly Rec[], pod: Ref, count: number): Attempt[] {
  const out: Attempt[] = [];
  let refusals: Rec[] = [];
  for (let i = 0; i < count; i++) {
    const r = records[i]!;
    if (r.source !== 'scheduler' || r.stage !== 'scheduled' || !samePod(r.ref, pod)) continue;
    if (ofOneNode(r)) {
      refusals.push(r);
      continue;
    }
    const nodes = [...scores(r), ...refusals.map(refusal)];
    if (nodes.length > 0 || chosenNode(r)) out.unshift({ record: r, chosen: chosenNode(r) ?? '', nodes });
    refusals = [];
  }
  return out;
}

function refusal(r: Rec): NodeVerdict {
  return { node: detail(r, 'node')!, fits: false, plugin: r.reason ?? '', text: r.message ?? '' };
}

const SCORE = 'score ';

function scores(r: Rec): NodeVerdict[] {
  return (r.detail ?? []).filter((d) => d.name.startsWith(SCORE))
    .map((d) => ({ node: d.name.slice(SCORE.length), fits: true, plugin: '', text: d.value }));
}
