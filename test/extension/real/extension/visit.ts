import type { Checkpointer, CheckpointerError } from 'forkpoint'

/** What is seen of a visit in its thread, from any other context. */
export interface Visit {
  /** Values that JSON lacks. */
  readonly came: Date
  readonly met: Set<string>
  heard: string[]
  /** What became of looking elsewhere. */
  readonly elsewhere: string
}

const codeOf = (error: unknown): string => (error as CheckpointerError).code

/** What each context of an extension can do with the store: save, load, hear, and have a run that asks somebody. */
export async function visit(checkpointer: Checkpointer, id: string): Promise<void> {
  const thread = checkpointer.thread<Visit>(id)
  const heard: string[] = []
  checkpointer.subscribe(({ type }) => void heard.push(type))
  const elsewhere = await checkpointer
    .thread('secret')
    .load()
    .then((found) => (found ? 'found' : 'nothing'), codeOf)
  await thread.save({ came: new Date(1_000), met: new Set(), heard: [], elsewhere })
  await thread.run({ runId: `visit of ${id}` }, async ({ state, step, ask, save }) => {
    state.met.add(await step('look around', () => 'a step'))
    await save()
    state.met.add(await ask<string>('Who is there?'))
    state.heard = [...new Set(heard)].sort()
  })
}
