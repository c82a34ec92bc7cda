import { openCheckpointer, type Thread } from 'forkpoint'
import type { ForkTimings, RemovalTimings } from './api.ts'
import { NAME, SHORT, SMALL } from './saves.ts'
import { pause, timed } from './timing.ts'

/** Each fork leaves a thread behind, in both families alike. */
export async function forks({ times }: { readonly times: number }): Promise<ForkTimings> {
  const checkpointer = await openCheckpointer({ name: NAME })
  const short = checkpointer.thread(SHORT)
  const long = checkpointer.thread('plain')
  const verbs = {
    short: () => short.fork(),
    long: () => long.fork(),
    early: () => long.fork({ at: 10 }),
  } satisfies Record<keyof ForkTimings, () => Promise<Thread>>
  await checkpointer.thread(SMALL).load()
  const timings: ForkTimings = { short: [], long: [], early: [] }
  const names = Object.keys(verbs) as (keyof ForkTimings)[]
  for (let i = 0; i < times; i++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(i + turn) % names.length] as keyof ForkTimings
      timings[name].push((await timed(verbs[name])).wall)
      await pause(4)
    }
  }
  await checkpointer.close()
  return timings
}

export async function removals(ids: {
  readonly prune: string
  readonly delete: string
}): Promise<RemovalTimings> {
  const checkpointer = await openCheckpointer({ name: NAME })
  await checkpointer.thread(SMALL).load()
  const thread = checkpointer.thread(ids.prune)
  const prune = (await timed(() => thread.prune({ keepLast: 20 }))).wall
  await pause(50)
  const deletePruned = (await timed(() => thread.delete())).wall
  await pause(50)
  const deleteWhole = (await timed(() => checkpointer.thread(ids.delete).delete())).wall
  await checkpointer.close()
  return { prune, deletePruned, deleteWhole }
}
