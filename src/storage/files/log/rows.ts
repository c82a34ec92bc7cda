import { CheckpointerError } from '../../../errors.ts'
import type { Row } from '../../storage.ts'
import { readAt, type OpenFile } from '../file-system.ts'
import type { Spot } from './log-index.ts'
import { fromLine, isHeader, type Entry } from './line.ts'
import { rowOf } from './logged-put.ts'

/** Lines so near to each other are read at once, and up to so much of them. */
const NEAR = 16 * 1024
const MOST_AT_ONCE = 1 << 20

/** The rows at some places of a log. Each line is checked again: what changed on the disk since is told. */
export async function readRows(file: OpenFile, spots: readonly Spot[], path: string): Promise<Row[]> {
  const entries = await readLines(file, spots, path)
  return spots.map(({ at, number, version }) => {
    const put = entries.get(at)?.puts?.[number]
    if (!put) throw damaged(path, at)
    return rowOf(put, version)
  })
}

/** The lines of some rows, by their places. */
export async function readLines(
  file: OpenFile,
  spots: readonly Spot[],
  path: string,
): Promise<Map<number, Entry>> {
  const entries = new Map<number, Entry>()
  for (const { from, to, lines } of together(spots)) {
    const bytes = await readAt(file, from, to - from)
    for (const { at, length } of lines) {
      const content = fromLine(bytes.subarray(at - from, at - from + length - 1))
      if (!content || isHeader(content)) throw damaged(path, at)
      entries.set(at, content)
    }
  }
  return entries
}

interface Piece {
  readonly from: number
  readonly to: number
  readonly lines: readonly Spot[]
}

function together(spots: readonly Spot[]): Piece[] {
  const lines = [...new Map(spots.map((spot) => [spot.at, spot])).values()].sort((a, b) => a.at - b.at)
  const pieces: Piece[] = []
  for (const spot of lines) {
    const last = pieces.at(-1)
    const to = spot.at + spot.length
    if (last && spot.at - last.to <= NEAR && to - last.from <= MOST_AT_ONCE)
      pieces[pieces.length - 1] = { ...last, to, lines: [...last.lines, spot] }
    else pieces.push({ from: spot.at, to, lines: [spot] })
  }
  return pieces
}

const damaged = (path: string, at: number): CheckpointerError =>
  new CheckpointerError(
    'CORRUPT',
    `The line at byte ${at} of ${path} is not as it was written. The next time that the file is opened, the line is set aside.`,
  )
