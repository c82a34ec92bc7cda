import { h, svg } from './h.ts'

/** Drawn, as not every font has it. */
export const forkSign = (): HTMLElement =>
  h(
    'span',
    { class: 'fork-sign', role: 'img', 'aria-label': 'fork' },
    svg(
      'svg',
      { width: 12, height: 12, viewBox: '0 0 12 12', 'aria-hidden': 'true' },
      svg('path', { class: 'edge', d: 'M3 1V11M3 8C3 5 9 6 9 1' }),
    ),
  )
