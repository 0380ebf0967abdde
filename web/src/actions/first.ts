// Shows the result that was computed when the page was built, until the
// simulator has loaded and says the same.
import { batch } from '@preact/signals';
import type { first as First } from 'podwalk:first';
import { advanceRun, emptyRun } from '../model/trace';
import * as s from '../state';
import { sayApply } from './run';

export function showFirst(f: NonNullable<typeof First>): void {
  batch(() => {
    s.ahead.value = true;
    s.branch.value = f.open.branch;
    s.runs.value = new Map([[f.open.branch, advanceRun(emptyRun(f.open.branch), f.progress)]]);
    s.applies.value = f.open.apply;
    s.said.value = sayApply(s.files.value, f.open.apply);
    s.cluster.value = f.state;
  });
}

/** The text of a panel from the computed result. */
export function textAhead(f: typeof First, tab: s.Tab, pod: string): { out: string; err: string; exit: number } | null {
  const found = tab === 'describe' ? f?.describe[pod] : undefined;
  return found ? { out: found.stdout, err: found.stderr, exit: found.exit } : null;
}
