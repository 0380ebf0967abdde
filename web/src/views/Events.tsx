import type { Record as Rec } from '../protocol';
import { ask } from '../actions/page';
import { toRecord } from '../actions/play';
import { brief } from '../model/format';
import { detail, isWarning } from '../model/trace';
import * as s from '../state';
import { Glyph } from './Glyph';
import { Empty } from './Panels';
import { Windowed } from './Windowed';

/** The Events of the followed pod up to the cursor: also the map in words. */
export function Events() {
  const w = s.words.value;
  const list = s.events.value;
  if (list.length === 0) return <><Notes /><Empty>{w.noEvents}</Empty></>;
  return (
    <><Notes /><Windowed items={list} columns={6} label={w.events} kind="events"
      head={<tr><th>{w.tTime}</th><th>{w.tType}</th><th>{w.tReason}</th><th>{w.tFrom}</th><th>{w.tMessage}</th><th><span class="hidden">{w.why}</span></th></tr>}
      row={(r) => <EventRow key={r.id} r={r} />} /></>
  );
}

/** What Podwalk took for granted, and what it does not simulate. */
function Notes() {
  const w = s.words.value;
  if (s.notes.value.length === 0) return null;
  return (
    <ul class="notes">
      {s.notes.value.slice(0, 20).map((r) => (
        <li key={r.id}><span class="verdict verdict-assumed">{r.verdict === 'assumed' ? w.assumed : w.notSimulated}</span>{' '}
          <span class="mono message">{r.message}</span>{' '}
          <button type="button" class="link" onClick={() => ask(r.id)} aria-label={`${w.whyAsk} ${r.message ?? ''}`}>{w.whyAsk}</button></li>
      ))}
    </ul>
  );
}

function EventRow({ r }: { r: Rec }) {
  const w = s.words.value;
  const warning = isWarning(r);
  const count = Number(detail(r, 'count') ?? '1');
  return (
    <tr class={warning ? 'warning' : ''}>
      <td><button type="button" class="link mono" onClick={() => toRecord(r.id)}>{brief(r.at)}</button></td>
      <td class="mono">{warning && <Glyph mark="failed" size={14} />}{detail(r, 'type') ?? ''}</td>
      <td class="mono">{r.reason}{count > 1 ? ` (x${count})` : ''}</td>
      <td class="mono" title={detail(r, 'from') ?? ''}>{(detail(r, 'from') ?? '').split(',')[0]}</td>
      <td class="mono message">{r.message}</td>
      <td><button type="button" class="link" onClick={() => ask(r.id)} aria-label={`${w.whyAsk} ${r.reason ?? ''}`}>{w.whyAsk}</button></td>
    </tr>
  );
}
