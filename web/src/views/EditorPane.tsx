import { useEffect, useRef } from 'preact/hooks';
import { examples } from 'podwalk:examples';
import { Editor } from '../editor/editor';
import { askSchema, edited } from '../actions/page';
import { command, runFiles } from '../actions/run';
import * as s from '../state';
import { CommandLine } from './CommandLine';
import { FileTabs } from './FileTabs';
import { Problems } from './Problems';

/** The manifest as files, what is wrong with it, and a kubectl prompt. */
export function EditorPane() {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor | null>(null);
  useEffect(() => {
    const e = new Editor(host.current!, {
      changed: edited, ask: askSchema, label: s.words.peek().editor, run: () => runFiles({ play: true }),
      leave: () => document.getElementById('run')?.focus(),
    });
    editor.current = e;
    const off = [
      s.loaded.subscribe(() => e.load(s.files.peek(), s.activeFile.peek())),
      s.activeFile.subscribe((i) => { e.show(i); mark(e); }),
      s.marks.subscribe(() => mark(e)),
      s.wantFocus.subscribe((place) => { if (place) e.goTo(place.line, place.column); s.wantFocus.value = null; }),
    ];
    return () => { off.forEach((f) => f()); e.destroy(); };
  }, []);
  return (
    <section class="left" aria-label={s.words.value.editor}>
      <FileTabs />
      <About />
      <div class="editor" id="editor" ref={host} />
      <Problems />
      <CommandLine />
    </section>
  );
}

/** What the example shows, and what may be tried with it. */
function About() {
  const e = examples.find((x) => x.id === s.origin.value);
  const about = s.lang.value === 'zh' ? e?.zh.about : e?.about;
  if (!e || !about) return null;
  return (
    <p class="about">{about}
      {e.commands.slice(0, 2).map((c) => <button key={c} type="button" class="link mono" onClick={() => void command(c)}>{c}</button>)}
    </p>
  );
}

function mark(e: Editor): void {
  e.mark(s.marks.peek(), s.files.peek()[s.activeFile.peek()]?.name ?? '');
}
