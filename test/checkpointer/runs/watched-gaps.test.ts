import { openCheckpointer, type Storage, type WatchEvent } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import { seqsBetween } from '../../../src/checkpointer/runs/watch/between.ts'
import { createHost } from '../../../src/operations/create-host.ts'
import { change, putHead, rowsIn } from '../../../src/testing/checkpointer/stored-rows.ts'

/** From here on the thread's seqs are others, as in a file that somebody has made. */
const goOnAt = (storage: Storage, next: number): Promise<void> =>
  change(
    storage,
    'threads',
    () => true,
    (facts) => ({ ...facts, next }),
  )

async function opened() {
  const storage = memoryStorage()
  const checkpointer = await openCheckpointer({ name: 'gaps', storage })
  onTestFinished(() => checkpointer.close())
  return { storage, thread: checkpointer.thread<object>('a') }
}

const said = (event: WatchEvent): string =>
  event.type === 'step' ? `${event.name} ${event.status}` : event.type

it('who watches comes to a head that is very far ahead, by way of all steps and nothing else', async () => {
  const { storage, thread } = await opened()
  const events = thread.watch()[Symbol.asyncIterator]()
  const names = Array.from({ length: 40 }, (_, i) => `step ${i}`)
  const far = [1_000_000_000, 2_000_000_000]
  await thread.run({ runId: 'r', initial: {} }, async (loop) => {
    expect([(await events.next()).value, (await events.next()).value]).toMatchObject([
      { type: 'run' },
      { type: 'state' },
    ])
    for (const name of names) {
      if (name === 'step 20' || name === 'step 30') await goOnAt(storage, far.shift() ?? 0)
      await loop.step(name, () => {})
      await loop.save()
    }
  })
  const read = vi.spyOn(storage, 'read')
  const told: string[] = []
  while (told.at(-1) !== 'state') told.push(said((await events.next()).value as WatchEvent))
  expect(told).toEqual([...names.flatMap((name) => [`${name} started`, `${name} done`]), 'state'])
  expect(read.mock.calls.length).toBeLessThan(60)
  expect((await thread.load())?.seq).toBe(2_000_000_009)
  await events.return?.()
})

it('those that cannot be read are not passed over, and keep no other from being found', async () => {
  const { storage, thread } = await opened()
  for (let n = 1; n <= 300; n++) await thread.save({ n })
  await thread.deleteCheckpoints([30, 31])
  const rows = (await rowsIn(storage, 'checkpoints')).filter(({ key }) =>
    [7, 8, 150].includes(Number(key[1])),
  )
  const [damaged, , later] = rows
  if (!damaged || !later) throw new Error('They are not there.')
  await putHead(storage, 'checkpoints', damaged, damaged.head.replace('"createdAt":', '"createdAu":'))
  await putHead(storage, 'checkpoints', later, later.head.replace(/^\d+\.[^.]+/, '999.00000000'))
  const host = await createHost({ storage, onWarning: () => {} })
  const found: number[] = []
  const place = { thread: 'a', namespace: '' }
  for await (const seqs of seqsBetween(host, place, 3, 290)) found.push(...seqs)
  const there = (await rowsIn(storage, 'checkpoints')).map(({ key }) => Number(key[1]))
  expect(found).toEqual(there.filter((seq) => seq >= 3 && seq < 290))
})
