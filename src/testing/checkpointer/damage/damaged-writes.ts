import { expect } from 'vitest'
import type { Row, Storage } from '../../../storage/storage.ts'
import { fill, listOf, range, rejection, seqsOf, talk, type Fresh, type Talk } from '../ground.ts'
import { cutOff, type Log, type Work } from '../runs/loops.ts'
import { putHead, rowsIn } from '../stored-rows.ts'
import { HEARS_OF_LOSSES, onRows } from './rows.ts'

/** Puts these pending writes again with one character of their heads changed. */
async function damageWrites(storage: Storage, wanted: (row: Row) => boolean = () => true): Promise<void> {
  const rows = (await rowsIn(storage, 'writes')).filter(wanted)
  expect(rows).not.toEqual([])
  for (const row of rows) await putHead(storage, 'writes', row, row.head.replace('"at":', '"au":'))
}

/** A pending write that is damaged takes what goes by it, and nothing else. */
export function damagedWriteLaws(fresh: Fresh): void {
  const law = onRows(fresh)

  law(
    'a damaged pending write is not passed over, and all beside it can be read',
    async (checkpointer, storage, ground) => {
      const writer = checkpointer.thread<Talk>('a')
      await fill(writer, 3)
      await writer.putWrites(2, 'task', [{ channel: 'found', value: 1 }])
      await checkpointer.close()
      await damageWrites(storage)
      const a = (await ground.open(HEARS_OF_LOSSES)).thread<Talk>('a')
      expect(await rejection(a.load(2), 'CORRUPT')).toMatchObject({ thread: 'a', seq: 2 })
      for (const seq of [1, 3]) expect((await a.load(seq))?.state).toEqual(talk(seq))
      const states = (await listOf(a.history({ states: true }))).map(({ state }) => state)
      expect(states).toEqual([talk(3), talk(2), talk(1)])
      expect((await (await a.fork({ at: 2 })).load())?.state).toEqual(talk(2))
      await a.putWrites(2, 'other', [{ channel: 'found', value: 2 }])
      await rejection(a.load(2), 'CORRUPT')
    },
  )

  law(
    'a damaged pending write goes with its checkpoint, whatever removes that, and so do its parts',
    async (checkpointer, storage, ground) => {
      const writer = checkpointer.thread<Talk>('a')
      await fill(writer, 8)
      const large = [{ channel: 'found', value: 'x'.repeat(100_000) }]
      for (const seq of range(2, 6)) await writer.putWrites(seq, 'task', large)
      await checkpointer.close()
      await damageWrites(storage)
      const reader = await ground.open(HEARS_OF_LOSSES)
      const a = reader.thread<Talk>('a')
      const left = async () => (await rowsIn(storage, 'writes')).map(({ key }) => key[1])
      await a.deleteCheckpoints([2])
      expect(await left()).toEqual([3, 4, 5, 6])
      await a.prune({ keepLast: 5 })
      expect(await left()).toEqual([4, 5, 6])
      expect(await seqsOf(a.history({ order: 'oldest' }))).toEqual(range(4, 8))
      expect(await a.delete()).toBe(true)
      expect(await rowsIn(storage, 'writes')).toEqual([])
      expect(await rowsIn(storage, 'parts')).toEqual([])
      expect((await reader.verify()).problems).toEqual([])
    },
  )

  law(
    'a run of whose journal something is damaged does nothing again: it is refused',
    async (checkpointer, storage, ground) => {
      let done = 0
      const work: Work = (loop) => loop.step('book', () => void done++, { effect: 'external' })
      await cutOff(checkpointer.thread<Log>('a'), work)
      await checkpointer.close()
      const before = await rowsIn(storage, 'writes')
      expect(before).not.toEqual([])
      for (const row of before) {
        await damageWrites(storage, ({ key }) => key.join() === row.key.join())
        const reader = await ground.open(HEARS_OF_LOSSES)
        await rejection(reader.thread<Log>('a').run({}, work), 'CORRUPT')
        await reader.close()
        await putHead(storage, 'writes', row, row.head)
      }
      expect(done).toBe(1)
    },
  )
}
