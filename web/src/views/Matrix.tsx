import type { MatrixCell } from '../protocol';
import * as s from '../state';
import { Glyph } from './Glyph';
import { Empty } from './Panels';

const MOST = 60;

/** Who reaches whom by the NetworkPolicies: senders down, receivers and their ports across. */
export function Matrix() {
  const w = s.words.value;
  const m = s.matrix.value;
  if (!m) return <Empty>{w.unreadable}</Empty>;
  if (m.from.length < 2) return <Empty>{w.noMatrix}</Empty>;
  const to = m.to.slice(0, MOST);
  return (
    <>
      {!m.enforces && <p class="notes">{w.notEnforced} <span class="mono">{m.plugin}</span></p>}
      {m.to.length > MOST && <p class="notes">{MOST} {w.of} {m.to.length}</p>}
      <table class="table matrix" aria-label={w.netViews.matrix}>
        <thead><tr><th>{w.netFrom}</th>{to.map((t) => <th key={t} class="mono" title={t}><span>{short(t)}</span></th>)}</tr></thead>
        <tbody>{m.from.map((f, i) => (
          <tr key={f}><th class="mono" scope="row" title={f}>{short(f)}</th>{to.map((t, j) => <Cell key={t} c={m.cells[i]![j]!} pair={`${f} → ${t}`} />)}</tr>
        ))}</tbody>
      </table>
    </>
  );
}

/** Without the namespace that most names have. */
const short = (name: string): string => name.replace(/^default\//, '');

function Cell({ c, pair }: { c: MatrixCell; pair: string }) {
  const w = s.words.value;
  if (c.self) return <td class="facts">·</td>;
  const text = c.allowed ? w.reaches : `${w.keptOut}: ${c.why ?? ''}`;
  return <td title={`${pair}: ${text}`}><Glyph mark={c.allowed ? 'well' : 'failed'} size={16} /><span class="hidden">{text}</span></td>;
}
