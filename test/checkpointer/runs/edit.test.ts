import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

async function threadOf<State>(state: State) {
  const checkpointer = await openCheckpointer({ name: 'edit', storage: memoryStorage() })
  onTestFinished(() => checkpointer.close())
  const thread = checkpointer.thread<State>('t')
  await thread.save(state)
  return thread
}

it('an edit that does not end is left with the run’s signal, and keeps the thread from nobody', async () => {
  const thread = await threadOf({ n: 1 })
  const stop = new AbortController()
  const running = thread.run({ edit: () => new Promise<void>(() => {}), signal: stop.signal }, () => 1)
  running.catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, 20))
  stop.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  await (await thread.lease({ wait: false })).release()
})

it('an edit is taken in the same way by a run and by a fork', async () => {
  const [none, one] = [await threadOf<null | number>(null), await threadOf<null | number>(1)]
  expect((await none.run({ edit: () => null }, () => 'ran')).result).toBe('ran')
  expect((await (await none.fork({ edit: () => null })).load())?.state).toBe(null)
  const refused = { code: 'INVALID', path: 'edit' }
  await expect(one.run({ edit: () => null }, () => 1)).rejects.toMatchObject(refused)
  await expect(one.fork({ edit: () => null })).rejects.toMatchObject(refused)
})
