import { ask, follow } from '../actions/page';
import { toRecord } from '../actions/play';
import { brief } from '../model/format';
import type { Station as StationType } from '../model/flow';
import { rejection, sentence } from '../model/say';
import * as s from '../state';
import { Glyph } from './Glyph';

/** Where the pod is on its way, where it stopped, and the words for it. */
export function Line() {
  const w = s.words.value;
  return (
    <section class="line" aria-label={w.line}>
      <Head />
      <ol class="stations">
        {s.line.value.stations.map((st) => <Station key={st.stage} st={st} />)}
      </ol>
      <Saying />
    </section>
  );
}

function Head() {
  const w = s.words.value;
  const p = s.pod.value;
  const state = s.podState.value;
  return (
    <div class="line-head">
      {s.pods.value.length > 1 ? <Picker /> : <b class="mono name">{p ? p.name : w.nothingYet}</b>}
      {state && <span class={`mono status status-${tone()}`}>{state.status}</span>}
      {state && <span class="mono facts">{facts()}</span>}
      {s.ahead.value && s.status.value.phase !== 'failed' && <span class="facts">{w.showing}</span>}
      <Loading />
    </div>
  );
}

function Picker() {
  const w = s.words.value;
  const at = s.pod.value ? s.podName(s.pod.value) : '';
  return (
    <label><span class="hidden">{w.pod}</span>
      <select id="pod" class="mono" value={at}
        onChange={(e) => pick(e.currentTarget.value)}>
        {s.pods.value.map((p) => <option key={s.podName(p)} value={s.podName(p)}>{s.podName(p).replace(/^default\//, '')}</option>)}
      </select>
    </label>
  );
}

function pick(name: string): void {
  const found = s.pods.value.find((p) => s.podName(p) === name);
  if (found) follow(found);
}

function tone(): 'well' | 'failed' | 'neutral' {
  const pod = s.podState.value;
  const mark = s.line.value.stations[s.line.value.here]?.mark;
  if (mark === 'failed') return 'failed';
  return pod && (pod.status === 'Running' || pod.status === 'Completed') ? 'well' : 'neutral';
}

function facts(): string {
  const p = s.podState.value!;
  const parts = [`READY ${p.ready}`, `RESTARTS ${p.restarts}`];
  if (p.node) parts.push(p.node);
  if (p.ip) parts.push(p.ip);
  return parts.join('  ');
}

function Loading() {
  const st = s.status.value;
  if (st.phase !== 'loading') return null;
  const share = st.total > 0 ? Math.min(1, st.loaded / st.total) : 0;
  return (
    <span class="facts loading">{s.words.value.loading}
      <progress max={1} value={share} aria-label={s.words.value.loading} />
    </span>
  );
}

function Station({ st }: { st: StationType }) {
  const w = s.words.value;
  const name = w.stations[st.stage];
  const r = st.record;
  return (
    <li class={`station is-${st.mark}${st.here ? ' here' : ''}`} {...(st.here ? { 'aria-current': 'step' as const } : {})}>
      <button type="button" disabled={!r} onClick={() => { if (r) toRecord(r.id); }}>
        <span class="rail"><Glyph mark={st.mark} /></span>
        <span class="label">{name}</span>
        <span class="hidden">: {w.marks[st.mark]}{r ? ', ' : ''}</span>
        <span class="mono at">{r ? brief(r.at) : ''}</span>
      </button>
    </li>
  );
}

function Saying() {
  const w = s.words.value;
  const bad = s.refused.value;
  const l = s.line.value;
  const r = l.record;
  const refusedHere = bad && (!r || r.verdict === 'denied' || r.verdict === 'failed' || s.pods.value.length === 0);
  const real = refusedHere ? bad.stderr.trimEnd() : l.message;
  const said = refusedHere ? rejection(s.lang.value) : r ? sentence(l, s.podState.value, s.lang.value) : w.writeManifest;
  const shown = l.stations[l.here];
  const about = r && s.current.value?.stage === r.stage ? s.current.value : r;
  return (
    <div class="saying" aria-live="polite">
      <p class="sentence">
        {(shown || l.gone) && <Glyph mark={refusedHere ? 'failed' : shown?.mark ?? 'passed'} size={16} />}
        <span>{shown && <b class="place">{w.stations[shown.stage]}. </b>}{said}</span>
        {about && <button type="button" class="link" id="why" onClick={() => ask(about.id)}>{w.whyAsk}</button>}
      </p>
      <p class="mono real" tabIndex={0} role="note">{real}</p>
    </div>
  );
}
