// Runs manifests and commands in the simulator and appends what it answers.
import { batch } from '@preact/signals';
import type { Apply, DoArgs, DoOK, File, OpenOK, Progress, State } from '../protocol';
import { isRead, kubectlArgs, lineOf, ownArgs, wordsOf } from '../model/argv';
import { needsExpressions } from '../model/program';
import { countAt, advanceRun, emptyRun, forkRun, NS } from '../model/trace';
import type { Input, Shared } from '../model/url';
import { Client, SimError } from '../sim/client';
import type { Boot } from '../sim/wire';
import * as s from '../state';
import { endCursor, play, stop } from './play';

/** A run goes on for ten virtual minutes after the last document. */
const RUN_SECONDS = 600;
/** Steps in one answer: few enough that the page stays quick. */
const STEPS = 20_000;

export interface Wish { readonly files: readonly File[]; readonly play: boolean; readonly inputs: readonly Input[]; readonly branch: string; readonly cursor: number; }

let client: Client;
let larger: Boot | null = null;
let wish: Wish | null = null;
let inputs: Input[] = [];
let afterFirst: () => void = () => undefined;
let lines = 0;

export function useClient(c: Client, full: Boot, onFirst: () => void): void {
  client = c;
  larger = full.wasm ? full : null;
  afterFirst = onFirst;
  c.call('about', {}).then((a) => { s.about.value = a; }, () => undefined);
}

export const given = (): readonly Input[] => inputs;
export const stale = (): boolean => wish !== null;

/** Runs the files from the start. Of several wishes only the last is carried out. */
export function runFiles(how: { play: boolean }): void {
  wish = { files: s.files.value, play: how.play, inputs: [], branch: 'main', cursor: -1 };
  void work();
}

/** Runs what a link holds. */
export function runShared(shared: Shared): void {
  wish = { ...shared, play: false };
  void work();
}

async function work(): Promise<void> {
  if (s.busy.value) return;
  s.busy.value = true;
  while (wish) {
    const w: Wish = wish;
    wish = null;
    try {
      await carryOut(w);
    } catch (err) {
      await failed(err, w.inputs);
    }
  }
  s.busy.value = false;
}

async function carryOut(w: Wish): Promise<void> {
  if (w.files.every((f) => f.text.trim() === '')) {
    shown(w, { branch: 'main', start: '', apply: [], state: { now: 0, nodes: [], pods: [], workloads: [], services: [] } },
      { now: 0, rev: 0, records: [], nextAt: null, quiescent: true }, null);
    return;
  }
  equip(w.files);
  const [opened, progress, state] = await Promise.all([
    client.call('open', { files: [...w.files] }),
    client.call('advance', { to: RUN_SECONDS, steps: STEPS, untilQuiescent: true }),
    client.call('state', {}),
  ]);
  if (wish) return;
  shown(w, opened, progress, state);
  afterFirst();
  await settle(opened.state.now + RUN_SECONDS);
  for (const input of w.inputs) await replay(input);
  if (w.branch !== s.branch.value && s.runs.value.has(w.branch)) await switchTo(w.branch);
  if (w.cursor >= 0) s.cursor.value = { at: w.cursor, count: countAt(s.records.value, w.cursor) };
}

/** Takes the program that evaluates expressions, once the files hold one; the run begins anew in it. */
function equip(files: readonly File[]): void {
  if (larger && !client.runs(larger) && needsExpressions(files)) client.swap(larger);
}

function shown(w: Wish, opened: OpenOK, progress: Progress, state: State | null): void {
  stop();
  batch(() => {
    s.ahead.value = false;
    s.crash.value = null;
    inputs = [];
    s.branch.value = opened.branch;
    s.branches.value = [{ name: opened.branch, from: '', at: 0 }];
    s.runs.value = new Map([[opened.branch, advanceRun(emptyRun(opened.branch), progress)]]);
    s.applies.value = opened.apply ?? [];
    s.said.value = sayApply(w.files, opened.apply ?? []);
    s.asked.value = 0;
    s.cluster.value = state;
    s.cursor.value = w.play ? { at: 0, count: 0 } : endCursor();
    s.hop.value = null;
    s.epoch.value++;
    s.shown.value++;
  });
  if (w.play) play();
}

/** What kubectl printed for the files, as the first entries of the command list. */
export function sayApply(files: readonly File[], apply: readonly Apply[]): s.Said[] {
  return files.filter((f) => f.text.trim() !== '' || files.length === 1).map((f) => {
    const of = apply.filter((a) => a.file === f.name);
    return {
      id: ++lines, cmd: `kubectl apply -f ${f.name}`, out: of.map((a) => a.stdout).join(''),
      err: of.map((a) => a.stderr).join(''), exit: Math.max(0, ...of.map((a) => a.exit)),
    };
  });
}

/** Advances until nothing more will happen or the moment has come; seconds. */
async function settle(until: number): Promise<void> {
  for (;;) {
    const run = s.run.value;
    if (wish || run.quiescent || run.limit || run.now >= until * NS - 1) return;
    const following = s.atEnd.value && !s.playing.value;
    const before = run.now;
    const progress = await client.call('advance', { to: until, steps: STEPS, untilQuiescent: true });
    if (wish) return;
    appended(progress, following);
    if (progress.records?.length === 0 && s.run.value.now === before) return;
  }
}

