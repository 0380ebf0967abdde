// The map of the cluster: fixed lanes, the way between two of them, and which
// lane a record belongs to. Pure geometry; pixels.
import type { Record as Rec } from '../protocol';
import { detail, isEvent } from './trace';

export const LANES = ['client', 'apiserver', 'etcd', 'scheduler', 'controllers'] as const;
export type Lane = (typeof LANES)[number] | 'node';

export interface Point { readonly x: number; readonly y: number; }

const SOURCES: { [source: string]: Lane } = {
  kubectl: 'client', podwalk: 'client', fault: 'client',
  apiserver: 'apiserver', authentication: 'apiserver', authorization: 'apiserver', admission: 'apiserver', validation: 'apiserver',
  etcd: 'etcd', scheduler: 'scheduler', 'default-scheduler': 'scheduler',
  kubelet: 'node', runtime: 'node', cni: 'node', 'kube-proxy': 'node',
};

/** The lane in which a record was made: by its source, for an Event by its reporter. */
export function laneOf(r: Rec): Lane {
  const source = isEvent(r) ? detail(r, 'from') ?? '' : r.source;
  const head = source.split(/[/,]/)[0]!;
  return SOURCES[head] ?? 'controllers';
}

export interface NodeBox { readonly name: string; readonly x: number; readonly width: number; }

export interface Layout {
  readonly width: number;
  readonly lanes: { readonly [lane in (typeof LANES)[number]]: Point };
  readonly nodes: readonly NodeBox[];
  /** Nodes for which there is no room. */
  readonly more: number;
  readonly branchY: number;
  readonly busY: number;
  readonly nodeY: number;
}

const NODE_WIDTH = 152;

/** Places the lanes and as many nodes as there is room for; `keep` is always among them. */
export function layoutOf(width: number, names: readonly string[], keep: string): Layout {
  const pad = width < 480 ? 36 : 56;
  const gap = (width - 2 * pad) / (LANES.length - 1);
  const y = 48;
  const lanes = Object.fromEntries(LANES.map((lane, i) => [lane, { x: Math.round(pad + i * gap), y }]));
  const room = Math.max(2, Math.floor((width - 16) / NODE_WIDTH));
  const shown = chosen(names, keep, room);
  const box = shown.length > 0 ? (width - 16) / shown.length : 0;
  const nodes = shown.map((name, i) => ({ name, x: Math.round(8 + i * box), width: Math.floor(box - 16) }));
  return {
    width, lanes: lanes as Layout['lanes'], nodes, more: names.length - shown.length,
    branchY: 72, busY: 96, nodeY: 120,
  };
}

function chosen(names: readonly string[], keep: string, room: number): readonly string[] {
  if (names.length <= room) return names;
  const first = names.slice(0, room);
  if (!keep || first.includes(keep) || !names.includes(keep)) return first;
  return [...names.slice(0, room - 1), keep];
}

/** Where a node's line ends. A node without a place stands in for by the bus. */
export function nodePoint(l: Layout, name: string): Point {
  const box = l.nodes.find((n) => n.name === name);
  if (!box) return { x: l.lanes.apiserver.x, y: l.busY };
  return { x: box.x + 12, y: l.nodeY };
}

export function placeOf(l: Layout, lane: Lane, node: string): Point {
  return lane === 'node' ? nodePoint(l, node) : l.lanes[lane];
}

/** The way from the API server to a place; every component speaks to the API server alone. */
function spoke(l: Layout, lane: Lane, node: string): Point[] {
  const hub = l.lanes.apiserver;
  const end = placeOf(l, lane, node);
  if (lane === 'apiserver') return [hub];
  if (lane === 'client' || lane === 'etcd') return [hub, end];
  const y = lane === 'node' ? l.busY : l.branchY;
  return [hub, { x: hub.x, y }, { x: end.x, y }, end];
}

export interface Stop { readonly lane: Lane; readonly node: string; }

/** The way from one place to another along the lines of the map. */
export function routeOf(l: Layout, from: Stop, to: Stop): Point[] {
  if (from.lane === to.lane && from.node === to.node) return [placeOf(l, to.lane, to.node)];
  const back = spoke(l, from.lane, from.node).reverse();
  const on = spoke(l, to.lane, to.node);
  while (back.length > 1 && on.length > 1 && same(back.at(-2)!, on[1]!)) {
    back.pop();
    on.shift();
  }
  return [...back, ...on.slice(1)];
}

const same = (a: Point, b: Point): boolean => a.x === b.x && a.y === b.y;
const distance = (a: Point, b: Point): number => Math.abs(a.x - b.x) + Math.abs(a.y - b.y);

/** The point at a share (0 to 1) of a route's length. */
export function pointAt(route: readonly Point[], share: number): Point {
  let rest = share * lengthOf(route);
  for (let i = 1; i < route.length; i++) {
    const a = route[i - 1]!;
    const b = route[i]!;
    const d = distance(a, b);
    if (rest <= d && d > 0) return { x: a.x + ((b.x - a.x) * rest) / d, y: a.y + ((b.y - a.y) * rest) / d };
    rest -= d;
  }
  return route.at(-1)!;
}

function lengthOf(route: readonly Point[]): number {
  let sum = 0;
  for (let i = 1; i < route.length; i++) sum += distance(route[i - 1]!, route[i]!);
  return sum;
}

/** SVG path data of a route with rounded corners. */
export function pathOf(route: readonly Point[], radius = 8): string {
  const first = route[0]!;
  let d = `M${first.x} ${first.y}`;
  for (let i = 1; i < route.length; i++) {
    const b = route[i]!;
    const c = route[i + 1];
    if (!c) {
      d += `L${b.x} ${b.y}`;
      break;
    }
    const a = route[i - 1]!;
    const r = Math.min(radius, distance(a, b) / 2, distance(b, c) / 2);
    const p = toward(b, a, r);
    const q = toward(b, c, r);
    d += `L${p.x} ${p.y}Q${b.x} ${b.y} ${q.x} ${q.y}`;
  }
  return d;
}

function toward(from: Point, to: Point, by: number): Point {
  const d = distance(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * by) / d, y: from.y + ((to.y - from.y) * by) / d };
}
