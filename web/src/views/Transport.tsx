import { toEnd, toggle, toStart, walk } from '../actions/play';
import { clock } from '../model/format';
import * as s from '../state';
import { Icon, type IconName } from './Glyph';

const SPEEDS = [0.5, 1, 2, 4];

export function Transport() {
  const w = s.words.value;
  const playing = s.playing.value;
  return (
    <div class="transport" role="group" aria-label={w.timeline}>
      <Key icon="first" label={w.first} onClick={toStart} />
      <Key icon="back" label={w.back} onClick={() => walk(-1)} />
      <Key icon={playing ? 'pause' : 'play'} label={playing ? w.pause : w.play} onClick={toggle} />
      <Key icon="next" label={w.next} onClick={() => walk(1)} />
      <Key icon="last" label={w.last} onClick={toEnd} />
      <label><span class="hidden">{w.speed}</span>
        <select class="speed" value={String(s.speed.value)} onChange={(e) => { s.speed.value = Number(e.currentTarget.value); }}>
          {SPEEDS.map((v) => <option key={v} value={String(v)}>{v === 0.5 ? '½' : v}×</option>)}
        </select>
      </label>
      <Clock />
    </div>
  );
}

function Clock() {
  return <output class="clock mono" aria-label={s.words.value.time} aria-live="off"><i>t</i> {clock(s.moment.value)}</output>;
}

function Key({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return <button type="button" class="quiet" aria-label={label} title={label} onClick={onClick}><Icon name={icon} /></button>;
}
