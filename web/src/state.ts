// All that the page knows, as signals. Only actions write them; everything that
// can be worked out is computed().
import { computed, signal } from '@preact/signals';
import type { About, Apply, ExplainOK, File, Mark, MatrixOK, PodState, Record as Rec, Ref, RulesOK, State } from './protocol';
import { indexPods, lineOf, nodeAt, podKey, shapeOf } from './model/flow';
import { troubleOf } from './model/faults';
import { lastSent, rulesChangedAt } from './model/network';
import { attemptsOf } from './model/scheduling';
import { followed, podsOf } from './model/select';
import { laneOf, type Stop } from './model/stage';
import { reached, scaleOf, stepsOf, type Cursor, type Step } from './model/timeline';
import { emptyRun, isEvent, refKey, samePod, type Run } from './model/trace';
import { WORDS, type Lang } from './model/words';
import type { Status } from './sim/client';

export interface Crash { readonly message: string; readonly stack: string; readonly scenario: string; readonly replayed: boolean; }
export interface Said { readonly id: number; readonly cmd: string; readonly out: string; readonly err: string; readonly exit: number; }
export interface BranchInfo { readonly name: string; readonly from: string; readonly at: number; }
export interface Hop { readonly from: Stop; readonly to: Stop; readonly ms: number; readonly serial: number; }
export type Theme = 'auto' | 'light' | 'dark';
export type Tab = 'events' | 'describe' | 'yaml' | 'logs' | 'why' | 'scheduling' | 'network' | 'workloads' | 'cluster' | 'editor' | 'map';
export const TABS = ['events', 'describe', 'yaml', 'logs', 'why', 'scheduling', 'network', 'workloads', 'cluster'] as const;

export const files = signal<readonly File[]>([]);
export const activeFile = signal(0);
/** Counts replacements of the files from outside the editor. */
export const loaded = signal(0);
export const example = signal('');
/** The example that was loaded last, also when its text has been changed since. */
export const origin = signal('');

/** A line that the editor should show. */
export const wantFocus = signal<{ readonly line: number; readonly column: number } | null>(null);

export const status = signal<Status>({ phase: 'off' });
export const crash = signal<Crash | null>(null);
export const notice = signal('');
/** True while the page shows the result that was computed when it was built. */
export const ahead = signal(false);

export const applies = signal<readonly Apply[]>([]);
export const runs = signal<ReadonlyMap<string, Run>>(new Map());
export const branch = signal('main');
export const branches = signal<readonly BranchInfo[]>([]);
/** Counts runs and inputs: what was read before belongs to another world. */
export const epoch = signal(0);
/** How many results of the simulator have been shown, and whether one is being worked out. */
export const shown = signal(0);
export const busy = signal(false);
export const cursor = signal<Cursor>({ at: 0, count: 0 });
/** While playing, the moment between two steps; else null. */
export const glide = signal<number | null>(null);
export const hop = signal<Hop | null>(null);
export const playing = signal(false);
export const speed = signal(1);
export const chosen = signal<Ref | null>(null);
/** What Describe and YAML are about where it is not the followed pod. */
export const inspected = signal<Ref | null>(null);

export const said = signal<readonly Said[]>([]);
export const lintMarks = signal<readonly Mark[]>([]);
export const cluster = signal<State | null>(null);
/** The text of the open panel and what it is about. */
export const text = signal<{ readonly about: string; readonly out: string; readonly err: string; readonly exit: number }>({ about: '', out: '', err: '', exit: 0 });
export const logOf = signal<{ readonly container: string; readonly previous: boolean }>({ container: '', previous: false });
export const asked = signal(0);
export const explained = signal<{ readonly record: number; readonly answer: ExplainOK } | null>(null);

/** What the network panel shows, and of what. */
export type NetView = 'request' | 'rules' | 'matrix';
export const netView = signal<NetView>('request');
export const rulesOn = signal('');
export const rulesMode = signal('');
export const rules = signal<RulesOK | null>(null);
/** Whether only what the last change did to the rules is shown, and the rules before it. */
export const rulesChange = signal(false);
export const rulesBefore = signal<readonly string[]>([]);
export const matrix = signal<MatrixOK | null>(null);

export const about = signal<About | null>(null);

export const tab = signal<Tab>('events');
export const lang = signal<Lang>('en');
export const theme = signal<Theme>('auto');
export const presenting = signal(false);
export const helping = signal(false);
export const narrow = signal(false);

export const words = computed(() => WORDS[lang.value]);
export const run = computed(() => runs.value.get(branch.value) ?? emptyRun(branch.value));
export const records = computed(() => run.value.records);
export const end = computed(() => Math.max(run.value.now, records.value.at(-1)?.at ?? 0));
export const atEnd = computed(() => cursor.value.count >= records.value.length && cursor.value.at >= end.value);

export const pods = computed(() => podsOf(records.value));
const index = computed(() => indexPods(records.value));
export const pod = computed(() => followed(pods.value, records.value, chosen.value));
const ofPod = computed<readonly number[]>(() => (pod.value ? index.value.get(podKey(pod.value)) ?? [] : []));
const ofAny = computed<readonly number[]>(() => {
  const out: number[] = [];
  records.value.forEach((r, i) => { if (r.at > 0 && r.ref.kind !== 'Node') out.push(i); });
  return out;
});
const focus = computed(() => (pod.value ? ofPod.value : ofAny.value));