function appended(progress: Progress, following: boolean): void {
  batch(() => {
    const runs = new Map(s.runs.value);
    runs.set(s.branch.value, advanceRun(s.run.value, progress));
    s.runs.value = runs;
    if (following) s.cursor.value = endCursor();
    s.epoch.value++;
  });
}

/** Lets the cluster live on beyond its present end. */
export async function runOn(): Promise<void> {
  await guarded(async () => {
    const from = s.run.value.now / NS;
    const progress = await client.call('advance', { to: from + RUN_SECONDS, steps: STEPS });
    appended(progress, true);
  });
}

/** Carries out a line of the kubectl prompt. Reads are answered for the moment of the cursor. */
export async function command(text: string): Promise<void> {
  const { argv, error } = wordsOf(text);
  if (error) return say(text, '', `error: ${error}`, 1);
  const args = kubectlArgs(argv);
  if (args.length === 0) return;
  await guarded(async () => {
    if (isRead(args)) {
      const at = s.atEnd.value ? {} : { at: s.cursor.value.at / NS };
      const a = await client.call('kubectl', { argv: args, files: [...s.files.value], ...at });
      say(text, a.stdout, a.stderr, a.exit);
      return;
    }
    const from = s.cursor.value;
    const at = s.atEnd.value ? {} : { at: from.at / NS };
    await perform(text, { op: 'do', branch: s.branch.value, argv: args, ...at });
    s.cursor.value = from;
    play();
    await settle(s.run.value.now / NS + RUN_SECONDS);
  });
}

/** Sends a request at the cursor and shows how far it came. */
export async function sendRequest(from: string, to: string): Promise<void> {
  await guarded(async () => {
    const at = s.atEnd.value ? {} : { at: s.cursor.value.at / NS };
    await perform(`podwalk request ${from} ${to}`, { op: 'do', branch: s.branch.value, argv: ['podwalk', 'request', from, to], ...at });
    stop();
    await settle(s.run.value.now / NS + RUN_SECONDS);
    s.cursor.value = endCursor();
  });
}

async function replay(input: Input): Promise<void> {
  if (input.branch !== s.branch.value) await switchTo(input.branch);
  await perform(lineOf(input.argv), input);
  await settle(s.run.value.now / NS + RUN_SECONDS);
}

async function perform(text: string, input: Input): Promise<void> {
  const own = ownArgs(input.argv);
  const args: DoArgs = own ?? { kind: 'kubectl', argv: [...input.argv], files: [...s.files.value] };
  if (input.at !== undefined) args.at = input.at;
  const a = await client.call('do', args);
  const first = await client.call('advance', { to: a.now + RUN_SECONDS, steps: STEPS, untilQuiescent: true });
  inputs.push(input);
  merged(a, first, input.at);
  say(text, a.stdout ?? '', a.stderr ?? '', a.exit ?? 0);
}

function merged(a: DoOK, more: Progress, at: number | undefined): void {
  const both = { ...more, records: [...(a.records ?? []), ...(more.records ?? [])] };
  batch(() => {
    const old = s.run.value;
    const name = a.branch ?? old.branch;
    const forked = name !== old.branch;
    const runs = new Map(s.runs.value);
    runs.set(name, forked ? forkRun(old, name, (at ?? 0) * NS, both) : advanceRun(old, both));
    s.runs.value = runs;
    if (forked) s.branches.value = [...s.branches.value, { name, from: old.branch, at: (at ?? 0) * NS }];
    s.branch.value = name;
    s.cursor.value = endCursor();
    s.epoch.value++;
  });
}

export async function switchTo(name: string): Promise<void> {
  await guarded(async () => {
    const progress = await client.call('switch', { branch: name });
    batch(() => {
      s.branch.value = name;
      appended(progress, false);
      s.cursor.value = { at: Math.min(s.cursor.value.at, s.end.value), count: 0 };
      s.cursor.value = { at: s.cursor.value.at, count: countAt(s.records.value, s.cursor.value.at) };
    });
  });
}

function say(cmd: string, out: string, err: string, exit: number): void {
  s.said.value = [...s.said.value.slice(-199), { id: ++lines, cmd, out, err, exit }];
}

async function guarded(what: () => Promise<void>): Promise<void> {
  try {
    await what();
  } catch (err) {
    if (!(err instanceof SimError)) throw err;
    if (err.code === 'panic') await failed(err, inputs);
    else if (err.code !== 'restart') say('', '', err.message, 1);
  }
}

/** A panic: show it, start the simulator anew and replay what was given before. */
async function failed(err: unknown, before: readonly Input[]): Promise<void> {
  if (!(err instanceof SimError)) throw err;
  if (err.code !== 'panic') return;
  const had = s.run.value.records.length > 0 && before === inputs;
  s.crash.value = {
    message: err.message, stack: err.trace, replayed: had,
    scenario: err.scenario || s.files.value.map((f) => f.text).join('\n---\n'),
  };
  client.start();
  if (!had || wish) return;
  const kept = s.crash.value;
  wish = { files: s.files.value, play: false, inputs: [...before], branch: s.branch.value, cursor: s.cursor.value.at };
  await work();
  s.crash.value = kept;
}

export function retry(): void {
  client.start();
  runFiles({ play: false });
}
