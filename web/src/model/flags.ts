// Names on the timeline, where there is room for them. Pure.
import type { Record as Rec } from '../protocol';
import { isWarning } from './trace';

export interface Flag {
  readonly id: number; readonly x: number; readonly text: string; readonly warning: boolean;
  readonly anchor: 'start' | 'middle' | 'end';
}

const CHAR = 7.3;
const GAP = 12;
/** A reason is named again only so far from where it was named before. */
const AGAIN = 240;

/** Event reasons from left to right; one that would touch the last is left out, warnings first. */
export function flagsOf(events: readonly Rec[], x: (at: number) => number, width: number): Flag[] {
  const taken: { text: string; from: number; to: number }[] = [];
  const out: Flag[] = [];
  for (const r of [...events.filter(isWarning), ...events.filter((e) => !isWarning(e))]) {
    if (!r.reason) continue;
    const size = r.reason.length * CHAR;
    const at = x(r.at);
    const from = Math.max(0, Math.min(at - size / 2, width - size));
    const near = (t: { text: string }): number => (t.text === r.reason ? AGAIN : GAP);
    if (taken.some((t) => from < t.to + near(t) && from + size > t.from - near(t))) continue;
    taken.push({ text: r.reason, from, to: from + size });
    out.push({ id: r.id, x: from, text: r.reason, warning: isWarning(r), anchor: 'start' });
  }
  return out;
}
