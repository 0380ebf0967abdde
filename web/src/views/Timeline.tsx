import { useMemo } from 'preact/hooks';
import { runOn, switchTo } from '../actions/run';
import { seek, toEnd, toStart, walk } from '../actions/play';
import { brief, clock } from '../model/format';
import { flagsOf } from '../model/flags';
import { ticksOf, timeOf, xOf } from '../model/timeline';
import * as s from '../state';
import { useWidth } from './measure';
import { Transport } from './Transport';

const PAD = 16;

/** The run as a line of marks; drag it, or walk it with the arrow keys. */
export function Timeline() {
  return (
    <footer class="timeline" aria-label={s.words.value.timeline}>
      {s.narrow.value && <Transport />}
      <Slider />
      <Rest />
    </footer>
  );
}

function Slider() {
  const [box, full] = useWidth(800);
  const width = Math.max(80, full - 2 * PAD);
  const here = s.moment.value;
  return (
    <div class="slider" ref={box} role="slider" tabIndex={0} id="timeline" aria-label={s.words.value.timeline}
      aria-valuemin={0} aria-valuemax={Math.round(s.end.value / 1e6)} aria-valuenow={Math.round(here / 1e6)} aria-valuetext={valueText()}
      onPointerDown={(e) => drag(e, width)} onPointerMove={(e) => { if (e.buttons & 1) drag(e, width); }} onKeyDown={keys}>
      <svg width={full} height="56" viewBox={`0 0 ${full} 56`} aria-hidden="true">
        <g transform={`translate(${PAD} 0)`}><Marks width={width} /><Head width={width} /></g>
      </svg>
    </div>
  );
}

function valueText(): string {
  const r = s.current.value;
  return `${clock(s.moment.value)}${r ? `, ${r.source} ${r.reason ?? r.verdict}` : ''}`;
}

function drag(e: PointerEvent, width: number): void {
  const el = e.currentTarget as HTMLElement;
  if (e.type === 'pointerdown') {
    if (e.button !== 0) return;
    el.setPointerCapture(e.pointerId);
    el.focus();
  }
  const x = (e.clientX - el.getBoundingClientRect().left - PAD) / width;
  seek(timeOf(s.scale.value, Math.max(0, Math.min(1, x))));
}

function keys(e: KeyboardEvent): void {
  const act = {
    ArrowLeft: () => walk(-1), ArrowDown: () => walk(-1), ArrowRight: () => walk(1), ArrowUp: () => walk(1), Home: toStart, End: toEnd,
  }[e.key];
  if (!act) return;
  e.preventDefault();
  e.stopPropagation();
  act();
}

function Marks({ width }: { width: number }) {
  const sc = s.scale.value;
  const steps = s.steps.value;
  const d = useMemo(() => {
    const at = (t: number): string => (xOf(sc, t) * width).toFixed(1);
    const path = (some: readonly { at: number }[], top: number): string => some.map((m) => `M${at(m.at)} ${top}V32`).join('');
    return { plain: path(steps.filter((m) => !m.warning), 25), warning: path(steps.filter((m) => m.warning), 19) };
  }, [sc, steps, width]);
  const flags = useMemo(() => flagsOf(s.allEvents.value, (t) => xOf(sc, t) * width, width), [sc, s.allEvents.value, width]);
  return (
    <>
      <path class="axis" d={`M0 32H${width}`} />
      <path class="mark" d={d.plain} /><path class="mark warn" d={d.warning} />
      {ticksOf(sc, 64 / width).map((t) => <text key={t.at} class="tick mono" x={t.x * width} y="50" text-anchor={t.x === 0 ? 'start' : 'middle'}>{t.at === 0 ? '0' : brief(t.at)}</text>)}
      {flags.map((f) => <text key={f.id} class={`flag mono${f.warning ? ' warn' : ''}`} x={f.x} y="12" text-anchor={f.anchor}>{f.text}</text>)}
    </>
  );
}

function Head({ width }: { width: number }) {
  const x = xOf(s.scale.value, s.moment.value) * width;
  return <g class="head" transform={`translate(${x.toFixed(1)} 0)`}><path d="M0 16V32" /><circle cy="32" r="5" /></g>;
}

function Rest() {
  const w = s.words.value;
  const r = s.run.value;
  return (
    <div class="rest">
      {s.branches.value.length > 1 && (
        <label><span class="hidden">{w.branch}</span>
          <select id="branch" value={s.branch.value} onChange={(e) => void switchTo(e.currentTarget.value)}>
            {s.branches.value.map((b) => <option key={b.name} value={b.name}>{b.name}{b.from ? ` (${clock(b.at)})` : ''}</option>)}
          </select>
        </label>
      )}
      {r.records.length > 0 && (r.limit ? <span>{w.limit}: <span class="mono">{r.limit}</span></span>
        : r.quiescent ? <span>{w.quiescent}</span>
          : <><span>{w.goesOn}</span> <button type="button" class="link" onClick={() => void runOn()}>{w.runOn}</button></>)}
    </div>
  );
}
