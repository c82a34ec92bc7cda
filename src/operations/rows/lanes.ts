import { holds, isList, isName, isPair, isSeq } from '../shapes/shape.ts'
import { randomName } from '../../platform/random.ts'

/**
 * A thread's own rows stand in a lane of their own. A fork does not copy: it shows the lanes of its origin up
 * to the fork point, each as a segment, and then its own lane. What it deletes of borrowed rows it only hides.
 *
 *     origin  [ lane a: 1 … ]
 *     fork    [ lane a: 1 … 12 ][ lane b: 13 … ]
 *     of that [ lane a: 1 … 12 ][ lane b: 13 … 15 ][ lane c: 16 … ]
 */
export interface Segment {
  readonly lane: string
  /** The last seq shown; absent for the thread's own lane, which is the last segment. */
  readonly to?: number
  /** Rows that stand in the lane for the sake of other threads, but are gone from this one. */
  readonly hide?: Ranges
  /**
   * Here rows may be missing, as this thread has removed some; anywhere else in the segment each seq that is not
   * hidden has its row. So a row that vanished by itself is noticed.
   */
  readonly gone?: Ranges
}

/** Seqs as ranges, both ends included, ascending, neither touching nor overlapping. */
export type Ranges = readonly (readonly [from: number, to: number])[]

const isRanges = isList(isPair(isSeq, isSeq))
const isSegment = holds<Segment>({ lane: isName, to: isSeq, hide: isRanges, gone: isRanges }, [
  'to',
  'hide',
  'gone',
])

/** Lanes that follow each other, each with its end, and then this one, which has none. */
export function leadTo(segments: unknown, lane: unknown): segments is readonly Segment[] {
  if (!Array.isArray(segments) || !segments.every(isSegment) || segments.at(-1)?.lane !== lane) return false
  const ends = segments.map(({ to }) => to)
  return (
    ends.pop() === undefined &&
    ends.every((to, i) => to !== undefined && (i === 0 || to >= (ends[i - 1] ?? 0)))
  )
}

/** A segment with the bounds that it has in its thread. */
export interface Stretch extends Segment {
  readonly from: number
  readonly last: number
}

export function stretches(segments: readonly Segment[]): Stretch[] {
  let from = 0
  return segments.map((segment) => {
    const stretch = { ...segment, from, last: segment.to ?? Number.MAX_SAFE_INTEGER - 1 }
    from = stretch.last + 1
    return stretch
  })
}

/** The lane that a seq of this thread stands in, whether it is shown or not. */
export function laneOf(segments: readonly Segment[], seq: number): Segment {
  return segments.find((segment) => segment.to === undefined || seq <= segment.to) as Segment
}

/** Whether a thread with these segments shows the row of this lane and seq, if the row exists. */
export function shows(segments: readonly Segment[], lane: string, seq: number): boolean {
  const segment = laneOf(segments, seq)
  return segment.lane === lane && !includes(segment.hide, seq)
}

export function includes(ranges: Ranges | undefined, seq: number): boolean {
  return ranges !== undefined && ranges.some(([from, to]) => from <= seq && seq <= to)
}

/** Adds seqs to ranges. */
export const withSeqs = (ranges: Ranges | undefined, seqs: Iterable<number>): Ranges =>
  withMore(
    ranges,
    [...seqs].map((seq) => [seq, seq]),
  )

/** What of a range is not in these. */
export function without([from, to]: Ranges[number], ranges: Ranges = []): [from: number, to: number][] {
  const left: [number, number][] = []
  let next = from
  for (const [first, last] of ranges) {
    if (first > to) break
    if (first > next) left.push([next, first - 1])
    next = Math.max(next, last + 1)
  }
  if (next <= to) left.push([next, to])
  return left
}

/** Adds ranges to ranges. */
export function withMore(ranges: Ranges | undefined, more: Ranges): Ranges {
  const all = [...(ranges ?? []), ...more].sort((a, b) => a[0] - b[0])
  const joined: [number, number][] = []
  for (const [from, to] of all) {
    const last = joined.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}

/** Bounds what a thread's row has to carry for a pattern of removals. */
const MOST_GONE = 16

/** The same for what is gone: where there are too many ranges, the closest become one. */
export const withGone = (ranges: Ranges | undefined, more: Ranges): Ranges =>
  fewRanges(withMore(ranges, more))

/** So many ranges at most, which cover what these do: apart where they are furthest apart. */
export function fewRanges(ranges: Ranges, most = MOST_GONE): Ranges {
  if (ranges.length <= most) return ranges
  const space = (i: number): number => (ranges[i + 1]?.[0] ?? 0) - (ranges[i]?.[1] ?? 0)
  const ends = new Set(
    [...ranges.keys()]
      .slice(0, -1)
      .sort((a, b) => space(b) - space(a))
      .slice(0, most - 1),
  )
  const few: [number, number][] = []
  let isOpen = false
  for (const [i, [from, to]] of ranges.entries()) {
    const last = few.at(-1)
    if (isOpen && last) last[1] = to
    else few.push([from, to])
    isOpen = !ends.has(i)
  }
  return few
}

/** The segments of a fork that continues after `at` in a lane of its own. */
export function borrow(segments: readonly Segment[], at: number, lane: string): Segment[] {
  const borrowed: Segment[] = []
  const upTo = (ranges: Ranges | undefined): Ranges =>
    (ranges ?? []).filter(([start]) => start <= at).map(([start, end]) => [start, Math.min(end, at)])
  for (const { from, last, lane: theirs, ...rest } of stretches(segments)) {
    if (from > at) break
    const [hide, gone] = [upTo(rest.hide), upTo(rest.gone)]
    borrowed.push({
      lane: theirs,
      to: Math.min(last, at),
      ...(hide.length > 0 ? { hide } : {}),
      ...(gone.length > 0 ? { gone } : {}),
    })
  }
  return [...borrowed, { lane }]
}

/** A name for a new lane: unique in its partition, since no lane is ever reused. */
export const newLane = (): string => randomName(9)
