import { useEffect, useRef, useState } from 'preact/hooks';
import { brief } from '../model/format';
import { LANES, layoutOf, pathOf, placeOf, pointAt, routeOf, type Layout, type Stop } from '../model/stage';
import * as s from '../state';
import { Nodes } from './Nodes';
import { useWidth } from './measure';

/** The cluster as a map. Everything that moves on it is read from records. */
export function Stage() {
  const [box, width] = useWidth(720);
  const names = (s.cluster.value?.nodes ?? []).map((n) => n.name);
  const l = layoutOf(width, names, s.node.value);
  return (
    <section class="stage" aria-label={s.words.value.map}>
      <div class="plan" ref={box}>
        <svg width={l.width} height="128" viewBox={`0 0 ${l.width} 128`} aria-hidden="true">
          <Tracks l={l} />
          <Trail l={l} />
          <Stops l={l} />
        </svg>
        <Nodes l={l} />
        <Token l={l} />
      </div>
      <Caption />
    </section>
  );
}

function Tracks({ l }: { l: Layout }) {
  const hub: Stop = { lane: 'apiserver', node: '' };
  const ends: Stop[] = [
    ...LANES.filter((lane) => lane !== 'apiserver').map((lane) => ({ lane, node: '' })),
    ...l.nodes.map((n) => ({ lane: 'node' as const, node: n.name })),
  ];
  return <>{ends.map((e) => <path key={e.lane + e.node} class="track" d={pathOf(routeOf(l, hub, e))} />)}</>;
}

function Stops({ l }: { l: Layout }) {
  const w = s.words.value;
  const at = s.place.value;
  return (
    <>
      {LANES.map((lane) => (
        <g key={lane} class={at?.lane === lane ? 'stop here' : 'stop'}>
          <circle cx={l.lanes[lane].x} cy={l.lanes[lane].y} r="6" />
          <text x={l.lanes[lane].x} y={l.lanes[lane].y - 20} text-anchor="middle">{w[lane]}</text>
        </g>
      ))}
      {l.nodes.map((n) => (
        <circle key={n.name} class={at?.lane === 'node' && at.node === n.name ? 'end here' : 'end'} cx={n.x + 12} cy={l.nodeY} r="4" />
      ))}
    </>
  );
}

/** The way from the cause to the current step, with its two ends numbered. */
function Trail({ l }: { l: Layout }) {
  const trail = s.trail.value;
  if (!trail) return null;
  const route = routeOf(l, trail[0], trail[1]);
  if (route.length < 2) return null;
  const [from, end] = [route[0]!, route.at(-1)!];
  return (
    <>
      <path class="trail" d={pathOf(route)} />
      <text class="number" x={from.x + 12} y={from.y - 8}>{s.step.value - 1}</text>
      <text class="number" x={end.x + 12} y={end.y - 8}>{s.step.value}</text>
    </>
  );
}

function Token({ l }: { l: Layout }) {
  const hop = s.hop.value;
  const to = s.place.value;
  const share = useTween(hop);
  if (!to) return null;
  const p = hop && share < 1 ? pointAt(routeOf(l, hop.from, hop.to), ease(share)) : placeOf(l, to.lane, to.node);
  const mark = s.line.value.stations[s.line.value.here]?.mark ?? 'moving';
  return (
    <svg class={`token token-${mark}`} width={l.width} height="136" viewBox={`0 0 ${l.width} 136`} aria-hidden="true">
      <g transform={`translate(${p.x} ${p.y})`}>
        <circle class="halo" r="11" />
        {mark === 'failed' ? <polygon class="core" points="-3,-7 3,-7 7,-3 7,3 3,7 -3,7 -7,3 -7,-3" /> : <circle class="core" r="7" />}
      </g>
    </svg>
  );
}

const ease = (x: number): number => 1 - (1 - x) ** 3;

/** Runs from 0 to 1 within the hop's time, once for each hop. */
function useTween(hop: s.Hop | null): number {
  const [share, set] = useState(1);
  const begun = useRef(0);
  if (hop && begun.current !== hop.serial && share === 1) {
    begun.current = hop.serial;
    set(0);
  }
  useEffect(() => {
    if (!hop) return undefined;
    const since = performance.now();
    let frame = 0;
    const turn = (now: number): void => {
      const next = Math.min(1, Math.max(0, now - since) / hop.ms);
      set(next);
      if (next < 1) frame = requestAnimationFrame(turn);
    };
    frame = requestAnimationFrame(turn);
    return () => { cancelAnimationFrame(frame); set(1); };
  }, [hop?.serial]);
  return share;
}

function Caption() {
  const w = s.words.value;
  const r = s.current.value;
  const n = s.step.value;
  return (
    <p class="caption">
      <span class="mono count">{n}{w.of === '/' ? '/' : ` ${w.of} `}{s.steps.value.length}</span>
      {r && <><span class="mono">{brief(r.at)}</span><span class="mono who">{r.source}</span>
        <span class="mono what" title={r.message ?? ''}>{[r.reason, r.message].filter(Boolean).join(': ') || r.verdict}</span></>}
    </p>
  );
}
