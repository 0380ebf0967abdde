import { examples } from 'podwalk:examples';
import { nextTheme, pickExample, setLang, share } from '../actions/page';
import { runFiles } from '../actions/run';
import * as s from '../state';
import { Icon } from './Glyph';
import { Transport } from './Transport';

export function TopBar() {
  const w = s.words.value;
  return (
    <header class="bar">
      <h1 class="brand"><Mark />{w.title}</h1>
      <label class="pick">
        <span class="hidden">{w.example}</span>
        <select id="example" value={s.example.value} onChange={(e) => pickExample(e.currentTarget.value)}>
          {s.example.value === '' && <option value="">{w.own}</option>}
          {examples.map((e) => <option key={e.id} value={e.id}>{s.lang.value === 'zh' ? e.zh.title : e.title}</option>)}
        </select>
      </label>
      <button id="run" class="main" type="button" onClick={() => runFiles({ play: true })} title="Ctrl+Enter">{w.run}</button>
      {!s.narrow.value && <Transport />}
      <span class="spring" />
      <button type="button" onClick={() => void share()}>{w.share}</button>
      {!s.narrow.value && <IconButton icon="present" label={s.presenting.value ? w.leavePresent : w.present} on={s.presenting.value}
        onClick={() => { s.presenting.value = !s.presenting.value; }} />}
      <Languages />
      <IconButton icon={s.theme.value} label={`${w.theme}: ${themeName()}`} onClick={nextTheme} />
      {!s.narrow.value && <IconButton icon="keys" label={w.keys} onClick={() => { s.helping.value = true; }} />}
    </header>
  );
}

function themeName(): string {
  const w = s.words.value;
  return { auto: w.themeAuto, light: w.themeLight, dark: w.themeDark }[s.theme.value];
}

function Languages() {
  return (
    <div class="pair" role="group" aria-label={s.words.value.language}>
      <button type="button" aria-pressed={s.lang.value === 'en'} lang="en" onClick={() => setLang('en')}>EN</button>
      <button type="button" aria-pressed={s.lang.value === 'zh'} lang="zh" onClick={() => setLang('zh')}>中文</button>
    </div>
  );
}

function IconButton(p: { icon: 'keys' | 'present' | s.Theme; label: string; on?: boolean; onClick: () => void }) {
  return (
    <button type="button" class="quiet" aria-label={p.label} title={p.label}
      {...(p.on === undefined ? {} : { 'aria-pressed': p.on })} onClick={p.onClick}><Icon name={p.icon} /></button>
  );
}

/** A short stretch of line with a pod on its way. */
function Mark() {
  return (
    <svg width="28" height="16" viewBox="0 0 28 16" aria-hidden="true" class="logo">
      <path d="M3 8h22" /><circle class="done" cx="4" cy="8" r="3" /><circle class="here" cx="14" cy="8" r="5" /><circle cx="24" cy="8" r="3" />
    </svg>
  );
}
