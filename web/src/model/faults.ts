// What is out of order, read from the records of faults. Pure.
import type { Record as Rec } from '../protocol';
import { detail } from './trace';

/** What a node suffers from. */
export interface NodeTrouble {
  readonly down: boolean;
  readonly kubelet: boolean;
  readonly cut: boolean;
  readonly short: ReadonlySet<string>;
}

export interface Trouble {
  readonly nodes: ReadonlyMap<string, NodeTrouble>;
  /** Components that stand still. */
  readonly stopped: ReadonlySet<string>;
  /** Whether no image can be pulled from anywhere. */
  readonly registries: boolean;
}

export const NO_TROUBLE: NodeTrouble = { down: false, kubelet: false, cut: false, short: new Set() };

/** The state after so many records. */
export function troubleOf(records: readonly Rec[], count: number): Trouble {
  const nodes = new Map<string, NodeTrouble>();
  const stopped = new Set<string>();
  let registries = false;
  for (const r of records) {
    if (r.id > count) break;
    const [name, first = '', what = ''] = (detail(r, 'fault') ?? '').split(' ');
    const next = name ? nodeAfter(nodes.get(first) ?? NO_TROUBLE, name, what) : null;
    if (next) nodes.set(first, next);
    if (name === 'component-stop') stopped.add(first);
    if (name === 'component-start') stopped.delete(first);
    if (name === 'registry-down' && !first) registries = true;
    if (name === 'registry-up' && !first) registries = false;
  }
  return { nodes, stopped, registries };
}

function nodeAfter(n: NodeTrouble, fault: string, what: string): NodeTrouble | null {
  const short = new Set(n.short);
  if (fault === 'node-down') return { ...n, down: true };
  if (fault === 'node-up') return { ...n, down: false, kubelet: false };
  if (fault === 'kubelet-stop') return { ...n, kubelet: true };
  if (fault === 'kubelet-start') return { ...n, kubelet: false };
  if (fault === 'network-cut') return { ...n, cut: true };
  if (fault === 'network-heal') return { ...n, cut: false };
  if (fault === 'pressure') return { ...n, short: short.add(what) };
  if (fault === 'relief' && short.delete(what)) return { ...n, short };
  return null;
}

/** What can be done to a node: the key of its words and the command line. */
export interface Deed { readonly word: DeedWord; readonly line: string; }
export type DeedWord =
  | 'nodeDown' | 'nodeUp' | 'kubeletStop' | 'kubeletStart' | 'networkCut' | 'networkHeal' | 'memoryShort' | 'memoryBack' | 'cordon' | 'uncordon' | 'drain';

export function deedsOf(node: string, schedulable: boolean, t: NodeTrouble): Deed[] {
  const fault = (word: DeedWord, name: string, more = ''): Deed => ({ word, line: `podwalk fault ${name} ${node}${more}` });
  const out = [t.down ? fault('nodeUp', 'node-up') : fault('nodeDown', 'node-down')];
  if (!t.down) {
    out.push(t.kubelet ? fault('kubeletStart', 'kubelet-start') : fault('kubeletStop', 'kubelet-stop'));
    out.push(t.short.has('memory') ? fault('memoryBack', 'relief', ' memory') : fault('memoryShort', 'pressure', ' memory'));
  }
  out.push(t.cut ? fault('networkHeal', 'network-heal') : fault('networkCut', 'network-cut'));
  out.push(schedulable ? { word: 'cordon', line: `kubectl cordon ${node}` } : { word: 'uncordon', line: `kubectl uncordon ${node}` });
  out.push({ word: 'drain', line: `kubectl drain ${node} --ignore-daemonsets --delete-emptydir-data --force` });
  return out;
}
