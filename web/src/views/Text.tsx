import type { Ref } from '../protocol';
import * as s from '../state';
import { Empty } from './Panels';

/** What kubectl prints about an object at the cursor: monospace, untouched. */
export function Text({ tab }: { tab: 'describe' | 'yaml' | 'logs' }) {
  const w = s.words.value;
  const of = tab === 'logs' ? s.pod.value : s.subject.value;
  if (!of) return <Empty>{w.noPodText}</Empty>;
  const t = s.text.value;
  const mine = t.about === s.aboutText(tab, of);
  const missing = mine && /\(NotFound\)/.test(t.err);
  return (
    <>
      {tab === 'logs' && <LogChoice />}
      {tab !== 'logs' && s.inspected.value && <Subject of={of} />}
      {!mine && <Empty>{w.unreadable}</Empty>}
      {missing && <Empty>{w.noPodText}</Empty>}
      {mine && !missing && t.err && <pre class={t.exit === 0 ? 'mono text' : 'mono text err'}>{t.err}</pre>}
      {mine && t.out && <pre class="mono text" id={`text-${tab}`}>{t.out}</pre>}
      {mine && tab === 'logs' && !t.out && !t.err && <Empty>{w.noLogs}</Empty>}
    </>
  );
}

/** Says what the text is about where it is not the followed pod, and leads back. */
function Subject({ of }: { of: Ref }) {
  const w = s.words.value;
  const p = s.pod.value;
  return (
    <div class="choice"><span class="mono">{of.kind}/{of.name}</span>
      {p && <button type="button" class="link" onClick={() => { s.inspected.value = null; }}>{w.backTo} <span class="mono">{p.name}</span></button>}</div>
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
