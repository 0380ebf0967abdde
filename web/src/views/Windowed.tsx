import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const CHUNK = 60;
const ROW = 29;

interface Props<T> {
  readonly items: readonly T[];
  readonly columns: number;
  readonly head: ComponentChildren;
  readonly row: (item: T, index: number) => ComponentChildren;
  readonly label: string;
  readonly kind: string;
}

/** A table of which only the rows near the view are in the document. */
export function Windowed<T>({ items, columns, head, row, label, kind }: Props<T>) {
  const chunks: T[][] = [];
  for (let i = 0; i < items.length; i += CHUNK) chunks.push(items.slice(i, i + CHUNK));
  return (
    <table class={`table table-${kind}`} aria-label={label} aria-rowcount={items.length + 1}>
      <thead>{head}</thead>
      {chunks.map((rows, c) => (
        <Chunk key={c} size={rows.length} columns={columns} always={chunks.length < 3}>
          {() => rows.map((item, i) => row(item, c * CHUNK + i))}
        </Chunk>
      ))}
    </table>
  );
}

function Chunk(p: { size: number; columns: number; always: boolean; children: () => ComponentChildren }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [near, setNear] = useState(false);
  const height = useRef(p.size * ROW);
  useEffect(() => {
    const el = body.current;
    if (!el || p.always) return undefined;
    const watch = new IntersectionObserver((entries) => {
      const e = entries.at(-1)!;
      if (!e.isIntersecting && e.boundingClientRect.height > 0) height.current = e.boundingClientRect.height;
      setNear(e.isIntersecting);
    }, { root: el.closest('.panel'), rootMargin: '600px 0px' });
    watch.observe(el);
    return () => watch.disconnect();
  }, [p.always]);
  const full = near || p.always;
  return (
    <tbody ref={body}>
      {full ? p.children() : <tr aria-hidden="true"><td colSpan={p.columns} style={{ height: `${height.current}px` }} /></tr>}
    </tbody>
  );
}
