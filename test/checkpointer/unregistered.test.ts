import { expect, it, vi } from 'vitest'
import { openCheckpointer, type Checkpointer, type ThreadSummary } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'

class Money {
  readonly cents: number
  constructor(cents: number) {
    this.cents = cents
  }
}

async function listed(checkpointer: Checkpointer): Promise<ThreadSummary[]> {
  const all: ThreadSummary[] = []
  for await (const summary of checkpointer.threads()) all.push(summary)
  return all
}

it('a class that is not registered, in what stands beside a checkpoint, hides no thread of the list', async () => {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const knows = await openCheckpointer({ name: 'm', storage, types: [{ name: 'Money', class: Money }] })
  await knows.thread('a').save({ n: 1 })
  await knows.thread('b').save({ n: 1 }, { label: 'b', extra: { paid: new Money(5) } })
  await knows.thread('c').save({ n: 1 })
  const onWarning = vi.fn()
  const other = await openCheckpointer({ name: 'm', storage, onWarning })
  const found = await listed(other)
  expect(found.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c'])
  const b = found.find(({ id }) => id === 'b')
  expect(b?.head).toMatchObject({ seq: 1, label: 'b' })
  expect(b?.head).not.toHaveProperty('extra')
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ thread: 'b', seq: 1 }))
  expect((await listed(knows)).find(({ id }) => id === 'b')?.head?.extra).toEqual({
    paid: new Money(5),
  })
  await Promise.all([knows.close(), other.close()])
})
