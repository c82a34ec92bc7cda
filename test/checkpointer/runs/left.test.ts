import { CheckpointerError, openCheckpointer, type Loop } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'

/** A thread whose disk takes no more checkpoints as long as it is full; of steps and ends it has room. */
async function opened() {
  const disk = { isFull: false }
  const storage: Storage = memoryStorage()
  const commit = storage.commit.bind(storage)
  storage.commit = async (partition, batch) => {
    if (disk.isFull && batch.puts?.some(({ table }) => table === 'checkpoints')) throw new Error('full')
    return commit(partition, batch)
  }
  const checkpointer = await openCheckpointer({ name: 'a', storage })
  return { checkpointer, thread: checkpointer.thread('t'), disk }
}

const refusal = async (running: Promise<unknown>): Promise<CheckpointerError> => {
  const error: unknown = await running.catch((each: unknown) => each)
  if (!CheckpointerError.is(error)) throw new Error('It was not refused.', { cause: error })
  return error
}

it('a run that has failed is tried again when the one that was to replace it could not be saved', async () => {
  const { thread, disk } = await opened()
  let isDown = true
  const work = (loop: Loop<unknown>) =>
    loop.step('call', () => {
      if (isDown) throw new Error('down')
      return 'up'
    })
  await expect(thread.run({ runId: 'r' }, work)).rejects.toThrow('down')
  const before = await thread.load()
  disk.isFull = true
  expect((await refusal(thread.run({ from: 1 }, work))).code).toBe('FAILED')
  expect(await thread.load()).toEqual(before)
  disk.isFull = false
  isDown = false
  expect((await thread.run({ runId: 'r', retry: true }, work)).result).toBe('up')
})

it('one that waits goes on, fails and is tried again as if it had never been about to be left', async () => {
  const { thread, disk } = await opened()
  let isDown = true
  const work = async (loop: Loop<unknown>) => {
    const answer = await loop.ask<string>('Go?')
    return loop.step('call', () => {
      if (isDown) throw new Error('down')
      return answer
    })
  }
  const waiting = expect(thread.run({ runId: 'r' }, work)).rejects.toThrow('down')
  await expect.poll(async () => (await thread.latestRun())?.status).toBe('waiting')
  disk.isFull = true
  expect((await refusal(thread.run({ from: 1 }, work))).code).toBe('FAILED')
  disk.isFull = false
  expect(await thread.latestRun()).toMatchObject({ runId: 'r', status: 'waiting' })
  await thread.answer('yes')
  await waiting
  isDown = false
  expect((await thread.run({ runId: 'r', retry: true }, work)).result).toBe('yes')
})

it('the id of one that waits is not taken for that of a new one, once it was left', async () => {
  const { checkpointer, thread } = await opened()
  const over = expect(thread.run({ runId: 'r' }, (loop) => loop.ask('Go?'))).rejects.toThrow()
  await expect.poll(async () => (await thread.latestRun())?.status).toBe('waiting')
  await thread.run({ runId: 's', from: 1 }, () => 's')
  expect((await refusal(thread.run({ runId: 'r' }, () => expect.unreachable()))).code).toBe('CONFLICT')
  await checkpointer.close()
  await over
})
