import type { GraphRow } from './rows.ts'

/** Lanes beyond this are drawn as one: very many branches at once cannot be told apart anyway. */
export const MOST_LANES = 12

/** What is drawn in one row, from its upper to its lower edge. */
export interface LaneRow {
  readonly lane: number
  /** Whether the line of its own lane comes from above. */
  readonly fromAbove: boolean
  /** Lanes of its other children, which end in it. */
  readonly joins: readonly number[]
  /** Lanes that pass by. */
  readonly passes: readonly number[]
  /** What it continues: something further down, nothing, or something that is gone. */
  readonly down: 'line' | 'none' | 'gone'
}

/** Gives each row its place in the graph. Rows come newest first: what continues something stands above it. */
export function lanesOf(rows: readonly GraphRow[]): LaneRow[] {
  const there = new Set(rows.map((row) => (row.kind === 'checkpoint' ? row.info.id : undefined)))
  const lanes = new Lanes()
  return rows.map((row) => {
    const children = row.kind === 'checkpoint' ? lanes.end(row.info.id) : []
    const parent = row.kind === 'checkpoint' ? row.info.parentId : row.parentId
    const first = children[0] ?? lanes.free()
    const passes = lanes.drawn()
    const down = parent === undefined ? 'none' : there.has(parent) ? 'line' : 'gone'
    if (parent !== undefined && down === 'line') lanes.lead(first, parent)
    const lane = Math.min(first, MOST_LANES - 1)
    const joins = drawn(children).filter((other) => other !== lane)
    return { lane, fromAbove: children.length > 0, joins, passes, down }
  })
}

/** Which lanes are in use, and where they lead to. Nothing here takes longer where there are very many. */
class Lanes {
  readonly #to = new Map<string, number[]>()
  readonly #used: boolean[] = []
  /** How many are in use of those that are drawn as one. */
  #beyond = 0
  /** None before it is free. */
  #firstFree = 0

  free(): number {
    while (this.#used[this.#firstFree]) this.#firstFree++
    return this.#firstFree
  }

  lead(lane: number, to: string): void {
    this.#used[lane] = true
    if (lane >= MOST_LANES - 1) this.#beyond++
    const others = this.#to.get(to)
    if (others) others.push(lane)
    else this.#to.set(to, [lane])
  }

  /** Those that lead here; they are free from here on. */
  end(here: string): readonly number[] {
    const lanes = (this.#to.get(here) ?? []).sort((a, b) => a - b)
    this.#to.delete(here)
    for (const lane of lanes) {
      this.#used[lane] = false
      if (lane >= MOST_LANES - 1) this.#beyond--
      this.#firstFree = Math.min(this.#firstFree, lane)
    }
    return lanes
  }

  drawn(): number[] {
    const lanes: number[] = []
    const end = Math.min(this.#used.length, MOST_LANES - 1)
    for (let lane = 0; lane < end; lane++) if (this.#used[lane]) lanes.push(lane)
    return this.#beyond > 0 ? [...lanes, MOST_LANES - 1] : lanes
  }
}

const drawn = (lanes: readonly number[]): number[] => [
  ...new Set(lanes.map((lane) => Math.min(lane, MOST_LANES - 1))),
]

export const widthOf = (rows: readonly LaneRow[]): number => {
  let most = 0
  for (const { lane, passes } of rows) most = Math.max(most, lane, ...passes)
  return most + 1
}
