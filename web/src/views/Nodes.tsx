import { follow } from '../actions/page';
import type { NodeState, PodState, Usage as Room } from '../protocol';
import { NO_TROUBLE } from '../model/faults';
import { bytes, cores, share } from '../model/format';
import type { Mark } from '../model/flow';
import type { Layout } from '../model/stage';
import * as s from '../state';
import { Glyph } from './Glyph';
import { NodeMenu } from './NodeMenu';

/** The nodes under the map: room as bars, pods as tokens. */
export function Nodes({ l }: { l: Layout }) {
  const w = s.words.value;
  const state = s.cluster.value;
  if (!state) return null;
  return (
    <ul class="nodes" aria-label={w.cluster}>
      {l.nodes.map((box) => {
        const n = state.nodes.find((x) => x.name === box.name);
        return n && <Node key={n.name} n={n} pods={state.pods.filter((p) => p.node === n.name)} x={box.x} width={box.width} />;
      })}
      {l.more > 0 && <li class="more"><button type="button" class="link" onClick={() => { s.tab.value = 'cluster'; }}>+{l.more} {w.moreNodes}</button></li>}
    </ul>
  );
}

function Node({ n, pods, x, width }: { n: NodeState; pods: readonly PodState[]; x: number; width: number }) {
  const w = s.words.value;
  return (
    <li class={s.node.value === n.name ? 'node here' : 'node'} style={{ left: `${x}px`, width: `${width}px` }}>
      <NodeMenu name={n.name} schedulable={n.schedulable} />
      <Bar label={w.cpu} room={n.cpu} text={cores} />
      <Bar label={w.memory} room={n.memory} text={bytes} />
      <Tokens pods={pods} room={width} />
      <Note n={n} />
    </li>
  );
}

/** What is wrong with a node: what was done to it, and what the API server knows. */
function Note({ n }: { n: NodeState }) {
  const w = s.words.value;
  const t = s.trouble.value.nodes.get(n.name) ?? NO_TROUBLE;
  const parts = [t.down && w.isDown, !t.down && t.kubelet && w.kubeletStopped, t.cut && w.isCut, ...[...t.short].map((x) => `${w.shortOf} ${x}`),
    !n.ready && w.notReady, !n.schedulable && w.cordoned].filter(Boolean);
  return parts.length > 0 ? <p class="node-note" title={parts.join(', ')}>{parts.join(', ')}</p> : null;
}

export function Bar({ label, room, text }: { label: string; room: Room; text: (n: number) => string }) {
  return (
    <p class="room" title={`${label} ${text(room.used)} / ${text(room.capacity)}`}>
      <span>{label}</span>
      <span class="mono">{text(room.used)}/{text(room.capacity)}</span>
      <svg class="gauge" width="100%" height="4" aria-hidden="true">
        <rect class="all" width="100%" height="4" /><rect class="used" width={`${share(room) * 100}%`} height="4" />
      </svg>
    </p>
  );
}

const TOKEN = 24;
const CHAR = 7.3;

/** The pods of a node in one row of so many pixels, the followed one first and by name. */
export function Tokens({ pods, room }: { pods: readonly PodState[]; room: number }) {
  const p = s.pod.value;
  const own = pods.find((x) => p && x.name === p.name && x.namespace === p.namespace);
  const named = own ? TOKEN + own.name.length * CHAR + own.containers.length * 10 : 0;
  const rest = pods.filter((x) => x !== own);
  const fit = Math.max(0, Math.floor((room - named) / TOKEN));
  const shown = rest.slice(0, rest.length <= fit ? fit : Math.max(0, fit - 1));
  return (
    <div class="tokens">
      {own && <span class="own mono"><Glyph mark={markOf(own)} size={16} /><span class="own-name" title={own.name}>{own.name}</span><Containers pod={own} /></span>}
      {shown.map((x) => (
        <button key={`${x.namespace}/${x.name}`} type="button" class="quiet pod" title={`${x.namespace}/${x.name}: ${x.status}`}
          aria-label={`${x.namespace}/${x.name}: ${x.status}`}
          onClick={() => follow({ kind: 'Pod', namespace: x.namespace, name: x.name })}><Glyph mark={markOf(x)} size={16} /></button>
      ))}
      {rest.length > shown.length && <span class="mono facts">+{rest.length - shown.length}</span>}
    </div>
  );
}

function Containers({ pod }: { pod: PodState }) {
  return (
    <span class="containers" role="img" aria-label={(pod.containers ?? []).map((c) => `${c.name}: ${c.reason || c.state}`).join(', ')}>
      {(pod.containers ?? []).slice(0, 6).map((c) => <i key={c.name} title={`${c.name}: ${c.reason || c.state}`} class={`box box-${c.state}${c.init ? ' box-init' : ''}`} />)}
    </span>
  );
}

/** A pod's state as a sign. */
export function markOf(p: PodState): Mark {
  if (p.status === 'Running' || p.status === 'Completed') return p.status === 'Running' && !ready(p) ? 'moving' : 'well';
  if (/(BackOff|Err|Error|Failed|Invalid|OOM|OutOf|Evicted|Deadline)/.test(p.status)) return 'failed';
  return p.status === 'Pending' ? 'waiting' : 'moving';
}

function ready(p: PodState): boolean {
  const [a, b] = p.ready.split('/');
  return a === b;
}
