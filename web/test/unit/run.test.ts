// The way from a wish to the state, with a simulator that is a table of answers.
import assert from 'node:assert/strict';
import test from 'node:test';
import { command, runFiles, useClient } from '../../src/actions/run';
import type { Client } from '../../src/sim/client';
import { SimError } from '../../src/sim/client';
import type { Boot } from '../../src/sim/wire';
import * as s from '../../src/state';
import { rec, trace } from '../support/make';

Object.assign(globalThis, { requestAnimationFrame: () => 0, cancelAnimationFrame: () => undefined, matchMedia: () => ({ matches: true }) });

const records = trace(rec(0.02, 'kubectl', { stage: 'submitted' }), rec(1, 'kubelet', { stage: 'ready' }));
const state = { now: 0.02, nodes: [], pods: [], workloads: [], services: [] };
const progress = { now: 1, rev: 2, records, nextAt: null, quiescent: true };
const apply = [{ object: 'Pod/default/web', file: 'pod.yaml', line: 1, exit: 0, stdout: 'pod/web created\n', stderr: '' }];

type Answers = { [op: string]: (args: never) => unknown };
const larger = { exec: 'x.js', wasm: 'full.wasm', size: 10, handle: 'h' };
function simulator(answers: Answers = {}): { calls: string[]; starts: number; programs: string[] } {
  const seen = { calls: [] as string[], starts: 0, programs: ['play.wasm'] };
  const all: Answers = {
    open: () => ({ branch: 'main', start: '', apply, state }), advance: () => progress, state: () => state,
    kubectl: () => ({ stdout: 'out\n', stderr: '', exit: 0 }), do: () => ({ ...progress, records: [], stdout: 'done\n' }), about: () => ({}), ...answers,
  };
  useClient({
    call: async (op: string, args: never) => { if (op !== 'about') seen.calls.push(op); await Promise.resolve(); return all[op]!(args); },
    start: () => { seen.starts++; },
    runs: (b: Boot) => seen.programs.at(-1) === b.wasm,
    swap: (b: Boot) => { seen.programs.push(b.wasm); },
  } as unknown as Client, larger, () => undefined);
  return seen;
}

const idle = async (): Promise<void> => { do await new Promise((done) => setTimeout(done, 1)); while (s.busy.value); };

function files(text: string): void {
  s.files.value = [{ name: 'pod.yaml', text }];
}

test('a run shows its records, what kubectl printed, and stands at its end', async () => {
  simulator();
  files('kind: Pod');
  runFiles({ play: false });
  await idle();
  assert.equal(s.records.value.length, 2);
  assert.equal(s.cursor.value.count, 2);
  assert.equal(s.said.value[0]!.out, 'pod/web created\n');
  assert.equal(s.pod.value!.name, 'web');
});

test('of several edits while a run is being worked out only the last is run', async () => {
  const seen = simulator();
  for (const text of ['a', 'b', 'c', 'd']) {
    files(text);
    runFiles({ play: false });
  }
  await idle();
  assert.equal(seen.calls.filter((c) => c === 'open').length, 2);
});

test('a policy is run in the program that evaluates expressions, which then stays', async () => {
  const seen = simulator();
  for (const text of ['kind: Pod', 'kind: ValidatingAdmissionPolicy', 'kind: MutatingAdmissionPolicy', 'kind: Pod']) {
    files(text);
    runFiles({ play: false });
    await idle();
  }
  assert.deepEqual(seen.programs, ['play.wasm', 'full.wasm']);
  assert.equal(seen.calls.filter((c) => c === 'open').length, 4);
});

test('an empty editor asks the simulator for nothing', async () => {
  const seen = simulator();
  files('  \n');
  runFiles({ play: false });
  await idle();
  assert.deepEqual(seen.calls, []);
  assert.equal(s.records.value.length, 0);
});

test('a command that reads is answered at the cursor, one that writes goes on from there', async () => {
  const seen = simulator();
  files('kind: Pod');
  runFiles({ play: false });
  await idle();
  await command('kubectl get pods');
  assert.equal(s.said.value.at(-1)!.out, 'out\n');
  await command('kubectl delete pod web');
  assert.equal(s.said.value.at(-1)!.out, 'done\n');
  assert.ok(seen.calls.includes('do'));
  await command('get "pods');
  assert.match(s.said.value.at(-1)!.err, /unclosed quote/);
});

test('a panic in a command restarts the simulator, replays what was given before, and is shown', async () => {
  let broken = true;
  const seen = simulator({ do: () => {
    if (broken) throw new SimError({ code: 'panic', message: 'boom', stack: 'at x' });
    return progress;
  } });
  files('kind: Pod');
  runFiles({ play: false });
  await idle();
  await command('delete pod web');
  broken = false;
  assert.equal(seen.starts, 1);
  assert.equal(s.crash.value!.message, 'boom');
  assert.ok(s.crash.value!.replayed);
  assert.equal(seen.calls.filter((c) => c === 'open').length, 2);
});

test('a panic while opening is shown and not tried again by itself', async () => {
  const seen = simulator({ open: () => { throw new SimError({ code: 'panic', message: 'bad', stack: '' }); } });
  files('kind: Pod # other');
  runFiles({ play: false });
  await idle();
  assert.equal(seen.calls.filter((c) => c === 'open').length, 1);
  assert.equal(s.crash.value!.message, 'bad');
  assert.equal(s.crash.value!.replayed, false);
});
