import { bytes, cores } from '../model/format';
import * as s from '../state';
import { ClusterFaults, NodeMenu } from './NodeMenu';
import { Bar, Tokens } from './Nodes';
import { Empty } from './Panels';
import { Windowed } from './Windowed';

/** Room for every pod that a node can hold. */
const ALL = 24 * 500;

/** Every node with its room and its pods. */
export function ClusterTable() {
  const w = s.words.value;
  const state = s.cluster.value;
  if (!state || state.nodes.length === 0) return <Empty>{w.noNodes}</Empty>;
  return (
    <><ClusterFaults />
    <Windowed items={state.nodes} columns={6} label={w.cluster} kind="cluster"
      head={<tr><th>{w.node}</th><th>{w.status}</th><th>{w.cpu}</th><th>{w.memory}</th><th>{w.pods}</th></tr>}
      row={(n) => (
        <tr key={n.name}>
          <td class="mono"><NodeMenu name={n.name} schedulable={n.schedulable} />{n.zone ? <span class="facts"> {n.zone}</span> : ''}</td>
          <td>{n.ready ? w.ready : w.notReady}{n.schedulable ? '' : `, ${w.cordoned}`}
            {(n.taints ?? []).map((t) => <span key={t} class="mono facts taint">{t}</span>)}</td>
          <td><Bar label="" room={n.cpu} text={cores} /></td>
          <td><Bar label="" room={n.memory} text={bytes} /></td>
          <td><Tokens pods={state.pods.filter((p) => p.node === n.name)} room={ALL} /></td>
        </tr>
      )} /></>
  );
}
