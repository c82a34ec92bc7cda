import { CheckpointerError } from '../../errors.ts'
import { nameOf } from './errors.ts'

/** A write is waited for so many seconds: a disk may be slow, and others may have much to write first. */
const SECONDS = 60
const SECOND = 1_000
/** One that took longer was slept through, by a frozen tab or a machine: what came meanwhile is heard first. */
const SLEPT = 5_000

type Abortable = Pick<IDBTransaction, 'abort'>

/**
 * What the write comes to, or `BLOCKED` when the engine never says. Seconds are counted, and no clock is asked: who was
 * frozen has not waited. What has not begun to be committed is taken back, and then nothing was written.
 */
export async function withPatience<T>(tx: Abortable, writing: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    let last = performance.now()
    let seconds = 0
    const count = (): void => {
      const isAwake = performance.now() - last < SLEPT
      last = performance.now()
      if (++seconds >= SECONDS && isAwake) reject(blocked(takeBack(tx)))
      else timer = setTimeout(count, SECOND)
    }
    timer = setTimeout(count, SECOND)
  })
  try {
    return await Promise.race([writing, late])
  } finally {
    clearTimeout(timer)
    // Nobody waits for it any more, but it may still come.
    writing.catch(() => undefined)
  }
}

function takeBack(tx: Abortable): 'none' | 'unknown' {
  try {
    tx.abort()
    return 'none'
  } catch (error) {
    if (nameOf(error) !== 'InvalidStateError') throw error
    return 'unknown'
  }
}

const blocked = (outcome: 'none' | 'unknown'): CheckpointerError =>
  new CheckpointerError(
    'BLOCKED',
    outcome === 'none'
      ? `Nothing could be written in ${SECONDS} s: another tab stands still in the midst of a change, or the browser does not answer. Nothing was written.`
      : `The browser has not said in ${SECONDS} s whether a change was written: it may have been or not. Call again; a save is recognised.`,
    { outcome },
  )
