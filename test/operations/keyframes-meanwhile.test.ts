import { openCheckpointer, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'

/** Commits that take a moment, so that saves gather while a keyframe is being written. */
function slow(storage: Storage): Storage {
  return Object.assign(storage, {
    commit: (
      (commit) =>
      async (...given: Parameters<Storage['commit']>) => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        return commit(...given)
      }
    )(storage.commit.bind(storage)),
  })
}

it('verify finds nothing wrong with a head that was saved while a keyframe was written below it', async () => {
  const storage = slow(memoryStorage())
  const checkpointer = await openCheckpointer({ name: 'keyframes', storage, durability: 'async' })
  const thread = checkpointer.thread<{ words: string[] }>('t')
  const words: string[] = []
  const problems: unknown[] = []
  for (let n = 0; n < 200; n++) {
    words.push(`${n} `.repeat(60))
    await thread.save({ words })
    if (n % 10 === 9) {
      await checkpointer.flush()
      problems.push(...(await checkpointer.verify()).problems)
    }
  }
  expect(problems).toEqual([])
  await checkpointer.close()
})
