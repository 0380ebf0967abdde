// The page itself: files, examples, links, language, theme.
import { batch } from '@preact/signals';
import { examples } from 'podwalk:examples';
import type { File, Mark, Ref, SchemaField } from '../protocol';
import { resembles } from '../model/select';
import type { Lang } from '../model/words';
import { decodeLink, encodeLink } from '../model/url';
import * as s from '../state';
import { given, runFiles, runShared } from './run';

export function loadFiles(files: readonly File[], id: string): void {
  batch(() => {
    s.files.value = files;
    s.activeFile.value = 0;
    s.example.value = id;
    s.origin.value = id;
    s.chosen.value = null;
    s.inspected.value = null;
    s.lintMarks.value = [];
    s.loaded.value++;
  });
}

export function pickExample(id: string): void {
  const found = examples.find((e) => e.id === id);
  if (!found) return;
  loadFiles(found.files.map((f) => ({ ...f })), id);
  forgetLink();
  runFiles({ play: false });
}

/** A link in the address bar no longer says what the page shows. */
function forgetLink(): void {
  if (location.hash) history.replaceState(null, '', location.pathname + location.search);
}

/** Shows the line of a mark in the editor. */
export function goToMark(m: Mark): void {
  const i = s.files.value.findIndex((f) => f.name === m.file);
  if (i >= 0) s.activeFile.value = i;
  s.wantFocus.value = { line: m.line, column: m.column };
}

type AskSchema = (apiVersion: string, kind: string, path: string) => Promise<SchemaField[]>;
let schema: AskSchema = () => Promise.resolve([]);
export const useSchema = (f: AskSchema): void => { schema = f; };
export const askSchema: AskSchema = (a, k, p) => schema(a, k, p);

function stillExample(): boolean {
  const original = examples.find((e) => e.id === s.origin.value)?.files[0];
  return original !== undefined && resembles(s.files.value[0]!.text, original.text);
}

/** The editor's text has changed: run it in the next frame. */
let due = 0;
export function edited(index: number, text: string): void {
  batch(() => {
    s.files.value = s.files.value.map((f, i) => (i === index ? { name: f.name, text } : f));
    s.example.value = '';
    if (!stillExample()) s.origin.value = '';
  });
  forgetLink();
  if (!due) due = setTimeout(() => { due = 0; runFiles({ play: false }); }, 0) as unknown as number;
}

export function addFile(): void {
  let n = s.files.value.length + 1;
  while (s.files.value.some((f) => f.name === `file-${n}.yaml`)) n++;
  batch(() => {
    s.files.value = [...s.files.value, { name: `file-${n}.yaml`, text: '' }];
    s.activeFile.value = s.files.value.length - 1;
    s.loaded.value++;
  });
}

export function renameFile(index: number, name: string): void {
  const clean = name.trim().replace(/[/\\]/g, '-').slice(0, 64);
  if (!clean || s.files.value.some((f, i) => i !== index && f.name === clean)) return;
  s.files.value = s.files.value.map((f, i) => (i === index ? { name: clean, text: f.text } : f));
  runFiles({ play: false });
}

export function removeFile(index: number): void {
  if (s.files.value.length < 2) return;
  batch(() => {
    s.files.value = s.files.value.filter((_, i) => i !== index);
    s.activeFile.value = Math.max(0, Math.min(s.activeFile.value - (index <= s.activeFile.value ? 1 : 0), s.files.value.length - 1));
    s.example.value = '';
    s.loaded.value++;
  });
  runFiles({ play: false });
}

/** Shows why a record came to be. */
export function ask(record: number): void {
  batch(() => {
    s.asked.value = record;
    s.tab.value = 'why';
  });
}

/** Follows a pod: line, map and panels are about it from now on. */
export function follow(pod: Ref): void {
  batch(() => {
    s.chosen.value = pod;
    s.inspected.value = null;
  });
}

/** Shows what kubectl describes of an object that is no pod. */
export function inspect(object: Ref): void {
  batch(() => {
    s.inspected.value = object;
    if (s.tab.value !== 'yaml') s.tab.value = 'describe';
  });
}

/** Puts the link into the address bar and, where allowed, on the clipboard. */
export async function share(): Promise<void> {
  const fragment = await encodeLink({
    files: s.files.value, inputs: given(), branch: s.branch.value,
    cursor: s.atEnd.value ? -1 : s.cursor.value.at,
  });
  history.replaceState(null, '', `#${fragment}`);
  try {
    await navigator.clipboard.writeText(location.href);
    tell(s.words.value.copied);
  } catch {
    tell(s.words.value.inAddress);
  }
}

/** Loads the scenario of the address bar; false if it holds none. */
export async function openLink(): Promise<boolean> {
  try {
    const shared = await decodeLink(location.hash);
    if (!shared) return false;
    loadFiles(shared.files, '');
    runShared(shared);
    return true;
  } catch {
    tell(s.words.value.badLink);
    return false;
  }
}

let timer = 0;
export function tell(message: string): void {
  s.notice.value = message;
  clearTimeout(timer);
  timer = setTimeout(() => { s.notice.value = ''; }, 4000) as unknown as number;
}

export function setLang(lang: Lang): void {
  s.lang.value = lang;
  keep('lang', lang);
}

export function nextTheme(): void {
  const order: s.Theme[] = ['auto', 'light', 'dark'];
  s.theme.value = order[(order.indexOf(s.theme.value) + 1) % order.length]!;
  keep('theme', s.theme.value);
}

export function downloadScenario(text: string): void {
  const a = document.createElement('a');
  a.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  a.download = 'scenario.txt';
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

export function recall(): void {
  const lang = kept('lang') ?? (navigator.language.startsWith('zh') ? 'zh' : 'en');
  s.lang.value = lang === 'zh' ? 'zh' : 'en';
  const theme = kept('theme');
  s.theme.value = theme === 'light' || theme === 'dark' ? theme : 'auto';
}

function keep(key: string, value: string): void {
  try {
    localStorage.setItem(`podwalk:${key}`, value);
  } catch {
    // A browser may forbid storage; the choice then lasts as long as the page.
  }
}

function kept(key: string): string | null {
  try {
    return localStorage.getItem(`podwalk:${key}`);
  } catch {
    return null;
  }
}
