import { ask } from '../actions/page';
import { brief } from '../model/format';
import type { Attempt } from '../model/scheduling';
import * as s from '../state';
import { Glyph } from './Glyph';
import { Empty } from './Panels';

/** What the scheduler found out about each node, the last attempt first. */
export function Scheduling() {
  const w = s.words.value;
  const list = s.attempts.value;
  if (list.length === 0) return <Empty>{w.noAttempts}</Empty>;
  return <>{list.slice(0, 20).map((a) => <One key={a.record.id} a={a} />)}</>;
}

function One({ a }: { a: Attempt }) {
  const w = s.words.value;
  return (
    <section class="attempt">
      <p class="mono message">{brief(a.record.at)}  {[a.record.reason, a.record.message].filter(Boolean).join(': ')}{' '}
        <button type="button" class="link" onClick={() => ask(a.record.id)}>{w.whyAsk}</button></p>
      {a.nodes.length > 0 && (
        <table class="table table-nodes" aria-label={w.scheduling}>
          <thead><tr><th>{w.node}</th><th>{w.tVerdict}</th><th>{w.tPlugin}</th><th>{w.tReason}</th></tr></thead>
          <tbody>{a.nodes.slice(0, 500).map((n, i) => (
            <tr key={i}>
              <td class="mono">{n.node}</td>
              <td><Glyph mark={n.fits ? 'well' : 'failed'} size={14} /> {n.node === a.chosen ? w.chosenNode : n.fits ? w.fits : w.rejected}</td>
              <td class="mono">{n.plugin}</td>
              <td class="mono message">{n.text}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
    </section>
  );
}
