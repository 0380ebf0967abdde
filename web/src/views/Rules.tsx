import { useState } from 'preact/hooks';
import { changedLines, metLines, type RuleLine } from '../model/network';
import { brief } from '../model/format';
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
  const change = s.rulesChange.value;
  const lines: readonly RuleLine[] = change ? changedLines(s.rulesBefore.value, r?.lines ?? [])
    : (r?.lines ?? []).map((text, i) => ({ text, met: met.has(i), n: i + 1, sign: '' as const })).filter((l) => !only || l.met);
  return (
    <>
      <div class="choice">
        <label>{w.node}{' '}<select class="mono" value={s.rulesNode.value} onChange={(e) => { s.rulesOn.value = e.currentTarget.value; }}>
          {names.map((n) => <option key={n}>{n}</option>)}</select></label>
        <label>{w.mode}{' '}<select class="mono" value={s.rulesMode.value || r?.mode || ''} onChange={(e) => { s.rulesMode.value = e.currentTarget.value; }}>
          {MODES.map((m) => <option key={m} value={m}>{m}{m === r?.mode ? ` (${w.ownMode})` : ''}</option>)}</select></label>
        <label><input type="checkbox" checked={only} disabled={change} onChange={(e) => setOnly(e.currentTarget.checked)} /> {w.onlyMet} ({met.size})</label>
        <label><input type="checkbox" checked={change} onChange={(e) => { s.rulesChange.value = e.currentTarget.checked; }} /> {w.lastChange}
          {change && s.rulesChanged.value > 0 && <span class="mono"> {brief(s.rulesChanged.value)}</span>}</label>
      </div>
      {!r ? <Empty>{w.unreadable}</Empty> : lines.length === 0 ? <Empty>{change ? w.noChange : w.noRules}</Empty> : (
        <Windowed items={lines} columns={2} label={w.netViews.rules} kind="rules" head={<tr><th>#</th><th>{w.netViews.rules}</th></tr>}
          row={(l) => <tr key={l.sign + l.n} class={l.met || l.sign === '+' ? 'met' : ''}><td class="mono facts">{l.sign}{l.n}</td><td class="mono message">{l.met && <span class="hidden">{w.met} </span>}{l.text}</td></tr>} />
      )}
    </>
  );
}
