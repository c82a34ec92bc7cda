import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import { pictureOf } from '../furnished.ts'
import { on, type Fresh, type Ground } from '../ground.ts'

/** What a sync that has nothing to do has carried. */
export const nothing = { checkpoints: 0, removed: 0 }

export function onTwo(
  fresh: Fresh,
  test: (here: Checkpointer, there: Checkpointer, grounds: readonly [Ground, Ground]) => Promise<void>,
): () => Promise<void> {
  return on(fresh, async (here, ground) =>
    on(ground.other ?? fresh, (there, other) => test(here, there, [ground, other]))(),
  )
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500 && !(await condition()); tries++)
    await new Promise((resolve) => setTimeout(resolve, 20))
}

/** All that is the same in two stores which have been brought together: seqs are each one's own. */
export async function contentsOf(checkpointer: Checkpointer): Promise<unknown> {
  const { summaries, shown } = (await pictureOf(checkpointer)) as {
    summaries: {
      id: string
      label?: string
      forkOf?: { thread: string; id: string }
      head?: { id: string }
    }[]
    shown: Record<string, { id: string }[]>
  }
  const places = Object.entries(shown).map(([name, all]) => [
    name,
    all.map((each) => ({ ...each, seq: undefined })).sort((a, b) => (a.id < b.id ? -1 : 1)),
  ])
  return {
    threads: summaries.map(({ id, label, forkOf, head }) => ({
      id,
      label,
      forkOf: forkOf && [forkOf.thread, forkOf.id],
      head: head?.id,
    })),
    places,
  }
}
