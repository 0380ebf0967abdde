import { goToMark } from '../actions/page';
import * as s from '../state';
import { Glyph } from './Glyph';

const SHOWN = 50;

/** Every mark of the editor in words, with the way to its line. */
export function Problems() {
  const w = s.words.value;
  const list = s.marks.value;
  if (list.length === 0) return null;
  return (
    <ul class="problems" tabIndex={0} aria-label={w.problems}>
      {list.slice(0, SHOWN).map((m, i) => (
        <li key={i}>
          <button type="button" class="link mono" onClick={() => goToMark(m)} aria-label={`${w.goLine} ${m.line}`}>
            <Glyph mark={m.severity === 'error' ? 'failed' : 'waiting'} size={14} />{s.files.value.length > 1 ? `${m.file}:` : ''}{m.line}</button>
          <span class="mono">{m.message}</span>
        </li>
      ))}
    </ul>
  );
}
