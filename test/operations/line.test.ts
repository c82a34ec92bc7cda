import { openCheckpointer, type Checkpointer, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import { LOST_RACE, untilCommitted } from '../../src/operations/store/commit.ts'
import { Line } from '../../src/operations/store/line.ts'
import type { Store } from '../../src/operations/store/store.ts'

/** A tab that reads so slowly that the others are first each time. */
const slow = (inner: Storage): Storage => ({
  limits: inner.limits,
  read: (partition, queries) => inner.read(partition, queries),
  commit: (partition, batch) => inner.commit(partition, batch),
  async locate(key) {
    const found = await inner.locate(key)
    await pause(5)
    return found
  },
  list: (query) => inner.list(query),
  partitions: (query) => inner.partitions(query),
  destroy: () => inner.destroy(),
  close: async () => {},
})

const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time))

/** Saves on and on while the work is done. */
async function busy(checkpointer: Checkpointer, thread: string, work: Promise<unknown>): Promise<number[]> {
  let isDone = false
  const done = (): void => void (isDone = true)
  work.then(done, done)
  const seqs: number[] = []
  while (!isDone) {
    seqs.push((await checkpointer.thread(thread).save({ n: seqs.length })).seq)
    await pause(0)
  }
  return seqs
}

async function tabs() {
  const inner = Object.assign(memoryStorage(), { close: async () => {} })
  const open = (storage: Storage) => openCheckpointer({ name: 'lined up', storage })
  return {
    inner,
    quick: [await open(inner), await open(inner), await open(inner)],
    slow: await open(slow(inner)),
  }
}

it('a tab that is slow gets to save, fork, write and prune, however busy others are on the thread', async () => {
  const { quick, slow } = await tabs()
  const thread = slow.thread('a')
  const work = (async () => {
    const { seq } = await thread.save('first')
    await thread.putWrites(seq, 'task', [{ channel: 'c', value: 1 }])
    await thread.fork({ as: 'aside' })
    await thread.prune({ keepLast: 5, ancestors: 'drop' })
    return [seq, (await thread.save('last')).seq]
  })()
  const others = await Promise.all(quick.map((each) => busy(each, 'a', work)))
  const seqs = [...(await work), ...others.flat()].sort((a, b) => a - b)
  expect(seqs).toEqual(Array.from(seqs, (_, i) => i + 1))
  expect((await slow.verify()).problems).toEqual([])
})

it('a tab that stands still in its turn holds up nobody for long', async () => {
  const { inner, quick, slow } = await tabs()
  const { seq } = await slow.thread('a').save('first')
  expect(seq).toBe(1)
  const [rows = []] = await inner.read('', [
    { table: 'meta', from: ['database'], to: ['database', '\uffff'] },
  ])
  const { id } = JSON.parse((rows[0]?.head ?? '').slice(11)) as { id: string }
  let wake = (): void => {}
  const frozen = new Promise<void>((resolve) => (wake = resolve))
  const held = navigator.locks.request(JSON.stringify(['forkpoint', 'line', id, 'a']), () => frozen)
  const many = Promise.all(
    quick.map(async (each) => {
      for (let n = 0; n < 40; n++) await each.thread('a').save(n)
    }),
  )
  await expect(many.then(() => 'done')).resolves.toBe('done')
  wake()
  await held
  expect((await slow.thread('a').load())?.seq).toBe(121)
})

it('who loses again and again in its turn does not wait for itself, and lets go of it', async () => {
  const line = new Line(() => 'a database')
  const attempts = { store: { line } as Store, partition: () => 'p' }
  // It has won so often that it lines up at once; then it loses as often as one that has not lined up bears.
  for (let n = 0; n < 8; n++) line.won('p')
  const began = performance.now()
  await untilCommitted(attempts, async (tried) => (tried < 6 ? LOST_RACE : 'done'))
  expect(performance.now() - began).toBeLessThan(1_000)
  const { held = [] } = await navigator.locks.query()
  expect(held.filter(({ name }) => name?.includes('a database'))).toEqual([])
})
