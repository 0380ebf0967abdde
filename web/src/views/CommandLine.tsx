import { useEffect, useRef, useState } from 'preact/hooks';
import { examples } from 'podwalk:examples';
import { command } from '../actions/run';
import * as s from '../state';

/** A kubectl prompt; what was typed is kept for the arrow keys. */
export function CommandLine() {
  const w = s.words.value;
  const list = useRef<HTMLDivElement>(null);
  const [text, type] = useState('');
  const [back, look] = useState(0);
  const said = s.said.value;
  useEffect(() => { list.current?.scrollTo(0, list.current.scrollHeight); }, [said]);
  const typed = said.map((e) => e.cmd).filter(Boolean);
  const recall = (to: number): void => {
    if (to < 0 || to > typed.length) return;
    look(to);
    type(to === 0 ? '' : typed[typed.length - to]!);
  };
  return (
    <div class="console">
      <div class="said mono" ref={list} role="log" aria-label={w.session} tabIndex={0}>
        {said.map((e) => <Entry key={e.id} e={e} />)}
      </div>
      <form class="prompt mono" onSubmit={(e) => { e.preventDefault(); void command(text); type(''); look(0); }}>
        <label for="kubectl" aria-hidden="true">$</label>
        <input id="kubectl" aria-label={w.commandLine} placeholder={examples.find((e) => e.id === s.origin.value)?.commands[0] ?? w.commandHint} value={text} autocomplete="off" spellcheck={false}
          autocapitalize="off" onInput={(e) => type(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key === 'ArrowUp') { e.preventDefault(); recall(back + 1); }
            if (e.key === 'ArrowDown') { e.preventDefault(); recall(back - 1); }
            if (e.key === 'Escape') e.currentTarget.blur();
          }} />
      </form>
    </div>
  );
}

function Entry({ e }: { e: s.Said }) {
  return (
    <div class="entry">
      {e.cmd && <p class="cmd">$ {e.cmd}</p>}
      {e.out && <pre>{e.out}</pre>}
      {e.err && <pre class={e.exit === 0 ? '' : 'err'}>{e.err}</pre>}
    </div>
  );
}
