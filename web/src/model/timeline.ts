// Time as the page shows it: steps to walk by, a scale that gives short moments
// room beside long waits, and the pace of playing. Pure. Times are nanoseconds.
import type { Record as Rec } from '../protocol';
import { laneOf } from './stage';
import { isWarning, NS } from './trace';

/** A place in a run: a moment, and how many records have been seen. */
export interface Cursor { readonly at: number; readonly count: number; }

/** Consecutive records of one instant, lane and station: what one key press walks. */
export interface Step extends Cursor { readonly index: number; readonly warning: boolean; }

/** The steps of some records, given by their indices. */
export function stepsOf(records: readonly Rec[], indices: readonly number[]): Step[] {
  const steps: Step[] = [];
  let place = '';
  for (const i of indices) {
    const r = records[i]!;
    const here = `${laneOf(r)} ${r.stage ?? ''}`;
    const last = steps.at(-1);
    if (last && last.at === r.at && place === here) {
      steps[steps.length - 1] = { at: r.at, count: i + 1, index: i, warning: last.warning || isWarning(r) };
    } else {
      steps.push({ at: r.at, count: i + 1, index: i, warning: isWarning(r) });
    }
    place = here;
  }
  return steps;
}

/** The number of steps that the cursor has reached. */
export function reached(steps: readonly Step[], cursor: Cursor): number {
  let lo = 0;
  let hi = steps.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (steps[mid]!.count <= cursor.count) lo = mid + 1;
    else hi = mid;
  }
  return lo;
}

/** Where instants stand between 0 and 1. */
export interface Scale { readonly times: readonly number[]; readonly xs: readonly number[]; }

/** Waiting ten times as long takes about three more units of width. */
const width = (ns: number): number => 1 + Math.log2(1 + ns / (0.1 * NS));

export function scaleOf(instants: readonly number[], end: number): Scale {
  const times = [0];
  for (const t of instants) if (t > times.at(-1)!) times.push(t);
  if (end > times.at(-1)!) times.push(end);
  const xs = [0];
  for (let i = 1; i < times.length; i++) xs.push(xs[i - 1]! + width(times[i]! - times[i - 1]!));
  const total = xs.at(-1)! || 1;
  return { times, xs: xs.map((x) => x / total) };
}

export const xOf = (s: Scale, t: number): number => between(s.times, s.xs, t);
export const timeOf = (s: Scale, x: number): number => between(s.xs, s.times, x);

function between(from: readonly number[], to: readonly number[], v: number): number {
  let lo = 0;
  let hi = from.length - 1;
  if (hi < 1 || v <= from[0]!) return to[0]!;
  if (v >= from[hi]!) return to[hi]!;
  while (hi - lo > 1) {
    const mid = (lo + hi) >> 1;
    if (from[mid]! <= v) lo = mid;
    else hi = mid;
  }
  const span = from[hi]! - from[lo]!;
  return to[lo]! + ((to[hi]! - to[lo]!) * (v - from[lo]!)) / (span || 1);
}

const ROUND = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400];

/** Round moments that have at least `gap` of width to the label before. */
export function ticksOf(s: Scale, gap: number): { at: number; x: number }[] {
  const out = [{ at: 0, x: 0 }];
  const end = s.times.at(-1)!;
  const day = 86400;
  const round = [...ROUND];
  for (let d = 2; d * day * NS <= end && d < 400; d++) round.push(d * day);
  for (const seconds of round) {
    const at = seconds * NS;
    const x = xOf(s, at);
    if (at > end || 1 - x < gap / 4) break;
    if (x - out.at(-1)!.x >= gap) out.push({ at, x });
  }
  return out;
}

/** How long the page rests between two steps, in milliseconds of the reader's time. */
export function pace(from: Cursor, to: Cursor, speed: number): number {
  const real = (to.at - from.at) / 1e6;
  return Math.max(320, Math.min(1400, real)) / speed;
}
