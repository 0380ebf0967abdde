import * as s from '../state';
import { ClusterTable } from './ClusterTable';
import { EditorPane } from './EditorPane';
import { Events } from './Events';
import { Network } from './Network';
import { Scheduling } from './Scheduling';
import { Stage } from './Stage';
import { Text } from './Text';
import { Why } from './Why';
import { Workloads } from './Workloads';

/** The panels; on a narrow page the editor and the map are the first two of them. */
export function Panels() {
  const w = s.words.value;
  const tabs: readonly s.Tab[] = s.narrow.value ? ['editor', 'map', ...s.TABS] : s.TABS;
  return (
    <section class="panels">
      <div class="tabs" role="tablist" aria-label={w.panels} onKeyDown={(e) => move(e, tabs)}>
        {tabs.map((t) => (
          <button key={t} type="button" role="tab" id={`tab-${t}`} aria-controls="panel" aria-selected={s.tab.value === t}
            tabIndex={s.tab.value === t ? 0 : -1} onClick={() => { s.tab.value = t; }}>{w[t]}</button>
        ))}
      </div>
      <div class={`panel panel-${s.tab.value}`} role="tabpanel" id="panel" aria-labelledby={`tab-${s.tab.value}`} tabIndex={0}>
        <Panel tab={s.tab.value} />
      </div>
    </section>
  );
}

function Panel({ tab }: { tab: s.Tab }) {
  if (tab === 'events') return <Events />;
  if (tab === 'why') return <Why />;
  if (tab === 'scheduling') return <Scheduling />;
  if (tab === 'network') return <Network />;
  if (tab === 'workloads') return <Workloads />;
  if (tab === 'cluster') return <ClusterTable />;
  if (tab === 'editor') return <EditorPane />;
  if (tab === 'map') return <Stage />;
  return <Text tab={tab} />;
}

function move(e: KeyboardEvent, tabs: readonly s.Tab[]): void {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
  const at = tabs.indexOf(s.tab.value);
  const to = by ? tabs[(at + by + tabs.length) % tabs.length] : { Home: tabs[0], End: tabs.at(-1) }[e.key];
  if (!to) return;
  e.preventDefault();
  e.stopPropagation();
  s.tab.value = to;
  document.getElementById(`tab-${to}`)?.focus();
}

export function Empty({ children }: { children: string }) {
  return <p class="empty">{children}</p>;
}
