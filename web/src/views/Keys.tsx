import { useEffect, useRef } from 'preact/hooks';
import * as s from '../state';

export function Keys() {
  const w = s.words.value;
  const box = useRef<HTMLDialogElement>(null);
  const open = s.helping.value;
  const about = s.about.value;
  useEffect(() => {
    const d = box.current;
    if (open && d && !d.open) d.showModal();
    if (!open && d?.open) d.close();
  }, [open]);
  return (
    <dialog ref={box} aria-labelledby="keys-title" onClose={() => { s.helping.value = false; }}>
      <h2 id="keys-title">{w.keys}</h2>
      <dl>{w.keyList.map(([k, what]) => <div key={k}><dt class="mono">{k}</dt><dd>{what}</dd></div>)}</dl>
      {about && <>
        <h3>{w.notSimulated}</h3>
        <p class="facts">Kubernetes {about.kubernetes}</p>
        <ul class="plain" lang="en">{about.notSimulated.map((x) => <li key={x}>{x}</li>)}</ul>
      </>}
      <button type="button" onClick={() => { s.helping.value = false; }}>{w.close}</button>
    </dialog>
  );
}
