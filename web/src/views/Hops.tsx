import { useLayoutEffect, useRef } from 'preact/hooks';
import { ask } from '../actions/page';
import { still } from '../actions/play';
import type { Record as Rec } from '../protocol';
import type { Mark } from '../model/flow';
import { refKey } from '../model/trace';
import * as s from '../state';
import { Glyph } from './Glyph';
import { Empty } from './Panels';

/** The last request at the cursor: its stops in a row, then each in words. */
export function Hops() {
  const w = s.words.value;
  const sent = s.sent.value;
  if (!sent) return <Empty>{w.noRequest}</Empty>;
  const bad = sent.failed;
  return (
    <section class="why">
      <p class="mono message">{sent.record.message}</p>
      <Path records={[sent.record, ...sent.hops.map((h) => h.record)]} />
      <p class={bad ? 'why-text verdict-failed' : 'why-text'}>{bad ? `${w.endsAt} ${bad.source}: ` : `${w.arrives} `}
        <span class="mono">{(bad ?? sent.hops.at(-1)?.record)?.message ?? ''}</span></p>
      <ol class="chain">
        {sent.hops.map((h) => <Hop key={h.record.id} r={h.record} last={h.last} />)}
      </ol>
    </section>
  );
}

function Hop({ r, last }: { r: Rec; last: boolean }) {
  const w = s.words.value;
  return (
    <li class={last ? 'effect' : ''}>
      <p><span class="mono">{r.source}</span> <span class={`verdict verdict-${r.verdict}`}>{r.verdict}</span>{r.ref.name && <span class="mono facts"> {refKey(r.ref)}</span>}{' '}
        <button type="button" class="link" onClick={() => ask(r.id)} aria-label={`${w.whyAsk} ${r.reason ?? ''}`}>{w.whyAsk}</button></p>
      <p class="mono message">{r.message}</p>
      {(r.detail ?? []).length > 0 && (
        <dl class="detail mono">{r.detail!.map((d, i) => <div key={i}><dt>{d.name}</dt><dd>{d.value}</dd></div>)}</dl>
      )}
    </li>
  );
}

const GAP = 112;

/** The stops in a row. A dot travels them once, when the request has just been made. */
function Path({ records }: { records: readonly Rec[] }) {
  const dot = useRef<SVGCircleElement>(null);
  const id = records[0]!.id;
  const width = 48 + (records.length - 1) * GAP + 64;
  useLayoutEffect(() => {
    if (!dot.current || still()) return;
    const stops = records.map((_, i) => ({ transform: `translateX(${i * GAP}px)`, opacity: 1 }));
    dot.current.animate(stops, { duration: Math.min(300, 100 * records.length) * Math.max(1, records.length - 1), easing: 'ease-in-out' });
  }, [id]);
  return (
    <div class="hops">
      <svg width={width} height="56" viewBox={`0 0 ${width} 56`} role="img" aria-label={records.map((r) => `${r.source} ${r.verdict}`).join(', ')}>
        <path class="track" d={`M48 16H${48 + (records.length - 1) * GAP}`} />
        {records.map((r, i) => (
          <g key={r.id} transform={`translate(${38 + i * GAP} 6)`}>
            <rect class="ground" width="20" height="20" /><Glyph mark={markOf(r, i)} size={20} />
            <text class="hop-name" x="10" y="40" text-anchor="middle">{i === 0 ? r.ref.name || 'outside' : r.source}</text>
          </g>
        ))}
        <circle ref={dot} class="hop-dot" cx="48" cy="16" r="5" />
      </svg>
    </div>
  );
}

function markOf(r: Rec, i: number): Mark {
  if (i === 0) return 'well';
  return { failed: 'failed', denied: 'failed', 'not simulated': 'passed', info: 'passed' }[r.verdict] as Mark | undefined ?? 'well';
}
