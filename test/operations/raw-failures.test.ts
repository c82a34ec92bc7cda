import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'

it('what a storage of someone else fails with has a code, and its own words as the cause', async () => {
  const disk = new Error('disk')
  const storage = memoryStorage()
  const checkpointer = await openCheckpointer({ name: 'raw', storage })
  const thread = checkpointer.thread<number>('a')
  await thread.save(1)
  const broken = (['read', 'commit', 'locate', 'list', 'partitions'] as const).map((verb) =>
    vi.spyOn(storage, verb).mockRejectedValue(disk),
  )
  const calls: Record<string, () => Promise<unknown>> = {
    save: () => thread.save(2),
    load: () => thread.load(1),
    fork: () => thread.fork(),
    prune: () => thread.prune({ keepLast: 1 }),
    delete: () => thread.delete(),
    lease: () => thread.lease(),
    usage: () => checkpointer.usage(),
    verify: () => checkpointer.verify(),
    threads: () => checkpointer.threads()[Symbol.asyncIterator]().next(),
    export: () => checkpointer.export()[Symbol.asyncIterator]().next(),
  }
  for (const [name, call] of Object.entries(calls))
    await expect(call(), name).rejects.toMatchObject({ code: 'FAILED', cause: disk })
  for (const verb of broken) verb.mockRestore()
  expect((await thread.load())?.state).toBe(1)
  await checkpointer.close()
})

it('a store that can be neither destroyed nor closed is told to who destroys it, and to who closes it, alone', async () => {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  onTestFinished(() => void process.off('unhandledRejection', unhandled))
  const storage = memoryStorage()
  const checkpointer = await openCheckpointer({ name: 'raw', storage })
  vi.spyOn(storage, 'destroy').mockRejectedValue(new Error('stays'))
  vi.spyOn(storage, 'close').mockRejectedValue(new Error('stays open'))
  await expect(checkpointer.destroy()).rejects.toThrow('stays')
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(unhandled).not.toHaveBeenCalled()
  await expect(checkpointer.close()).rejects.toThrow('stays open')
})
