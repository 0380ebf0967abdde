import { useEffect, useRef, useState } from 'preact/hooks';

/** The width of an element, followed as it changes. */
export function useWidth(first: number): [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(first);
  useEffect(() => {
    const el = box.current;
    if (!el) return undefined;
    const follow = new ResizeObserver((entries) => setWidth(Math.floor(entries[0]!.contentRect.width)));
    follow.observe(el);
    return () => follow.disconnect();
  }, []);
  return [box, width];
}
