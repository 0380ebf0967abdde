// Records for tests, with the parts that a test does not care about filled in.
import type { Record as Rec, Ref } from '../../src/protocol';

export const web: Ref = { kind: 'Pod', namespace: 'default', name: 'web' };
export const seconds = (s: number): number => Math.round(s * 1e9);

/** A record at a second; its id is its place in the list that `trace` makes. */
export function rec(at: number, source: string, rest: Partial<Rec> = {}): Rec {
  return { id: 0, at: seconds(at), source, ref: web, verdict: 'passed', ...rest };
}

export function trace(...records: Rec[]): Rec[] {
  return records.map((r, i) => ({ ...r, id: i + 1 }));
}

export function event(at: number, reason: string, from: string, type = 'Normal'): Rec {
  return rec(at, 'event', { verdict: 'info', reason, message: reason, detail: [{ name: 'type', value: type }, { name: 'from', value: from }, { name: 'count', value: '1' }] });
}
