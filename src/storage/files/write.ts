import { randomId } from '../../ids.ts'
import { TABLES } from '../storage.ts'
import { CheckpointerError } from '../../errors.ts'
import { isNoEntry, makeFolder, syncFolder, writeAt, type FileSystem, type OpenFile } from './file-system.ts'
import { failedWrite } from './errors.ts'
import type { Spot } from './index.ts'
import { FORMAT, toLine, type Entry, type Header } from './line.ts'
import type { OpenLog } from './log.ts'

/** What all writing of a log is done with, by whoever holds its lock. */
export interface Desk {
  readonly fs: FileSystem
  readonly folder: string
}

const headerOf = (partition: string): Header => ({ n: 0, log: randomId(), format: FORMAT, partition })

/** Puts a line behind the others, or begins the log with it. When this resolves, it is on the disk. */
export async function append(
  { fs, folder }: Desk,
  path: string,
  partition: string,
  log: OpenLog | undefined,
  content: Omit<Entry, 'n'>,
): Promise<void> {
  const entry = { n: (log?.index.n ?? 0) + 1, ...content }
  const line = toLine(entry)
  if (log && log.index.end > 0) {
    const at = log.index.end
    const file = await fs.open(path, 'r+')
    try {
      await writeWhole(file, line, at)
      await flushed(() => file.datasync())
    } finally {
      await file.close()
    }
    // Somebody who reads may have come upon it already.
    if (log.index.end === at) log.index.apply(entry, at, line.length)
    return
  }
  const file = await created(fs, folder, path)
  try {
    await writeWhole(file, joined([toLine(headerOf(partition)), line]), 0)
    await flushed(() => file.sync())
  } finally {
    await file.close()
  }
  await flushed(() => syncFolder(fs, folder))
}

async function created(fs: FileSystem, folder: string, path: string): Promise<OpenFile> {
  try {
    return await fs.open(path, 'w')
  } catch (error) {
    if (!isNoEntry(error)) throw error
    await makeFolder(fs, folder)
    return fs.open(path, 'w')
  }
}

/** What was not written whole is cut off again: then nothing was written. */
async function writeWhole(file: OpenFile, bytes: Uint8Array, at: number): Promise<void> {
  try {
    await writeAt(file, bytes, at)
  } catch (error) {
    await file.truncate(at)
    throw failedWrite(error)
  }
}

/** The bytes are there, and whether they stay nobody can say. */
async function flushed(flush: () => Promise<void>): Promise<void> {
  try {
    await flush()
  } catch (cause) {
    throw new CheckpointerError(
      'FAILED',
      `The file system has not said that a commit is on the disk, and it may be lost or not: ${String(cause)}`,
      { cause, outcome: 'unknown' },
    )
  }
}

/** So much is written at once. */
const PIECE = 1 << 20

/**
 * Writes a log anew, with those rows that are still there, each with the version that it had. The new file takes the place of
 * the old one when it is whole and on the disk; who has the old one open reads on in that.
 */
export async function rewrite({ fs, folder }: Desk, partition: string, log: OpenLog): Promise<void> {
  const { path, index } = log
  const spots = TABLES.flatMap((table) => index.tables.all(table)).sort((a, b) => a.at - b.at)
  const next = `${path}.new`
  const file = await fs.open(next, 'w')
  try {
    let waiting = [toLine(headerOf(partition))]
    let n = 0
    let at = 0
    const write = async (): Promise<void> => {
      const bytes = joined(waiting)
      waiting = []
      await writeAt(file, bytes, at)
      at += bytes.length
    }
    for (const some of inPieces(spots)) {
      for (const [place, entry] of await log.lines(some)) {
        const puts = some.filter((spot) => spot.at === place).map(({ number }) => entry.puts?.[number])
        const { at: since, version } = entry
        waiting.push(toLine({ n: ++n, at: since, version, puts: puts.filter((put) => put !== undefined) }))
      }
      await write()
    }
    await write()
    await file.sync()
  } finally {
    await file.close()
  }
  await fs.rename(next, path)
  await syncFolder(fs, folder)
}

/** Whole lines at a time. */
function* inPieces(spots: readonly Spot[]): Generator<readonly Spot[]> {
  let some: Spot[] = []
  let bytes = 0
  for (const spot of spots) {
    if (bytes >= PIECE && spot.at !== some.at(-1)?.at) {
      yield some
      some = []
      bytes = 0
    }
    some.push(spot)
    bytes += spot.weight
  }
  if (some.length > 0) yield some
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
