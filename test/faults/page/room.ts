/** A load that runs until something takes its room away; and what it finds then. */
import {
  CheckpointerError,
  openCheckpointer,
  type Checkpointer,
  type OpenOptions,
  type Thread,
} from 'forkpoint'

interface Sized {
  readonly mark: string
  readonly noise: Uint8Array
}

interface Refusal {
  readonly code: string
  readonly outcome?: string
  readonly usage?: { readonly bytes?: number; readonly quota?: number }
}

/** The load that stands still between two calls from outside. */
let at:
  | { readonly checkpointer: Checkpointer; readonly step: () => Promise<void>; readonly warnings: string[] }
  | undefined

/** Saves, forks and writes at random until it is refused; says whether all is as it was before the last step. */
export async function workUntilFull(
  options: OpenOptions,
  numbers: readonly number[],
  stepAt = stepOf,
): Promise<{ steps: number; refusal: Refusal; same: boolean; left: string[]; problems: number }> {
  const warnings: string[] = []
  const checkpointer = await openCheckpointer({ ...options, onWarning: ({ code }) => warnings.push(code) })
  const thread = checkpointer.thread<Sized>('filled')
  let steps = 0
  for (;;) {
    const before = await contents(checkpointer)
    const step = stepAt(thread, steps, numbers[steps % numbers.length] ?? 0)
    at = { checkpointer, step, warnings }
    try {
      await step()
      steps++
    } catch (error) {
      if (!CheckpointerError.is(error)) throw error
      const { code, outcome, usage } = error
      const left = await contents(checkpointer)
      const same = JSON.stringify(left) === JSON.stringify(before)
      const { problems } = await checkpointer.verify()
      const refusal = { code, ...(outcome ? { outcome } : {}), ...(usage ? { usage } : {}) }
      return { steps, refusal, same, left, problems: problems.length }
    }
  }
}

/** There is room again: the step that was refused, and all that follow, must go through. */
export async function goOn(): Promise<{ problems: number; warnings: readonly string[] }> {
  if (!at) throw new Error('nothing has stopped')
  const { checkpointer, step, warnings } = at
  await step()
  await checkpointer.thread<Sized>('filled').save({ mark: 'after', noise: noise(300_000) })
  const { problems } = await checkpointer.verify()
  await checkpointer.close()
  return { problems: problems.length, warnings }
}

/** Saves of one thread alone, whose rows nobody else shows: so all that goes of it makes room. */
export const saveUntilFull = (
  options: OpenOptions,
  numbers: readonly number[],
): ReturnType<typeof workUntilFull> => workUntilFull(options, numbers, saveOf)

/** One may still fit, and need not have room made. */
const MOST_SAVES = 12

/** There is still no room: who lets old checkpoints go has some made, and saves of that size go through. */
export async function haveRoomMade(
  options: OpenOptions,
  { keepLast, size }: { readonly keepLast: number; readonly size: number },
): Promise<{
  refusal: Refusal | undefined
  warnings: readonly string[]
  before: readonly number[]
  after: readonly number[]
  problems: number
  /** What the site takes, by the browser's own count. */
  used: number | undefined
}> {
  if (!at) throw new Error('nothing has stopped')
  await at.checkpointer.close()
  const warnings: string[] = []
  const checkpointer = await openCheckpointer({
    ...options,
    retention: { keepLast, keepLabelled: false },
    onWarning: ({ code }) => warnings.push(code),
  })
  const thread = checkpointer.thread<Sized>('filled')
  const seqs = async (): Promise<number[]> => {
    const found: number[] = []
    for await (const { seq, state } of thread.history({ states: true }))
      if (state.noise.length > 0) found.push(seq)
    return found
  }
  const before = await seqs()
  const step = async (): Promise<void> => void (await thread.save({ mark: 'made room', noise: noise(size) }))
  at = { checkpointer, step, warnings }
  let refusal: Refusal | undefined
  try {
    for (let n = 0; n < MOST_SAVES && !warnings.includes('QUOTA'); n++) await step()
  } catch (error) {
    if (!CheckpointerError.is(error)) throw error
    refusal = { code: error.code, ...(error.outcome ? { outcome: error.outcome } : {}) }
  }
  const { problems } = await checkpointer.verify()
  const { usage: used } = await navigator.storage.estimate()
  return { refusal, warnings, before, after: await seqs(), problems: problems.length, used }
}

/** The same in another browser, as it was left there. */
export async function goOnThere(
  options: OpenOptions,
  { steps, left }: { readonly steps: number; readonly left: readonly string[] },
): Promise<{ same: boolean; problems: number; warnings: readonly string[] }> {
  const warnings: string[] = []
  const checkpointer = await openCheckpointer({ ...options, onWarning: ({ code }) => warnings.push(code) })
  const same = JSON.stringify(await contents(checkpointer)) === JSON.stringify(left)
  at = { checkpointer, step: stepOf(checkpointer.thread<Sized>('filled'), steps, 1), warnings }
  return { same, ...(await goOn()) }
}

function stepOf(thread: Thread<Sized>, n: number, number: number): () => Promise<void> {
  const state = stateFor(n, number)
  if (n > 0 && n % 5 === 4)
    return async () =>
      void (await thread.fork({ as: `fork ${n}`, edit: () => ({ ...state, mark: `fork ${n}` }) }))
  if (n > 0 && n % 7 === 6)
    return async () => {
      const head = await thread.load()
      await thread.putWrites(head?.seq ?? 1, `task ${n}`, [{ channel: 'noise', value: state.noise }])
    }
  return saveOf(thread, n, number)
}

const stateFor = (n: number, number: number): Sized => ({
  mark: `${n}`,
  noise: noise(1000 + Math.floor(number * 400_000)),
})

const saveOf = (thread: Thread<Sized>, n: number, number: number) => async (): Promise<void> =>
  void (await thread.save(stateFor(n, number)))

async function contents(checkpointer: Checkpointer): Promise<string[]> {
  const found: string[] = []
  for await (const { id } of checkpointer.threads()) {
    const thread = checkpointer.thread<Sized>(id)
    for await (const { seq, state } of thread.history({ states: true }))
      found.push(`${id} ${seq} ${state.mark} ${state.noise.length}`)
    found.push(`${id} ${(await thread.load())?.pendingWrites.length} writes`)
  }
  return found.sort()
}

const noise = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length)
  for (let from = 0; from < length; from += 65_536)
    crypto.getRandomValues(bytes.subarray(from, from + 65_536))
  return bytes
}
