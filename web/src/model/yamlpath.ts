// Where in a manifest a line is: its document's kind and the path of fields above
// it (an item of a list as [0]), read from the indentation. Pure; good enough for hints, never for answers.

export interface Place { readonly apiVersion: string; readonly kind: string; readonly path: readonly string[]; }

const KEY = /^(\s*(?:- +)*)([A-Za-z_][\w.-]*|"[^"]*")\s*:(?:\s|$)/;

/** The place of `index` (from 0), for a cursor at column `column` of that line. */
export function placeAt(lines: readonly string[], index: number, column: number): Place {
  let first = index;
  while (first > 0 && !/^---(\s|$)/.test(lines[first - 1] ?? '')) first--;
  let last = index;
  while (last + 1 < lines.length && !/^---(\s|$)/.test(lines[last + 1]!)) last++;
  const doc = lines.slice(first, last + 1);
  return { apiVersion: top(doc, 'apiVersion'), kind: top(doc, 'kind'), path: pathAbove(lines, first, index, column) };
}

function top(doc: readonly string[], key: string): string {
  for (const l of doc) {
    const m = new RegExp(`^${key}:\\s*["']?([\\w./-]+)`).exec(l);
    if (m) return m[1]!;
  }
  return '';
}

/** Walks upwards; `limit` is what the indentation of the next field above must be less than. */
function pathAbove(lines: readonly string[], first: number, index: number, column: number): string[] {
  const path: string[] = [];
  let limit = limitOf(lines[index] ?? '', column);
  let item = /^\s*-/.test((lines[index] ?? '').slice(0, column));
  for (let i = index - 1; i >= first && limit > 0; i--) {
    const m = KEY.exec(lines[i]!);
    if (!m) continue;
    const key = m[1]!.length;
    const dash = m[1]!.indexOf('-');
    if (key < limit) {
      path.unshift(m[2]!.replace(/"/g, '') + (item ? '[0]' : ''));
      limit = dash >= 0 ? dash + 1 : key;
      item = dash >= 0;
    } else if (dash >= 0 && dash < limit) {
      limit = dash + 1;
      item = true;
    }
  }
  return path;
}

/** The parent of a list may stand at the column of its dashes. */
function limitOf(line: string, column: number): number {
  const lead = /^\s*(?:- +)*/.exec(line)![0].slice(0, column);
  const dash = lead.indexOf('-');
  return dash >= 0 ? dash + 1 : lead.length;
}
