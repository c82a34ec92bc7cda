import { svg } from '../dom/h.ts'
import type { LaneRow } from './lanes.ts'
import type { GraphRow } from './rows.ts'

export const ROW = 28
const LANE = 14
const COLOURS = 6

const x = (lane: number): number => lane * LANE + LANE / 2 + 3

interface Look {
  readonly lanes: number
  readonly kind: GraphRow['kind']
  readonly isHead: boolean
  readonly isBase: boolean
}

/** The piece of the graph that belongs to one row; pieces meet at the edges of rows. */
export function drawLanes({ lane, fromAbove, joins, passes, down }: LaneRow, look: Look): SVGSVGElement {
  const middle = ROW / 2
  const at = x(lane)
  const lines = [
    ...passes.map((other) => path(other, `M${x(other)} 0V${ROW}`)),
    ...joins.map((other) => path(other, `M${x(other)} 0Q${x(other)} ${middle} ${at} ${middle}`)),
    ...(fromAbove ? [path(lane, `M${at} 0V${middle}`)] : []),
    ...(down === 'line' ? [path(lane, `M${at} ${middle}V${ROW}`)] : []),
    ...(down === 'gone' ? [path(lane, `M${at} ${middle}V${ROW}`, 'edge gone')] : []),
  ]
  const width = x(look.lanes - 1) + LANE / 2 + 3
  return svg(
    'svg',
    { class: 'lanes', width, height: ROW, 'aria-hidden': 'true' },
    ...lines,
    ...node(at, lane, look),
  )
}

const path = (lane: number, d: string, look = 'edge'): SVGPathElement =>
  svg('path', { class: `${look} lane-${lane % COLOURS}`, d })

function node(at: number, lane: number, { kind, isHead, isBase }: Look): SVGElement[] {
  const cy = ROW / 2
  const colour = `lane-${lane % COLOURS}`
  if (kind !== 'checkpoint')
    return [svg('rect', { class: `node other ${colour}`, x: at - 4, y: cy - 4, width: 8, height: 8, rx: 2 })]
  const circle = svg('circle', { class: `node ${isHead ? 'head ' : ''}${colour}`, cx: at, cy, r: 4.5 })
  return isBase ? [svg('circle', { class: 'base', cx: at, cy, r: 8 }), circle] : [circle]
}