export const steps = computed<readonly Step[]>(() => stepsOf(records.value, focus.value));
/** Steps of all objects, for what happens after the followed pod's last one. */
export const allSteps = computed<readonly Step[]>(() => stepsOf(records.value, records.value.map((_, i) => i)));
export const step = computed(() => reached(steps.value, cursor.value));
export const scale = computed(() => scaleOf(records.value.map((r) => r.at), end.value));
export const moment = computed(() => glide.value ?? cursor.value.at);

/** What Describe and YAML print. */
export const subject = computed(() => inspected.value ?? pod.value);

const shape = computed(() => shapeOf(records.value, focus.value));
export const line = computed(() => lineOf(records.value, focus.value, cursor.value.count, shape.value));
export const current = computed<Rec | null>(() => {
  const s = steps.value[step.value - 1];
  return s ? records.value[s.index]! : null;
});
/** Where the token is: where the last record that has a stage was made. */
export const place = computed<Stop | null>(() => (line.value.gone ? null : placeAt(cursor.value.count)));
export const node = computed(() => nodeAt(records.value, ofPod.value, cursor.value.count));

/** The token's place after so many records. Reports without a stage do not move it. */
export function placeAt(count: number): Stop | null {
  let last: Rec | null = null;
  for (const i of focus.value) {
    if (i >= count) break;
    if (records.value[i]!.stage) last = records.value[i]!;
  }
  return last && stopOf(last);
}

/** From where to where the current step was told: from its cause to itself. */
export const trail = computed<readonly [Stop, Stop] | null>(() => {
  const r = current.value;
  const cause = r?.cause ? records.value.find((x) => x.id === r.cause) : undefined;
  return r && cause ? [stopOf(cause), stopOf(r)] : null;
});

/** Where on the map a record of the followed pod was made. */
export function stopOf(r: Rec): Stop {
  const lane = laneOf(r);
  if (lane !== 'node') return { lane, node: '' };
  const named = r.detail?.find((d) => d.name === 'node')?.value;
  return { lane, node: named ?? nodeAt(records.value, ofPod.value, records.value.length) };
}

export const podState = computed<PodState | null>(() => {
  const p = pod.value;
  if (!p) return null;
  return cluster.value?.pods.find((s) => samePod({ kind: 'Pod', namespace: s.namespace, name: s.name }, p)) ?? null;
});

export const ofPodSeen = computed<readonly Rec[]>(() => {
  const out: Rec[] = [];
  for (const i of focus.value) {
    if (i >= cursor.value.count) break;
    out.push(records.value[i]!);
  }
  return out;
});
export const allEvents = computed(() => focus.value.map((i) => records.value[i]!).filter(isEvent));
export const events = computed(() => ofPodSeen.value.filter(isEvent));
/** What was taken for granted or is not simulated, each said once. */
export const notes = computed<readonly Rec[]>(() => {
  const said = new Map<string, Rec>();
  for (const r of records.value.slice(0, cursor.value.count)) {
    if (r.verdict !== 'assumed' && r.verdict !== 'not simulated') continue;
    if (r.ref.name && !(pod.value && samePod(r.ref, pod.value))) continue;
    if (r.message && !said.has(r.message)) said.set(r.message, r);
  }
  return [...said.values()];
});
const faults = computed(() => records.value.filter((r) => r.source === 'fault'));
/** What is out of order at the cursor. */
export const trouble = computed(() => troubleOf(faults.value, records.value[cursor.value.count - 1]?.id ?? 0));
export const sent = computed(() => lastSent(records.value, cursor.value.count));
/** When the rules last changed at the cursor, ns. */
export const rulesChanged = computed(() => rulesChangedAt(records.value, cursor.value.count));
/** The node whose rules are shown: the chosen one, else that of the followed pod, else the first. */
export const rulesNode = computed(() => {
  const names = (cluster.value?.nodes ?? []).map((n) => n.name);
  return [rulesOn.value, node.value].find((n) => names.includes(n)) ?? names[0] ?? '';
});
export const attempts = computed(() => (pod.value ? attemptsOf(records.value, pod.value, cursor.value.count) : []));

/** The first document that was not accepted. */
export const refused = computed(() => applies.value.find((a) => a.exit !== 0) ?? null);
export const marks = computed<readonly Mark[]>(() => {
  const out: Mark[] = [];
  const seen = new Set<string>();
  const all = [...applies.value.flatMap((a) => a.marks ?? []), ...lintMarks.value];
  for (const m of all) {
    const key = `${m.file}:${m.line}:${m.column}`;
    if (!seen.has(key)) out.push(m);
    seen.add(key);
  }
  return out;
});
export const podName = (r: Ref): string => refKey(r).split('/').slice(1).join('/');
/** The name of a panel's text: what it shows of which object. */
export const aboutText = (tab: Tab, of: Ref): string => `${tab} ${refKey(of)}`;
