import { downloadScenario } from '../actions/page';
import { retry } from '../actions/run';
import * as s from '../state';

/** What went wrong with the simulator itself, and what to do about it. */
export function Crash() {
  const w = s.words.value;
  const st = s.status.value;
  const c = s.crash.value;
  if (st.phase === 'failed') {
    return (
      <div class="trouble" role="alert">
        <p>{w.loadFailed} <span class="mono">{st.message}</span></p>
        <button type="button" id="retry" onClick={retry}>{w.retry}</button>
      </div>
    );
  }
  if (!c) return null;
  return (
    <div class="trouble" role="alert">
      <p>{c.replayed ? w.crashed : w.crashedHard} <span class="mono">{c.message}</span></p>
      <details><summary>{w.stack}</summary><pre class="mono" tabIndex={0}>{c.stack}</pre></details>
      <button type="button" onClick={() => downloadScenario(c.scenario)}>{w.downloadScenario}</button>
      {!c.replayed && <button type="button" onClick={retry}>{w.retry}</button>}
      <button type="button" onClick={() => { s.crash.value = null; }}>{w.dismiss}</button>
    </div>
  );
}
