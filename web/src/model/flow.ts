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
  /** The record of the pod's deletion, if it is gone. */
  readonly gone: Rec | null;
  /** What Kubernetes itself prints about that: an Event of the record, else the record's own message. */
  readonly message: string;
}

const MARKS: { [verdict: string]: Mark } = {
  passed: 'well', changed: 'well', info: 'moving', assumed: 'well',
  waiting: 'waiting', denied: 'failed', failed: 'failed', 'not simulated': 'passed',
};

/** What the whole run says of a pod's line, wherever the cursor is. */
export interface Shape {
  /** The stations at which the pod stops at some time. */
  readonly stops: ReadonlySet<Stage>;
  /** The names of its init containers. */
  readonly inits: ReadonlySet<string>;
}

export function shapeOf(records: readonly Rec[], indices: readonly number[]): Shape {
  const own = indices.map((i) => records[i]!);
  const inits = new Set<string>();
  for (const r of own) {
    const name = /^spec\.initContainers\{(.+)\}$/.exec(detail(r, 'field') ?? '')?.[1];
    if (name) inits.add(name);
  }
  return { inits, stops: new Set(own.map((r) => stationOf(r, inits)).filter((x) => x !== null)) };
}

/** The line of a pod from the first `count` records of a run. */
export function lineOf(records: readonly Rec[], indices: readonly number[], count: number, shape = shapeOf(records, indices)): Line {
  const last = new Map<Stage, Rec>();
  const ends = new Ends();
  let here = -1;
  let gone: Rec | null = null;
  for (const i of indices) {
    if (i >= count) break;
    const r = ends.see(records[i]!);
    if (r?.source === 'etcd' && r.reason === 'Deleted') gone = r;
    const stage = r && stationOf(r, shape.inits);
    if (!r || !stage || isNote(r, last.get(stage))) continue;
    if (REQUEST.has(stage) && last.has('stored')) {
      if (!gone) continue;
      last.clear();
      gone = null;
    }
    last.set(stage, r);
    here = STAGES.indexOf(stage);
  }
  here = gone ? -1 : firstTrouble(last, here);
  const record = gone ?? (here < 0 ? null : last.get(STAGES[here]!)!);
  return {
    stations: STAGES.map((stage, i) => station(stage, i, gone ? STAGES.length : here, last, shape)), here, record, gone,
    message: messageOf(records, indices, count, record),
  };
}

/** Requests about a pod that is stored already leave it where it is on its line. */
const REQUEST: ReadonlySet<Stage> = new Set(['submitted', 'authorised', 'admitted', 'stored'] as const);

/**
 * Follows how containers end: one that was told to stop has not failed, and a pod
 * whose work is done, or that has to end, is not unready because something is wrong.
 */
class Ends {
  private readonly stopped = new Set<string>();
  private done: Rec | null = null;
  private ending = false;

  /** The record that counts in place of `r`; null if none does. */
  see(r: Rec): Rec | null {
    const id = detail(r, 'id') ?? '';
    if (r.reason === 'StopContainer') this.stopped.add(id);
    if (r.stage === 'ready' && r.verdict === 'failed' && this.done) return { ...this.done, stage: 'ready', verdict: 'passed' };
    if (r.stage === 'ready' && r.verdict === 'failed' && this.ending) return { ...r, verdict: 'waiting' };
    const code = r.stage === 'ended' ? detail(r, 'exit code') : undefined;
    if (r.stage === 'started' || code !== undefined) {
      this.ending = code !== undefined && this.stopped.has(id);
      this.done = code === '0' && !this.ending ? r : null;
    }
    return code !== undefined && this.ending ? null : r;
  }
}

function messageOf(records: readonly Rec[], indices: readonly number[], count: number, r: Rec | null): string {
  if (!r) return '';
  const events = indices.filter((i) => i < count).map((i) => records[i]!).filter((e) => isEvent(e) && e.cause === r.id);
  const told = events.find(isWarning) ?? events[0];
  const code = detail(r, 'exit code');
  return (told?.message ?? r.message ?? '') + (code === undefined ? '' : `, exit code ${code}`);
}

/** A pod that fails at one station is unready because it failed at an earlier one. */
function firstTrouble(last: ReadonlyMap<Stage, Rec>, here: number): number {
  if (here < 0 || markOf(last.get(STAGES[here]!)!) !== 'failed') return here;
  const first = STAGES.findIndex((stage) => last.has(stage) && markOf(last.get(stage)!) === 'failed');
  return Math.min(here, first);
}

/** Waiting that follows a failure or a refusal has the sign of a failure. */
function markOf(r: Rec): Mark {
  if (r.verdict === 'waiting' && /BackOff$|^Unschedulable$/.test(r.reason ?? '')) return 'failed';
  return MARKS[r.verdict] ?? 'moving';
}

/** A container that ended badly stands at the station where it was started; init containers have one of their own. */
function stationOf(r: Rec, inits: ReadonlySet<string>): Stage | null {
  if (isEvent(r) || (r.stage === 'ended' && r.verdict !== 'failed')) return null;
  const stage = r.stage === 'ended' ? 'started' : r.stage;
  if (stage === 'started' && inits.has(detail(r, 'container') ?? '')) return 'init';
  return STAGES.find((x) => x === stage) ?? null;
}

/** Facts that are no verdict on the station: one node's refusal, a look at the node's images, an assumption. */
function isNote(r: Rec, before: Rec | undefined): boolean {
  if (ofOneNode(r) || r.reason === 'ImageStatus') return true;
  if (!before) return false;
  return r.verdict === 'assumed' || r.verdict === 'not simulated' || r.verdict === 'info';
}

/** A station behind the present place is passed without a stop if the pod never stops there. */
function station(stage: Stage, i: number, here: number, last: ReadonlyMap<Stage, Rec>, shape: Shape): Station {
  const record = last.get(stage) ?? null;
  let mark: Mark = 'ahead';
  if (record) mark = i < here && record.verdict === 'info' ? 'well' : markOf(record);
  else if (i < here && here < STAGES.length && !shape.stops.has(stage)) mark = 'passed';
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
