// Moving the cursor: by step, by moment, by playing.
import { batch } from '@preact/signals';
import { pace, reached, type Cursor, type Step } from '../model/timeline';
import { countAt } from '../model/trace';
import * as s from '../state';

const START: Cursor = { at: 0, count: 0 };
let frame = 0;
let hops = 0;

export const still = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Puts the cursor at a moment, at once. */
export function seek(at: number): void {
  stop();
  const t = Math.max(0, Math.min(at, s.end.value));
  set({ at: t, count: countAt(s.records.value, t) }, null);
}

export const toStart = (): void => { stop(); set(START, null); };
export const toEnd = (): void => { stop(); set(endCursor(), null); };
export const endCursor = (): Cursor => ({ at: s.end.value, count: s.records.value.length });

/** Puts the cursor just after a record. */
export function toRecord(id: number): void {
  stop();
  const i = s.records.value.findIndex((r) => r.id === id);
  if (i >= 0) set({ at: s.records.value[i]!.at, count: i + 1 }, null);
}

/** Walks one step on or back; the token follows a step onwards. */
export function walk(by: 1 | -1): void {
  stop();
  if (by === 1) {
    const next = s.steps.value[s.step.value];
    if (next) hopTo(next, 300);
    else if (!s.atEnd.value) set(endCursor(), null);
    return;
  }
  const inside = s.cursor.value.count > (s.steps.value[s.step.value - 1]?.count ?? 0);
  const before = s.steps.value[s.step.value - (inside ? 1 : 2)];
  set(before ? { at: before.at, count: before.count } : START, null);
}

export function toggle(): void {
  if (s.playing.value) stop();
  else play();
}

/** Plays from the cursor; from the start if the cursor is at the end. */
export function play(): void {
  stop();
  if (s.atEnd.value) set(START, null);
  s.playing.value = true;
  rest(performance.now());
}

export function stop(): void {
  cancelAnimationFrame(frame);
  batch(() => {
    s.playing.value = false;
    s.glide.value = null;
  });
}

/** The next step of the followed pod; after its last one, of anything else. */
function nextStep(): Step | undefined {
  const all = s.allSteps;
  return s.steps.value[s.step.value] ?? all.value[reached(all.value, s.cursor.value)];
}

/** Lets the clock run from the step that was reached to the next, then hops there. */
function rest(since: number): void {
  const next = nextStep();
  const to = next ?? endCursor();
  const from = s.cursor.value;
  const ms = pace(from, to, s.speed.value);
  const turn = (now: number): void => {
    const share = Math.min(1, (now - since) / ms);
    if (share < 1) {
      if (!still()) s.glide.value = from.at + (to.at - from.at) * share;
      frame = requestAnimationFrame(turn);
    } else if (next) {
      hopTo(next, Math.min(300, ms * 0.9));
      rest(since + ms);
    } else {
      set(to, null);
      stop();
    }
  };
  frame = requestAnimationFrame(turn);
}

function hopTo(next: Step, ms: number): void {
  const from = s.place.value;
  const to = s.placeAt(next.count);
  const moves = from && to && !still() && (from.lane !== to.lane || from.node !== to.node);
  set({ at: next.at, count: next.count }, moves ? { from, to, ms, serial: ++hops } : null);
}

function set(cursor: Cursor, hop: s.Hop | null): void {
  batch(() => {
    s.glide.value = null;
    s.cursor.value = cursor;
    s.hop.value = hop;
  });
}
