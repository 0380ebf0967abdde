import * as s from '../state';
import { Empty } from './Panels';

/** What kubectl prints about the followed pod at the cursor: monospace, untouched. */
export function Text({ tab }: { tab: 'describe' | 'yaml' | 'logs' }) {
  const w = s.words.value;
  const p = s.pod.value;
  if (!p) return <Empty>{w.noPodText}</Empty>;
  const t = s.text.value;
  const mine = t.about === `${tab} ${s.podName(p)}`;
  const missing = mine && /\(NotFound\)/.test(t.err);
  return (
    <>
      {tab === 'logs' && <LogChoice />}
      {!mine && <Empty>{w.unreadable}</Empty>}
      {missing && <Empty>{w.noPodText}</Empty>}
      {mine && !missing && t.err && <pre class={t.exit === 0 ? 'mono text' : 'mono text err'}>{t.err}</pre>}
      {mine && t.out && <pre class="mono text" id={`text-${tab}`}>{t.out}</pre>}
      {mine && tab === 'logs' && !t.out && !t.err && <Empty>{w.noLogs}</Empty>}
    </>
  );
}

function LogChoice() {
  const w = s.words.value;
  const names = (s.podState.value?.containers ?? []).map((c) => c.name);
  const { container, previous } = s.logOf.value;
  return (
    <div class="choice">
      {names.length > 1 && (
        <label>{w.container}{' '}
          <select class="mono" value={container} onChange={(e) => { s.logOf.value = { container: e.currentTarget.value, previous }; }}>
            <option value="">{w.byDefault}</option>
            {names.map((n) => <option key={n} value={n}>{n}</option>)}
          </select>
        </label>
      )}
      <label><input type="checkbox" checked={previous}
        onChange={(e) => { s.logOf.value = { container, previous: e.currentTarget.checked }; }} /> {w.previous}</label>
    </div>
  );
}
