// Reads what views show at the cursor: the cluster's state, the open panel's text,
// the explanation of a record. Of several questions only the newest is asked.
import { effect, untracked } from '@preact/signals';
import { first } from 'podwalk:first';
import { textAhead } from './first';
import { NS } from '../model/trace';
import type { Ref, RulesArgs } from '../protocol';
import type { Client } from '../sim/client';
import * as s from '../state';
import { stale } from './run';

/** One question at a time; while it is being answered only the newest next one is kept. */
class Latest {
  private busy = false;
  private next: (() => Promise<void>) | null = null;

  ask(what: () => Promise<void>): void {
    this.next = what;
    if (!this.busy) void this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    while (this.next) {
      const what = this.next;
      this.next = null;
      await what().catch(() => undefined);
    }
    this.busy = false;
  }
}

const state = new Latest();
const panel = new Latest();
const why = new Latest();
const net = new Latest();

export function watchReads(client: Client): void {
  effect(() => readState(client));
  effect(() => readText(client));
  effect(() => readWhy(client));
  effect(() => readNetwork(client));
}

function readState(client: Client): void {
  const epoch = s.epoch.value;
  const at = s.cursor.value.at / NS;
  if (s.ahead.value || epoch === 0) return;
  const known = untracked(() => s.cluster.value);
  if (known && Math.abs(known.now - at) < 1e-9 && untracked(() => s.atEnd.value)) return;
  state.ask(async () => {
    const answer = await client.call('state', { at });
    if (epoch === s.epoch.value && !stale()) s.cluster.value = answer;
  });
}

function readText(client: Client): void {
  const epoch = s.epoch.value;
  const at = s.cursor.value.at / NS;
  const tab = s.tab.value;
  const of = tab === 'logs' ? s.pod.value : s.subject.value;
  const log = s.logOf.value;
  if (!of) return;
  const about = s.aboutText(tab, of);
  if (s.ahead.value) {
    const known = textAhead(first, tab, s.podName(of));
    if (known) s.text.value = { about, ...known };
  }
  if (s.ahead.value || epoch === 0) return;
  const argv = argvOf(tab, of, log);
  if (!argv) return;
  panel.ask(async () => {
    const a = await client.call('kubectl', { argv, at });
    if (epoch === s.epoch.value && !stale()) s.text.value = { about, out: a.stdout, err: a.stderr, exit: a.exit };
  });
}

function argvOf(tab: s.Tab, of: Ref, log: { container: string; previous: boolean }): string[] | null {
  const within = of.namespace ? ['-n', of.namespace] : [];
  const kind = of.kind.toLowerCase();
  if (tab === 'describe') return ['describe', kind, of.name, ...within];
  if (tab === 'yaml') return ['get', kind, of.name, ...within, '-o', 'yaml'];
  if (tab !== 'logs') return null;
  const argv = ['logs', of.name, ...within];
  if (log.container) argv.push('-c', log.container);
  if (log.previous) argv.push('--previous');
  return argv;
}

function readWhy(client: Client): void {
  const record = s.asked.value;
  const epoch = s.epoch.value;
  if (!record || s.ahead.value) {
    s.explained.value = null;
    return;
  }
  why.ask(async () => {
    const answer = await client.call('explain', { record });
    if (epoch === s.epoch.value) s.explained.value = { record, answer };
  });
}

function readNetwork(client: Client): void {
  const epoch = s.epoch.value;
  const at = s.cursor.value.at / NS;
  const [view, node, mode] = [s.netView.value, s.rulesNode.value, s.rulesMode.value];
  const change = s.rulesChange.value ? s.rulesChanged.value / NS : 0;
  if (s.tab.value !== 'network' || s.ahead.value || epoch === 0) return;
  net.ask(async () => {
    if (view === 'rules' && node) await readRules(client, { node, at, ...(mode ? { mode } : {}) }, change);
    if (view === 'matrix') s.matrix.value = await client.call('matrix', { at });
  });
}

/** A moment before a change, in seconds. */
const BEFORE = 1e-6;

async function readRules(client: Client, args: RulesArgs, change: number): Promise<void> {
  const now = await client.call('rules', args);
  const before = change > BEFORE ? await client.call('rules', { ...args, at: change - BEFORE }) : now;
  s.rulesBefore.value = before.lines;
  s.rules.value = now;
}
