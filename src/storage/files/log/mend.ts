import { CheckpointerError } from '../../../errors.ts'
import { syncFolder, writeAt } from '../file-system.ts'
import { NEWLINE } from './line.ts'
import type { OpenLog } from './log.ts'
import { rewrite, type Desk } from './write.ts'

const PIECE = 1 << 20

/**
 * Makes a log whole, under its lock: what was never finished is cut off, and lines that are not as they were written are left out.
 * What goes is kept in the folder `damaged`, and told.
 */
export async function mend(
  desk: Desk,
  partition: string,
  log: OpenLog,
  confirm: () => Promise<void>,
  tell: (warning: CheckpointerError) => void,
): Promise<void> {
  const { path, index, size } = log
  if (log.isDamaged) {
    const kept = await setAside(desk, log, 0)
    await rewrite(desk, partition, log, confirm)
    const places = index.damage.map(({ at, length }) => (length === 0 ? `before ${at}` : `${at}`))
    tell(
      new CheckpointerError(
        'DATA_LOSS',
        `${path} had ${places.length} lines that were not as they were written, at bytes ${places.slice(0, 20).join(', ')}. What they said is lost: threads may lack checkpoints, or be as they were earlier, and what was deleted may be back. The file is kept as ${kept}.`,
      ),
    )
    return
  }
  const tail = await log.bytes(index.end, size - index.end)
  const kept = await setAside(desk, log, index.end)
  const { fs, folder } = desk
  if (index.end === 0) {
    await confirm()
    await fs.unlink(path)
  } else {
    const file = await fs.open(path, 'r+')
    try {
      await confirm()
      await file.truncate(index.end)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  await syncFolder(fs, folder)
  tell(tail.includes(NEWLINE) ? lostLine(path, tail.length, kept) : cutOff(path, tail.length, kept))
}

/** A copy of what stands from a place on. */
async function setAside({ fs, folder }: Desk, log: OpenLog, from: number): Promise<string> {
  const name = log.path.slice(log.path.lastIndexOf('/') + 1)
  const time = new Date().toISOString().replace(/[:.]/g, '-')
  const path = `${folder}/damaged/${time}-${name}`
  await fs.mkdir(`${folder}/damaged`, { recursive: true })
  const file = await fs.open(path, 'w')
  try {
    for (let at = from; at < log.size; at += PIECE)
      await writeAt(file, await log.bytes(at, Math.min(PIECE, log.size - at)), at - from)
    await file.sync()
  } finally {
    await file.close()
  }
  return path
}

const cutOff = (path: string, bytes: number, kept: string): CheckpointerError =>
  new CheckpointerError(
    'CORRUPT',
    `${path} ended in the midst of a line, whose ${bytes} bytes were cut off: a process or the machine was stopped while it wrote. A commit that was acknowledged ends with its line. The bytes are kept as ${kept}.`,
  )

const lostLine = (path: string, bytes: number, kept: string): CheckpointerError =>
  new CheckpointerError(
    'DATA_LOSS',
    `${path} ended in ${bytes} bytes that are not as they were written, and were cut off. The latest commit may be lost, although it was acknowledged. The bytes are kept as ${kept}.`,
  )
