import { checkFunction, checkOptions, invalid, type Names } from '../../options/options.ts'
import { linkedController } from '../linked-signal.ts'
import type { Retries } from '../types.ts'

const RETRIES: Names<Retries> = { times: true, delay: true, factor: true, most: true, when: true }
const LONGEST = 2 ** 31 - 1

export type Plan = Required<{ readonly [K in keyof Retries]: NonNullable<Retries[K]> }>

export function retriesOf(given: number | Retries | undefined): Plan {
  const shape = given === undefined ? { times: 0 } : typeof given === 'number' ? { times: given } : given
  const retries = checkOptions('retries', shape, RETRIES, 'retries')
  const { times, delay = 250, factor = 2, most = 30_000, when = () => true } = retries
  if (!Number.isInteger(times) || times < 0) throw invalid('retries', 'a whole number from 0')
  for (const [name, value] of Object.entries({ delay, factor, most }))
    if (!Number.isFinite(value) || value < 0) throw invalid(`retries.${name}`, 'a number from 0')
  checkFunction('retries.when', when)
  return { times, delay, factor, most, when }
}

export function checkTimeout(timeout: number | undefined): void {
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout > 0))
    throw invalid('timeout', 'milliseconds, more than 0')
}

/** The pause before the next attempt, after so many. A little of it is chance, so that many come apart. */
export function pauseAfter(attempts: number, { delay, factor, most }: Plan): number {
  const whole = Math.min(delay * factor ** (attempts - 1), most, LONGEST)
  return whole * (0.75 + Math.random() / 4)
}

/** How one attempt has gone. */
export type Attempted<T> =
  | { readonly value: T }
  | { readonly error: unknown }
  /** Its time was over; nobody knows what it still does. */
  | { readonly late: unknown }

/** One attempt. Rejects with the run's reason, as soon as that is stopped. */
export async function attemptOnce<T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  signal: AbortSignal,
  timeout: number | undefined,
): Promise<Attempted<Awaited<T>>> {
  signal.throwIfAborted()
  const { controller, unlink } = linkedController([signal])
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise<Attempted<Awaited<T>>>((resolve, reject) => {
      const own = controller.signal
      own.addEventListener(
        'abort',
        () => (signal.aborted ? reject(signal.reason) : resolve({ late: own.reason })),
        {
          once: true,
        },
      )
      if (timeout !== undefined)
        timer = setTimeout(() => controller.abort(tooLate(timeout)), Math.min(timeout, LONGEST))
      new Promise<Awaited<T>>((done) => done(work(own) as Awaited<T>)).then(
        (value) => resolve({ value }),
        (error: unknown) => resolve({ error }),
      )
    })
  } finally {
    clearTimeout(timer)
    unlink()
  }
}

const tooLate = (timeout: number): DOMException =>
  new DOMException(`The step took longer than ${timeout} ms.`, 'TimeoutError')
