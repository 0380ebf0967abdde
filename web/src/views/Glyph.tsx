import type { Mark } from '../model/flow';

const OCTAGON = '7,2 13,2 18,7 18,13 13,18 7,18 2,13 2,7';

/** The sign of a state: its shape says it without the colour. */
export function Glyph({ mark, size = 20 }: { mark: Mark; size?: number }) {
  return (
    <svg class={`glyph glyph-${mark}`} width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      {mark === 'failed' && <><polygon class="body" points={OCTAGON} /><path class="inside" d="M7 7l6 6M13 7l-6 6" /></>}
      {mark === 'well' && <circle class="body" cx="10" cy="10" r="7" />}
      {mark === 'moving' && <><circle class="ring" cx="10" cy="10" r="6" /><path class="body" d="M10 3a7 7 0 0 0 0 14z" /></>}
      {mark === 'waiting' && <><circle class="ring" cx="10" cy="10" r="6" /><path class="ring" d="M10 6.5V10l2.5 1.5" /></>}
      {mark === 'ahead' && <circle class="ring" cx="10" cy="10" r="5" />}
      {mark === 'passed' && <circle class="body" cx="10" cy="10" r="2.5" />}
    </svg>
  );
}

const ICONS = {
  first: 'M4 3v10M13 3L6 8l7 5z', back: 'M11 3L4 8l7 5z', play: 'M4 2.5L13 8l-9 5.5z', pause: 'M4.5 3v10M11.5 3v10',
  next: 'M5 3l7 5-7 5z', last: 'M12 3v10M3 3l7 5-7 5z', plus: 'M8 3v10M3 8h10', close: 'M4 4l8 8M12 4l-8 8',
  keys: 'M5.5 6a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.7-.9 1.4v.3M8 12.4v.6', present: 'M2 3h12v8H2zM6 14h4M8 11v3',
  auto: 'M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12', light: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v2M8 13v2M1 8h2M13 8h2M3 3l1.5 1.5M11.5 11.5L13 13M13 3l-1.5 1.5M4.5 11.5L3 13',
  dark: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.500 6.500z', edit: 'M3 13l1-3 7-7 2 2-7 7z',
} as const;

export type IconName = keyof typeof ICONS;

export function Icon({ name }: { name: IconName }) {
  return <svg class={`icon icon-${name}`} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path d={ICONS[name]} /></svg>;
}
