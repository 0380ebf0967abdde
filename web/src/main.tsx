// Start: the workers, the state, the page.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { examples } from 'podwalk:examples';
import { first } from 'podwalk:first';
import { loadFiles, openLink, recall, useSchema } from './actions/page';
import { keyPressed } from './actions/keys';
import { endCursor } from './actions/play';
import { watchReads } from './actions/read';
import { runFiles, useClient } from './actions/run';
import { showFirst } from './actions/first';
import { Client } from './sim/client';
import { bootOf, meta, spawn } from './sim/early';
import { Linter } from './sim/lint';
import type { WorkerLike } from './sim/wire';
import * as s from './state';
import { App } from './views/App';

const client = new Client(spawn, bootOf('play', 'podwalkHandle'), (st) => { s.status.value = st; });
const linter = new Linter(() => new Worker(meta('worker')) as WorkerLike, bootOf('lint', 'podwalkLint'), (marks) => { s.lintMarks.value = marks; });

client.start();
useClient(client, bootOf('full', 'podwalkHandle'), () => linter.start());
useSchema((a, k, p) => linter.schema(a, k, p));
watchReads(client);
recall();
follow();
document.addEventListener('keydown', keyPressed);
window.addEventListener('hashchange', () => void openLink());

render(<App />, document.getElementById('app')!);
void begin();

async function begin(): Promise<void> {
  if (location.hash && await openLink()) return;
  const example = examples.find((e) => e.id === first?.id) ?? examples[0];
  loadFiles(example ? example.files.map((f) => ({ ...f })) : [{ name: 'pod.yaml', text: '' }], example?.id ?? '');
  if (first && first.id === example?.id) {
    showFirst(first);
    s.cursor.value = endCursor();
  }
  runFiles({ play: false });
}

function follow(): void {
  const small = matchMedia('(max-width: 899px)');
  const fit = (): void => {
    s.narrow.value = small.matches;
    if (!small.matches && (s.tab.value === 'editor' || s.tab.value === 'map')) s.tab.value = 'events';
  };
  small.addEventListener('change', fit);
  fit();
  effect(() => {
    document.documentElement.lang = s.lang.value === 'zh' ? 'zh-CN' : 'en';
    document.documentElement.dataset['theme'] = s.theme.value;
  });
  effect(() => {
    document.documentElement.dataset['busy'] = String(s.busy.value);
  });
  effect(() => linter.check(s.files.value));
}
