import { useRef } from 'preact/hooks';
import { inspect } from '../actions/page';
import { command } from '../actions/run';
import { deedsOf, NO_TROUBLE } from '../model/faults';
import * as s from '../state';

/** A node's name; a press opens what can be done to the node. */
export function NodeMenu({ name, schedulable }: { name: string; schedulable: boolean }) {
  const w = s.words.value;
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLUListElement>(null);
  const trouble = s.trouble.value.nodes.get(name) ?? NO_TROUBLE;
  const place = (): void => {
    const b = button.current!.getBoundingClientRect();
    const m = menu.current!;
    m.style.left = `${Math.max(8, Math.min(b.left, innerWidth - m.offsetWidth - 8))}px`;
    m.style.top = `${b.bottom + m.offsetHeight + 8 > innerHeight ? Math.max(8, b.top - m.offsetHeight - 4) : b.bottom + 4}px`;
  };
  const choose = (act: () => void): void => {
    menu.current?.hidePopover();
    button.current?.focus();
    act();
  };
  return (
    <>
      <button ref={button} type="button" class="quiet mono node-name" title={`${name}: ${w.nodeMenu}`} aria-haspopup="true"
        onClick={() => menu.current?.togglePopover()}>{name}</button>
      <ul ref={menu} popover="auto" class="menu" aria-label={`${name}: ${w.nodeMenu}`}
        onToggle={(e) => { if (e.newState === 'open') { place(); menu.current?.querySelector('button')?.focus(); } }}>
        {deedsOf(name, schedulable, trouble).map((d) => (
          <li key={d.word}><button type="button" title={d.line} onClick={() => choose(() => void command(d.line))}>{w.deeds[d.word]}</button></li>
        ))}
        <li><button type="button" onClick={() => choose(() => inspect({ kind: 'Node', name }))}>{w.describe}</button></li>
      </ul>
    </>
  );
}

/** What goes wrong in the whole cluster, as switches. */
export function ClusterFaults() {
  const w = s.words.value;
  const t = s.trouble.value;
  const parts = [['scheduler', w.scheduler], ['controller-manager', w.controllerManager], ['apiserver', w.apiserver]] as const;
  return (
    <div class="faults" role="group" aria-label={w.faults}>
      <span class="facts">{w.faults}</span>
      {parts.map(([name, word]) => (
        <Switch key={name} off={t.stopped.has(name)} word={word} line={`podwalk fault component-${t.stopped.has(name) ? 'start' : 'stop'} ${name}`} />
      ))}
      <Switch off={t.registries} word={w.registries} line={`podwalk fault registry-${t.registries ? 'up' : 'down'}`} />
    </div>
  );
}

function Switch({ off, word, line }: { off: boolean; word: string; line: string }) {
  const w = s.words.value;
  return <button type="button" aria-pressed={off} title={line} onClick={() => void command(line)}>{word}{off ? `: ${w.standsStill}` : ''}</button>;
}
