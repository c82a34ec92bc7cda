import type { JSX } from 'preact'

/** Drawn with one pen, 20 by 20. */
const PATHS = {
  again: 'M15.5 10a5.5 5.5 0 1 1-1.6-3.9M15.8 3.5v3.2h-3.2',
  back: 'M12.5 4.5 7 10l5.5 5.5',
  close: 'M5 5l10 10M15 5 5 15',
  copy: 'M7.5 7.5h8v8h-8zM4.5 12.5v-8h8',
  down: 'M10 4.5v11M5.5 11l4.5 4.5 4.5-4.5',
  edit: 'M4.5 15.5l.8-3.2 8-8 2.4 2.4-8 8z',
  forward: 'M7.5 4.5 13 10l-5.5 5.5',
  inspect: 'M6 4.5v11M6 9.5c5 0 8-1 8-4.5M4.5 4.5h3M4.5 15.5h3M12.5 4.5h3',
  more: 'M4.5 10h1M9.5 10h1M14.5 10h1',
  menu: 'M4 6h12M4 10h12M4 14h12',
  plus: 'M10 4.5v11M4.5 10h11',
  send: 'M10 15.5v-11M5.5 9 10 4.5 14.5 9',
  stop: 'M6.5 6.5h7v7h-7z',
  trash: 'M4.5 6h11M8 6V4.5h4V6M6 6l.6 9.5h6.8L14 6',
  tool: 'M12.8 4.6a3.6 3.6 0 0 0-4 5L4.5 14l1.5 1.5 4.4-4.3a3.6 3.6 0 0 0 5-4l-2 2-2-.6-.6-2z',
  check: 'M4.5 10.5l3.5 3.5 7.5-8',
} as const

export function Icon({ name }: { readonly name: keyof typeof PATHS }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
