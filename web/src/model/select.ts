// Which pods a run has, and which of them the page follows.
import type { Record as Rec, Ref } from '../protocol';
import { refKey, samePod, STAGES } from './trace';

/** The pods of a run in the order in which they first appear. */
export function podsOf(records: readonly Rec[]): Ref[] {
  const seen = new Map<string, Ref>();
  for (const r of records) {
    if (r.ref.kind !== 'Pod' || !r.ref.name) continue;
    const key = refKey(r.ref);
    if (!seen.has(key)) seen.set(key, r.ref);
  }
  return [...seen.values()];
}

/**
 * The pod that the page follows: the one the user chose if it is there, else the
 * first that has stopped somewhere, else the first.
 */
export function followed(pods: readonly Ref[], records: readonly Rec[], chosen: Ref | null): Ref | null {
  if (chosen) {
    const same = pods.find((p) => samePod(p, chosen));
    if (same) return same;
  }
  const verdicts = new Map<string, string>();
  for (const r of records) {
    if (r.ref.kind === 'Pod' && isStation(r.stage)) verdicts.set(refKey(r.ref), r.verdict);
  }
  const stopped = pods.find((p) => ['failed', 'denied', 'waiting'].includes(verdicts.get(refKey(p)) ?? ''));
  return stopped ?? pods[0] ?? null;
}

const isStation = (stage: string | undefined): boolean =>
  stage !== undefined && (STAGES as readonly string[]).includes(stage);

/** Whether an edited text still is a version of another: half of its lines are there. */
export function resembles(text: string, original: string): boolean {
  const lines = original.split('\n').filter((l) => l.trim());
  const now = new Set(text.split('\n'));
  return lines.filter((l) => now.has(l)).length * 2 >= lines.length;
}
