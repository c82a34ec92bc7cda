import { joined } from '../../../platform/bytes.ts'
import { randomId } from '../../../ids.ts'
import { TABLES } from '../../storage.ts'
import { CheckpointerError } from '../../../errors.ts'
import { isNoEntry, makeFolder, syncFolder, writeAt, type FileSystem, type OpenFile } from '../file-system.ts'
import { failedWrite } from '../errors.ts'
import type { Spot } from './log-index.ts'
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
  // Of a log that was never begun, what was killed or found no room may have left an empty file.
  if (log && log.index.end > 0) {
    const at = log.index.end
    const entry = { n: log.index.n + 1, ...content }
    const line = toLine(entry)
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
    await writeWhole(file, joined([toLine(headerOf(partition)), toLine({ n: 1, ...content })]), 0)
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
 * the old one when it is whole and on the disk, and the lock is still held; who has the old one open reads on in that.
 */
export async function rewrite(
  desk: Desk,
  partition: string,
  log: OpenLog,
  confirm: () => Promise<void>,
): Promise<void> {
  const { fs, folder } = desk
  await sweep(desk, log.path)
  // A name of its own: who was taken for dead may write on in his, and must not do so in this one.
  const next = `${log.path}.${randomId()}${UNFINISHED}`
  try {
    await writeRows(fs, next, partition, log)
    await confirm()
    await fs.rename(next, log.path)
  } catch (error) {
    await fs.unlink(next).catch(() => {})
    throw error
  }
  await syncFolder(fs, folder)
}

const UNFINISHED = '.new'

/**
 * Takes away what others that have died in the midst of writing a log anew have left. It is asked for by who holds its lock: one
 * who was only stopped, be it right before his rename, cannot bring his file into place any more.
 */
export async function sweep({ fs, folder }: Desk, path: string): Promise<void> {
  const before = `${path.slice(path.lastIndexOf('/') + 1)}.`
  for (const file of await fs.readdir(folder)) {
    if (!file.startsWith(before) || !file.endsWith(UNFINISHED)) continue
    // With a dot in it, it is that of a thread whose name begins with this file's.
    const id = file.slice(before.length, -UNFINISHED.length)
    if (!id.includes('.')) await fs.unlink(`${folder}/${file}`).catch(() => {})
  }
}

async function writeRows(fs: FileSystem, path: string, partition: string, log: OpenLog): Promise<void> {
  const { tables } = log.index
  const spots = TABLES.flatMap((table) => tables.all(table)).sort((a, b) => a.at - b.at)
  const file = await fs.open(path, 'wx')
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
