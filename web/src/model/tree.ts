// The tree of owners: workloads, what they made, and the pods below. Pure.
import type { PodState, State, WorkloadState } from '../protocol';

export interface Branch {
  readonly workload: WorkloadState;
  readonly depth: number;
  readonly children: readonly Branch[];
  readonly pods: readonly PodState[];
}

export interface Row {
  readonly workload: WorkloadState | null;
  readonly pod: PodState | null;
  readonly depth: number;
}

const key = (namespace: string, kind: string, name: string): string => `${namespace}/${kind}/${name}`;

/** The workloads without an owner that is there, each with what it owns. */
export function treeOf(state: State): Branch[] {
  const here = new Set(state.workloads.map((w) => key(w.namespace, w.kind, w.name)));
  const below = new Map<string, WorkloadState[]>();
  const pods = new Map<string, PodState[]>();
  const roots: WorkloadState[] = [];
  for (const w of state.workloads) {
    const owner = w.owner ? `${w.namespace}/${w.owner}` : '';
    if (owner && here.has(owner)) push(below, owner, w);
    else roots.push(w);
  }
  for (const p of state.pods) if (p.owner) push(pods, `${p.namespace}/${p.owner}`, p);
  const grow = (w: WorkloadState, depth: number): Branch => {
    const k = key(w.namespace, w.kind, w.name);
    return { workload: w, depth, children: (below.get(k) ?? []).map((c) => grow(c, depth + 1)), pods: pods.get(k) ?? [] };
  };
  return roots.map((w) => grow(w, 0));
}

/** Pods that nothing owns, or whose owner is gone. */
export function lonePods(state: State): PodState[] {
  const here = new Set(state.workloads.map((w) => key(w.namespace, w.kind, w.name)));
  return state.pods.filter((p) => !p.owner || !here.has(`${p.namespace}/${p.owner}`));
}

/** The tree as rows from top to bottom; what owns nothing and wants nothing comes last among its like. */
export function rowsOf(state: State): Row[] {
  const out: Row[] = [];
  const walk = (b: Branch): void => {
    out.push({ workload: b.workload, pod: null, depth: b.depth });
    for (const c of [...b.children].sort((x, y) => Number(idle(x)) - Number(idle(y)))) walk(c);
    for (const p of b.pods) out.push({ workload: null, pod: p, depth: b.depth + 1 });
  };
  for (const b of treeOf(state)) walk(b);
  for (const p of lonePods(state)) out.push({ workload: null, pod: p, depth: 0 });
  return out;
}

const idle = (b: Branch): boolean => b.workload.desired === 0 && b.pods.length === 0;

function push<T>(m: Map<string, T[]>, k: string, v: T): void {
  const list = m.get(k);
  if (list) list.push(v);
  else m.set(k, [v]);
}
