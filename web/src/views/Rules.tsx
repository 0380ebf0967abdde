import { useState } from 'preact/hooks';
import { metLines } from '../model/network';
import * as s from '../state';
import { Empty } from './Panels';
import { Windowed } from './Windowed';

const MODES = ['iptables', 'ipvs', 'nftables'] as const;

/** The rules that kube-proxy has written on a node; those that the last request met are marked. */
export function Rules() {
  const w = s.words.value;
  const [only, setOnly] = useState(false);
  const names = (s.cluster.value?.nodes ?? []).map((n) => n.name);
  const r = s.rules.value;
  const met = metLines(r?.lines ?? [], s.sent.value);
  const lines = (r?.lines ?? []).map((text, i) => ({ text, met: met.has(i), n: i + 1 })).filter((l) => !only || l.met);
  return (
    <>
      <div class="choice">
        <label>{w.node}{' '}<select class="mono" value={s.rulesNode.value} onChange={(e) => { s.rulesOn.value = e.currentTarget.value; }}>
          {names.map((n) => <option key={n}>{n}</option>)}</select></label>
        <label>{w.mode}{' '}<select class="mono" value={s.rulesMode.value || r?.mode || ''} onChange={(e) => { s.rulesMode.value = e.currentTarget.value; }}>
          {MODES.map((m) => <option key={m} value={m}>{m}{m === r?.mode ? ` (${w.ownMode})` : ''}</option>)}</select></label>
        <label><input type="checkbox" checked={only} onChange={(e) => setOnly(e.currentTarget.checked)} /> {w.onlyMet} ({met.size})</label>
      </div>
      {!r ? <Empty>{w.unreadable}</Empty> : lines.length === 0 ? <Empty>{w.noRules}</Empty> : (
        <Windowed items={lines} columns={2} label={w.netViews.rules} kind="rules" head={<tr><th>#</th><th>{w.netViews.rules}</th></tr>}
          row={(l) => <tr key={l.n} class={l.met ? 'met' : ''}><td class="mono facts">{l.n}</td><td class="mono message">{l.met && <span class="hidden">{w.met} </span>}{l.text}</td></tr>} />
      )}
    </>
  );
}
