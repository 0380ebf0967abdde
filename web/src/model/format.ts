// Numbers as people read them. Pure.
import { NS } from './trace';

/** A moment of the run as a clock: 00:12.4, or 1:02:03 from an hour on. */
export function clock(ns: number): string {
  const tenths = Math.floor(ns / (NS / 10) + 1e-6);
  const s = Math.floor(tenths / 10);
  const two = (n: number): string => String(n).padStart(2, '0');
  const minutes = Math.floor(s / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(s % 60)}`;
  return `${two(minutes)}:${two(s % 60)}.${tenths % 10}`;
}

/** A short moment: 40 ms, 1.42 s, 3m20s, 2h. */
export function brief(ns: number): string {
  const s = ns / NS;
  if (s < 0.9995) return `${Math.round(s * 1000)} ms`;
  if (s < 10) return `${trim(s.toFixed(2))} s`;
  if (s < 60) return `${trim(s.toFixed(1))} s`;
  const whole = Math.round(s);
  const parts: [number, string][] = [[86400, 'd'], [3600, 'h'], [60, 'm'], [1, 's']];
  let rest = whole;
  let out = '';
  for (const [size, unit] of parts) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) out += `${n}${unit}`;
  }
  return out;
}

const trim = (n: string): string => n.replace(/\.?0+$/, '');

/** Bytes with a binary unit: 512Mi, 8Gi. */
export function bytes(n: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
  let i = 0;
  let v = n;
  while (v >= 1024 && i < units.length - 1) {
    v /= 1024;
    i++;
  }
  return `${trim(v.toFixed(v < 10 ? 2 : v < 100 ? 1 : 0) + (v < 100 ? '' : '.0'))}${units[i]}`;
}

/** Thousandths of a core: 250m, 1.5, 4. */
export function cores(milli: number): string {
  if (milli > 0 && milli < 1000) return `${milli}m`;
  return trim((milli / 1000).toFixed(2));
}

/** The share of a room that is used, between 0 and 1. */
export function share(room: { used: number; capacity: number }): number {
  if (room.capacity <= 0) return 0;
  return Math.max(0, Math.min(1, room.used / room.capacity));
}

/** The number of bytes in steps of a tenth of a megabyte, for a download. */
export const megabytes = (n: number): string => `${(n / 1e6).toFixed(1)} MB`;
