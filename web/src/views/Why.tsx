import type { Record as Rec } from '../protocol';
import { ask } from '../actions/page';
import { toRecord } from '../actions/play';
import { brief } from '../model/format';
import { chainOf } from '../model/trace';
import * as s from '../state';
import { Empty } from './Panels';
import { Windowed } from './Windowed';

/** The records that led to one record, the cause first; else all records of the pod. */
export function Why() {
  const w = s.words.value;
  const id = s.asked.value;
  if (!id || !s.records.value.some((r) => r.id === id)) {
    return <><Empty>{w.noWhy}</Empty><AllRecords /></>;
  }
  const e = s.explained.value?.record === id ? s.explained.value.answer : null;
  const chain = e?.chain ?? chainOf(s.records.value, id);
  return (
    <div class="why">
      <p class="why-head"><b>{w.chain}</b>
        <button type="button" class="link" onClick={() => { s.asked.value = 0; }}>{w.allRecords}</button></p>
      {e?.hint && <p class="why-text hint" lang="en">{e.hint}</p>}
      <ol class="chain">
        {chain.slice(-200).map((r, i) => <Link key={r.id} r={r} said={e?.text?.slice(-200)[i] ?? ''} last={r.id === id} />)}
      </ol>
    </div>
  );
}

function Link({ r, said, last }: { r: Rec; said: string; last: boolean }) {
  const w = s.words.value;
  return (
    <li class={last ? 'effect' : ''}>
      <button type="button" class="link mono" onClick={() => toRecord(r.id)}>{brief(r.at)}</button>{' '}
      <span class="mono">{r.source}</span>{' '}
      <span class={`verdict verdict-${r.verdict.replace(' ', '-')}`}>{verdictWord(r.verdict, w)}</span>{' '}
      <span class="mono">{r.ref.kind ? `${r.ref.kind} ${r.ref.name}` : ''}</span>
      {said && !said.endsWith(r.message || r.reason || r.verdict) && <p lang="en">{said}</p>}
      {(r.reason || r.message) && <p class="mono message">{[r.reason, r.message].filter(Boolean).join(': ')}</p>}
      {r.detail && r.detail.length > 0 && (
        <dl class="mono detail">{r.detail.slice(0, 40).map((d, i) => <div key={i}><dt>{d.name}</dt><dd>{d.value}</dd></div>)}</dl>
      )}
    </li>
  );
}

function verdictWord(v: string, w: typeof s.words.value): string {
  if (v === 'assumed') return w.assumed;
  return v === 'not simulated' ? w.notSimulated : v;
}

function AllRecords() {
  const w = s.words.value;
  return (
    <Windowed items={s.ofPodSeen.value} columns={4} label={w.allRecords} kind="records"
      head={<tr><th>{w.tTime}</th><th>{w.tSource}</th><th>{w.tVerdict}</th><th>{w.tMessage}</th></tr>}
      row={(r) => (
        <tr key={r.id}>
          <td><button type="button" class="link mono" onClick={() => ask(r.id)}>{brief(r.at)}</button></td>
          <td class="mono">{r.source}</td><td>{verdictWord(r.verdict, w)}</td>
          <td class="mono message">{[r.reason, r.message].filter(Boolean).join(': ')}</td>
        </tr>
      )} />
  );
}
