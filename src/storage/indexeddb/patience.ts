import { CheckpointerError } from '../../errors.ts'
import { nameOf } from './errors.ts'

/** An answer is waited for so many seconds: a disk may be slow, and others may have much to write first. */
const SECONDS = 60
/** What is read when the database is opened belongs to that, and is waited for as long as that. */
export const SECONDS_TO_OPEN = 10
const SECOND = 1_000
/** One that took longer was slept through, by a frozen tab or a machine: what came meanwhile is heard first. */
const SLEPT = 5_000

type Abortable = Pick<IDBTransaction, 'abort'>

/** What the write comes to. One that has not begun to be committed in time is taken back, and then nothing was written. */
export function writtenInTime<T>(tx: Abortable, writing: Promise<T>): Promise<T> {
  return inTime(SECONDS, writing, () => notWritten(takeBack(tx)))
}

export function readInTime<T>(tx: Abortable, reading: Promise<T>, seconds = SECONDS): Promise<T> {
  return inTime(seconds, reading, () => {
    takeBack(tx)
    return notRead(seconds)
  })
}

/** To wait for a turn on a connection is a part of what is waited for. */
export function turnInTime(turn: Promise<void>, mode: 'readonly' | 'readwrite'): Promise<void> {
  return inTime(SECONDS, turn, () => (mode === 'readonly' ? notRead(SECONDS) : notWritten('none')))
}

/**
 * What the engine answers, or what is thrown when it never does. Seconds are counted, and no clock is asked: who was
 * frozen has not waited.
 */
async function inTime<T>(most: number, answer: Promise<T>, whenLate: () => CheckpointerError): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    let last = performance.now()
    let seconds = 0
    const count = (): void => {
      const isAwake = performance.now() - last < SLEPT
      last = performance.now()
      if (++seconds >= most && isAwake) reject(whenLate())
      else timer = setTimeout(count, SECOND)
    }
    timer = setTimeout(count, SECOND)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
    // Nobody waits for it any more, but it may still come.
    answer.catch(() => undefined)
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

const notWritten = (outcome: 'none' | 'unknown'): CheckpointerError =>
  new CheckpointerError(
    'BLOCKED',
    outcome === 'none'
      ? `Nothing could be written in ${SECONDS} s: another tab stands still in the midst of a change, or the browser does not answer. Nothing was written.`
      : `The browser has not said in ${SECONDS} s whether a change was written: it may have been or not. Call again; a save is recognised.`,
    { outcome },
  )

const notRead = (seconds: number): CheckpointerError =>
  new CheckpointerError(
    'BLOCKED',
    `Nothing could be read in ${seconds} s: another tab stands still in the midst of a change, or the browser does not answer. Close that tab, or restart the browser, and call again.`,
  )
