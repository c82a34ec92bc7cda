import type { RunInfo } from '../../index.ts'
import { h } from '../dom/h.ts'
import { instant, moment } from '../text/units.ts'

export const runBadge = ({ status }: RunInfo): HTMLElement =>
  h('span', { class: `badge run-${status}` }, status)

export const timeOf = (at: Date): HTMLElement =>
  h('time', { datetime: Number.isNaN(at.getTime()) ? '' : at.toISOString(), title: instant(at) }, moment(at))
