// Marks of a run and of the schemas as diagnostics of the editor.
import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Mark } from '../protocol';

const MOST = 200;

/** Diagnostics for the marks of one file; places outside the text are moved into it. */
export function diagnosticsOf(doc: Text, marks: readonly Mark[], file: string): Diagnostic[] {
  return marks.filter((m) => m.file === file).slice(0, MOST).map((m) => one(doc, m)).sort((a, b) => a.from - b.from);
}

function one(doc: Text, m: Mark): Diagnostic {
  const line = doc.line(clamp(m.line, 1, doc.lines));
  const text = line.text;
  const indent = text.length - text.trimStart().length;
  const from = line.from + (m.column > 0 ? clamp(m.column - 1, 0, text.length) : indent);
  return { from, to: Math.max(from, endOf(doc, m, from)), severity: severity(m.severity), message: m.message };
}

function endOf(doc: Text, m: Mark, from: number): number {
  const line = doc.line(clamp(m.endLine ?? m.line, 1, doc.lines));
  if (m.endColumn && m.endColumn > 0) return line.from + clamp(m.endColumn - 1, 0, line.length);
  const rest = line.text.slice(Math.max(0, from - line.from));
  const word = /^[^\s:#]+/.exec(rest)?.[0].length ?? rest.trimEnd().length;
  return Math.max(from, Math.min(line.to, from + word));
}

function severity(s: string): Diagnostic['severity'] {
  return s === 'warning' || s === 'info' ? s : 'error';
}

const clamp = (v: number, lo: number, hi: number): number => Math.max(lo, Math.min(hi, v));
