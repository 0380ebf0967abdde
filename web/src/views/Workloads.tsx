import { follow, inspect } from '../actions/page';
import type { PodState, WorkloadState } from '../protocol';
import type { Mark } from '../model/flow';
import { rowsOf } from '../model/tree';
import * as s from '../state';
import { Glyph } from './Glyph';
import { markOf } from './Nodes';
import { Empty } from './Panels';
import { Windowed } from './Windowed';

/** Who owns what: workloads, what they made, and the pods, as they are at the cursor. */
export function Workloads() {
  const w = s.words.value;
  const state = s.cluster.value;
  const rows = state ? rowsOf(state) : [];
  if (rows.length === 0) return <Empty>{w.noWorkloads}</Empty>;
  return (
    <Windowed items={rows} columns={5} label={w.workloads} kind="workloads"
      head={<tr><th>{w.tObject}</th><th>{w.ready}</th><th>{w.status}</th><th>{w.node}</th><th>{w.tNamespace}</th></tr>}
      row={(r) => (r.workload ? <Owner key={`${r.workload.kind}/${r.workload.namespace}/${r.workload.name}`} o={r.workload} depth={r.depth} />
        : <One key={`${r.pod!.namespace}/${r.pod!.name}`} p={r.pod!} depth={r.depth} />)} />
  );
}

function Owner({ o, depth }: { o: WorkloadState; depth: number }) {
  const w = s.words.value;
  const mark = markOfWorkload(o);
  return (
    <tr>
      <td><Indent depth={depth} /><Glyph mark={mark} size={14} />
        <button type="button" class="link mono" title={w.describe} onClick={() => inspect({ kind: o.kind, namespace: o.namespace, name: o.name })}>
          <span class="facts">{o.kind}</span> {o.name}</button></td>
      <td class="mono">{o.ready}/{o.desired}</td>
      <td class={o.trouble ? 'mono verdict-failed' : 'mono'}>{o.ending ? 'Terminating' : o.note ?? ''}</td>
      <td />
      <td class="mono">{o.namespace}</td>
    </tr>
  );
}

function One({ p, depth }: { p: PodState; depth: number }) {
  const own = s.pod.value;
  const here = own?.name === p.name && own.namespace === p.namespace;
  return (
    <tr class={here ? 'current' : ''}>
      <td><Indent depth={depth} /><Glyph mark={markOf(p)} size={14} />
        <button type="button" class="link mono" aria-current={here} onClick={() => follow({ kind: 'Pod', namespace: p.namespace, name: p.name })}>
          <span class="facts">Pod</span> {p.name}</button></td>
      <td class="mono">{p.ready}</td>
      <td class="mono">{p.status}{p.restarts > 0 ? ` (${p.restarts})` : ''}</td>
      <td class="mono">{p.node}</td>
      <td class="mono">{p.namespace}</td>
    </tr>
  );
}

function Indent({ depth }: { depth: number }) {
  return <>{Array.from({ length: depth }, (_, i) => <i key={i} class={i === depth - 1 ? 'indent joint' : 'indent'} />)}</>;
}

function markOfWorkload(o: WorkloadState): Mark {
  if (o.trouble) return 'failed';
  if (o.desired === 0 && o.ready === 0) return 'passed';
  return o.ready >= o.desired ? 'well' : 'moving';
}
