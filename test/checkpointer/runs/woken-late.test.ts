import { CheckpointerError, openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import { createHost } from '../../../src/operations/create-host.ts'

it('a save of a run that has to come back to its thread first is of the state at the call', async () => {
  const host = await createHost({ storage: memoryStorage(), publish: () => {} })
  let isDown = false
  const takeLease: typeof host.takeLease = (request) =>
    isDown ? Promise.reject(new CheckpointerError('FAILED', 'no disk')) : host.takeLease(request)
  const checkpointer = await openCheckpointer({ name: 'a', host: { ...host, takeLease } })
  const thread = checkpointer.thread<{ done: string[] }>('t')
  const running = thread.run({ initial: { done: [] } }, async (loop) => {
    await expect(loop.ask('Go?')).rejects.toMatchObject({ code: 'FAILED' })
    isDown = false
    loop.state.done.push('before')
    const saving = loop.save()
    loop.state.done.push('after')
    const { seq } = await saving
    return (await thread.load(seq))?.state
  })
  await expect.poll(async () => (await thread.latestRun())?.status).toBe('waiting')
  isDown = true
  await thread.answer('yes')
  expect((await running).result).toEqual({ done: ['before'] })
}, 20_000)
