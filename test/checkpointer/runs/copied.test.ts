import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

it('a run that has failed is not said to have been left for another, in a copy and out of a file', async () => {
  const here = await openCheckpointer({ name: 'here', storage: memoryStorage() })
  const there = await openCheckpointer({ name: 'there', storage: memoryStorage() })
  onTestFinished(() => Promise.all([here.close(), there.close()]).then(() => {}))
  const failing = here.thread<object>('t').run({ runId: 'r', initial: {} }, () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  await there.import(here.export())
  for (const thread of [await here.thread<object>('t').copy('copy'), there.thread<object>('t')]) {
    const again = thread.run({ runId: 'r' }, () => 'done')
    await expect(again).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/has failed in the thread that this one was copied or imported from/),
    })
    expect((await thread.run({}, () => 'done')).result).toBe('done')
  }
})
