// The keys of the page. Where text is typed they are left alone.
import * as s from '../state';
import { toEnd, toggle, toStart, walk } from './play';
import { runFiles } from './run';

export function keyPressed(e: KeyboardEvent): void {
  if ((e.ctrlKey || e.metaKey) && e.key === 'Enter') {
    e.preventDefault();
    runFiles({ play: true });
    return;
  }
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || s.helping.value) return;
  const target = e.composedPath()[0] as HTMLElement;
  if (types(target)) return;
  if (e.key === ' ' && /^(BUTTON|SELECT|INPUT|SUMMARY|A)$/.test(target.tagName)) return;
  if (/^(SELECT|INPUT)$/.test(target.tagName)) return;
  const act = actOf(e.key);
  if (!act) return;
  e.preventDefault();
  act();
}

function types(el: HTMLElement): boolean {
  if (el.isContentEditable || el.tagName === 'TEXTAREA') return true;
  return el.tagName === 'INPUT' && !['checkbox', 'radio', 'button'].includes((el as HTMLInputElement).type);
}

function actOf(key: string): (() => void) | undefined {
  const panel = s.TABS[Number(key) - 1];
  if (panel && /^[1-9]$/.test(key)) return () => { s.tab.value = panel; };
  const acts: { [key: string]: () => void } = {
    ArrowLeft: () => walk(-1), ArrowRight: () => walk(1), Home: toStart, End: toEnd, ' ': toggle,
    '?': () => { s.helping.value = true; }, p: () => { s.presenting.value = !s.presenting.value; },
    Escape: () => { s.presenting.value = false; }, e: focusEditor, k: () => focusLater('kubectl'),
  };
  return acts[key];
}

function focusEditor(): void {
  s.presenting.value = false;
  if (s.narrow.value) s.tab.value = 'editor';
  setTimeout(() => document.getElementById('editor')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')?.focus());
}

function focusLater(id: string): void {
  s.presenting.value = false;
  if (s.narrow.value) s.tab.value = 'editor';
  setTimeout(() => document.getElementById(id)?.focus());
}
