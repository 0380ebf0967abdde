// The line of stations of one pod, read from its records. Pure.
import type { Record as Rec, Ref } from '../protocol';
import { chosenNode, detail, isEvent, isWarning, ofOneNode, STAGES, type Stage } from './trace';

/** Hollow, half filled, filled, octagon, or passed without a stop. */
export type Mark = 'ahead' | 'waiting' | 'moving' | 'well' | 'failed' | 'passed';

export interface Station {
  readonly stage: Stage;
  readonly mark: Mark;
  /** The last record at this station, which says why. */
  readonly record: Rec | null;
  readonly here: boolean;
}

export interface Line {
  readonly stations: readonly Station[];
  /** Index of the present place, or -1 before the first record. */
  readonly here: number;
  /** The record that says where the pod is now. */
  readonly record: Rec | null;
  /** What Kubernetes itself prints about that: an Event of the record, else the record's own message. */
  readonly message: string;
}

const MARKS: { [verdict: string]: Mark } = {
  passed: 'well', changed: 'well', info: 'moving', assumed: 'well',
  waiting: 'waiting', denied: 'failed', failed: 'failed', 'not simulated': 'passed',
};

/** The line of a pod from the first `count` records of a run. */
export function lineOf(records: readonly Rec[], indices: readonly number[], count: number): Line {
  const last = new Map<Stage, Rec>();
  const stops = new Set(indices.map((i) => stationOf(records[i]!)));
  let here = -1;
  for (const i of indices) {
    if (i >= count) break;
    const r = records[i]!;
    const stage = stationOf(r);
    const at = stage ? STAGES.indexOf(stage) : -1;
    if (!stage || at < 0 || isNote(r, last.get(stage))) continue;
    last.set(stage, r);
    here = at;
  }
  here = firstTrouble(last, here);
  const record = here < 0 ? null : last.get(STAGES[here]!)!;
  return { stations: STAGES.map((stage, i) => station(stage, i, here, last, stops)), here, record, message: messageOf(records, indices, count, record) };
}

function messageOf(records: readonly Rec[], indices: readonly number[], count: number, r: Rec | null): string {
  if (!r) return '';
  const events = indices.filter((i) => i < count).map((i) => records[i]!).filter((e) => isEvent(e) && e.cause === r.id);
  const told = events.find(isWarning) ?? events[0];
  const code = r.stage === 'ended' ? detail(r, 'exit code') : undefined;
  return (told?.message ?? r.message ?? '') + (code === undefined ? '' : `, exit code ${code}`);
}

/** A pod that fails at one station is unready because it failed at an earlier one. */
function firstTrouble(last: ReadonlyMap<Stage, Rec>, here: number): number {
  if (here < 0 || markOf(last.get(STAGES[here]!)!) !== 'failed') return here;
  const first = STAGES.findIndex((stage) => last.has(stage) && markOf(last.get(stage)!) === 'failed');
  return Math.min(here, first);
}

/** Waiting that follows a failure or a refusal has the sign of a failure; the end of the work is no failure. */
function markOf(r: Rec): Mark {
  if (r.reason === 'PodCompleted') return 'well';
  if (r.verdict === 'waiting' && /BackOff$|^Unschedulable$/.test(r.reason ?? '')) return 'failed';
  return MARKS[r.verdict] ?? 'moving';
}

/** A container that ended badly stands at the station where it was started. */
function stationOf(r: Rec): Stage | null {
  if (r.stage === 'ended') return r.verdict === 'failed' ? 'started' : null;
  return (r.stage as Stage | undefined) ?? null;
}

/** Facts that are no verdict on the station: one node's refusal, a look at the node's images, an assumption, an Event. */
function isNote(r: Rec, before: Rec | undefined): boolean {
  if (ofOneNode(r) || r.reason === 'ImageStatus') return true;
  if (!before) return false;
  return isEvent(r) || r.verdict === 'assumed' || r.verdict === 'not simulated' || r.verdict === 'info';
}

/** A station behind the present place is passed without a stop if the pod never stops there. */
function station(stage: Stage, i: number, here: number, last: ReadonlyMap<Stage, Rec>, stops: ReadonlySet<Stage | null>): Station {
  const record = last.get(stage) ?? null;
  let mark: Mark = 'ahead';
  if (record) mark = i < here && record.verdict === 'info' ? 'well' : markOf(record);
  else if (i < here && !stops.has(stage)) mark = 'passed';
  return { stage, mark, record, here: i === here };
}

/**
 * For each pod the indices of its records, in order. A request has no name before
 * it is decoded: the nameless causes of a pod's first record belong to it too.
 */
export function indexPods(records: readonly Rec[]): Map<string, number[]> {
  const out = new Map<string, number[]>();
  const place = new Map(records.map((r, i) => [r.id, i]));
  records.forEach((r, i) => {
    if (r.ref.kind !== 'Pod' || !r.ref.name) return;
    const key = podKey(r.ref);
    const list = out.get(key);
    if (list) list.push(i);
    else out.set(key, [...namelessCauses(records, place, r), i]);
  });
  return out;
}

function namelessCauses(records: readonly Rec[], place: ReadonlyMap<number, number>, r: Rec): number[] {
  const found: number[] = [];
  for (let id = r.cause; id; ) {
    const i = place.get(id);
    const cause = i === undefined ? undefined : records[i];
    if (i === undefined || !cause || cause.ref.name) break;
    found.unshift(i);
    id = cause.cause;
  }
  return found;
}

export const podKey = (ref: Ref): string => `${ref.namespace ?? ''}/${ref.name}`;

/** The node of a pod at a record count: from the records only. */
export function nodeAt(records: readonly Rec[], indices: readonly number[], count: number): string {
  let node = '';
  for (const i of indices) {
    if (i >= count) break;
    node = chosenNode(records[i]!) ?? told(records[i]!) ?? node;
  }
  return node;
}

function told(r: Rec): string | undefined {
  if (r.reason !== 'Scheduled' || !isEvent(r)) return undefined;
  return /^Successfully assigned \S+ to (\S+)$/.exec(r.message ?? '')?.[1];
}
