import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

const LONG = '\ud800'.repeat(200)

it('an id that does not fit the keys of a storage is named, with what to do', async () => {
  // As in Postgres, where ids of callers together may have more.
  const limits = { keyBytes: 900 }
  const checkpointer = await openCheckpointer({ name: 'long', storage: memoryStorage({ limits }) })
  onTestFinished(() => checkpointer.close())
  const thread = checkpointer.thread<object>('t')
  await thread.save({})
  const refused = (path: string) => ({
    code: 'TOO_LARGE',
    outcome: 'none',
    path,
    message: expect.stringMatching(`^The ${path} .* a hash of it`),
  })
  const saving = (id: string, namespace: string) => checkpointer.thread(id, { namespace }).save({})
  await expect(saving(LONG, 'n')).rejects.toMatchObject(refused('thread'))
  await expect(saving('t', LONG)).rejects.toMatchObject(refused('namespace'))
  await expect(thread.save({}, { id: LONG })).rejects.toMatchObject(refused('id'))
  const putting = thread.putWrites(1, LONG, [{ channel: 'c', value: 1 }])
  await expect(putting).rejects.toMatchObject(refused('taskId'))
  expect((await checkpointer.verify()).problems).toEqual([])
})
