// A scenario as a URL fragment: deflated JSON in base64url. Pure but for the
// platform's compression streams, which node has too.
import type { File } from '../protocol';

/** One input after the files: what was done, when, and on which branch. */
export interface Input { readonly op: 'do'; readonly branch: string; readonly argv: readonly string[]; readonly at?: number; }

/** All that a link holds. `cursor` is in nanoseconds; -1 is the end of the run. */
export interface Shared {
  readonly files: readonly File[];
  readonly inputs: readonly Input[];
  readonly branch: string;
  readonly cursor: number;
}

const LIMIT_LINK = 512 * 1024;
const LIMIT_TEXT = 8 * 1024 * 1024;

/** The fragment, without the "#". */
export async function encodeLink(s: Shared): Promise<string> {
  const short = {
    v: 1, f: s.files.map((f) => [f.name, f.text]), b: s.branch, t: s.cursor,
    i: s.inputs.map((i) => (i.at === undefined ? [i.branch, i.argv] : [i.branch, i.argv, i.at])),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(short));
  return `s=${toBase64(await pump(bytes, new CompressionStream('deflate-raw')))}`;
}

/** The scenario of a fragment; null if it holds none. Throws on a damaged one. */
export async function decodeLink(fragment: string): Promise<Shared | null> {
  const found = /(?:^#?|&)s=([A-Za-z0-9_-]+)/.exec(fragment);
  if (!found) return null;
  if (found[1]!.length > LIMIT_LINK) throw new Error('the link is too long');
  const bytes = await pump(fromBase64(found[1]!), new DecompressionStream('deflate-raw'));
  return checked(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
}

function checked(v: unknown): Shared {
  const s = v as { v: unknown; f: unknown; b: unknown; t: unknown; i: unknown };
  if (s?.v !== 1 || !Array.isArray(s.f)) throw new Error('not a Podwalk link');
  const files = s.f.map((f: unknown) => {
    if (!Array.isArray(f) || typeof f[0] !== 'string' || typeof f[1] !== 'string') throw new Error('not a Podwalk link');
    return { name: f[0], text: f[1] };
  });
  if (files.length === 0 || files.length > 64) throw new Error('not a Podwalk link');
  const inputs = (Array.isArray(s.i) ? s.i : []).map(checkedInput);
  return {
    files, inputs, branch: typeof s.b === 'string' ? s.b : 'main',
    cursor: typeof s.t === 'number' && Number.isFinite(s.t) ? s.t : -1,
  };
}

function checkedInput(v: unknown): Input {
  if (!Array.isArray(v) || typeof v[0] !== 'string' || !Array.isArray(v[1])) throw new Error('not a Podwalk link');
  const argv = v[1].map(String);
  return typeof v[2] === 'number' ? { op: 'do', branch: v[0], argv, at: v[2] } : { op: 'do', branch: v[0], argv };
}

async function pump(bytes: Uint8Array, through: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const writer = through.writable.getWriter();
  const written = writer.write(bytes as BufferSource).then(() => writer.close());
  written.catch(() => undefined);
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = through.readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value as Uint8Array);
    size += (value as Uint8Array).length;
    if (size > LIMIT_TEXT) {
      await reader.cancel().catch(() => undefined);
      throw new Error('the link is too long');
    }
  }
  await written;
  return joined(parts, size);
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const out = new Uint8Array(size);
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

function toBase64(bytes: Uint8Array): string {
  let s = '';
  for (let i = 0; i < bytes.length; i += 0x8000) s += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(s).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function fromBase64(s: string): Uint8Array {
  const bin = atob(s.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(bin, (c) => c.charCodeAt(0));
}
