import { useLayoutEffect } from 'preact/hooks';
import { Crash } from './Crash';
import { EditorPane } from './EditorPane';
import { Keys } from './Keys';
import { Line } from './Line';
import { Panels } from './Panels';
import { Stage } from './Stage';
import { Timeline } from './Timeline';
import { TopBar } from './TopBar';
import * as s from '../state';

export function App() {
  const shown = s.shown.value;
  useLayoutEffect(() => {
    document.documentElement.dataset['shown'] = String(shown);
    if (shown === 1) performance.mark('podwalk:shown');
  }, [shown]);
  const small = s.narrow.value;
  const stage = small ? s.tab.value === 'map' : true;
  return (
    <div class={`app${s.presenting.value ? ' presenting' : ''}${small ? ' narrow' : ''}`}>
      <TopBar />
      {!small && !s.presenting.value && <EditorPane />}
      <main class="right">
        <Crash />
        <Line />
        {!small && stage && <Stage />}
        {!s.presenting.value && <Panels />}
      </main>
      <Timeline />
      <Keys />
      <p class="notice" role="status">{s.notice.value}</p>
    </div>
  );
}
