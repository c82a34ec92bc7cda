/** A run that more than one tab wants to have. */
import { CheckpointerError, openCheckpointer, type Checkpointer, type RunOptions } from 'forkpoint'
import { receiptIn, type Reply } from '../support/effects.ts'

interface Errands {
  done: string[]
}

export interface RaceEnd {
  /** How it began and what it came to; or the code it was refused with. */
  readonly end: string
  /** Why its signal was aborted, if it was. */
  readonly signal: string
}

let opened: Promise<Checkpointer> | undefined
const checkpointer = (): Promise<Checkpointer> => (opened ??= openCheckpointer({ name: 'raced' }))

const ask = async (body: object): Promise<unknown> =>
  (await fetch('/world', { method: 'POST', body: JSON.stringify(body) })).json()

const codeOf = (error: unknown): string => (CheckpointerError.is(error) ? error.code : String(error))

/** Runs so many errands, each done outside; a checkpoint after every third. */
export async function runErrands(
  id: string,
  { tab, errands, ...options }: RunOptions<Errands> & { readonly tab: string; readonly errands: number },
): Promise<RaceEnd> {
  const thread = (await checkpointer()).thread<Errands>(id)
  let signal: AbortSignal | undefined
  const run = thread.run({ runId: id, initial: { done: [] }, ...options }, async (loop) => {
    ;({ signal } = loop)
    while (loop.state.done.length < errands) {
      const n = loop.state.done.length
      const receipt = await loop.step(
        'errand',
        async ({ key, attempt, token }) =>
          receiptIn((await ask({ call: { what: `errand ${n}`, key, attempt, token, told: tab } })) as Reply),
        {
          effect: 'external',
          whenUnknown: async (step) => (await ask({ step, token: loop.token })) as { value: string },
        },
      )
      loop.state.done.push(receipt)
      if (n % 3 === 2) await loop.save()
    }
  })
  const end = await run.then(({ began }) => began, codeOf)
  return { end, signal: signal?.aborted ? codeOf(signal.reason) : 'none' }
}

/** Has the database open: who opens it only beside a tab that stands still in the midst of a change is told BLOCKED. */
export const readyToRun = async (): Promise<void> => void (await checkpointer())

/** The thread as somebody finds it who has just come. */
export async function errandsDone(id: string): Promise<{ done: readonly string[]; problems: string[] }> {
  const looking = await openCheckpointer({ name: 'raced' })
  const head = await looking.thread<Errands>(id).load()
  const { problems } = await looking.verify()
  await looking.close()
  return { done: head?.state.done ?? [], problems: problems.map((each) => JSON.stringify(each)) }
}
