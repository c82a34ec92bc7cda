import { it } from 'vitest'
import type { Checkpointer } from '../../../checkpointer/checkpointer.ts'
import { escapeId } from '../../../storage/keys.ts'
import type { Key, Put, Row, Storage, Table } from '../../../storage/storage.ts'
import { fill, on, talk, type Fresh, type Ground, type Talk } from '../ground.ts'

/** A witness that misses what these laws take away is right to say so. */
export const HEARS_OF_LOSSES = { onWarning: () => {} }

type Law = (
  name: string,
  test: (checkpointer: Checkpointer, storage: Storage, ground: Ground) => Promise<void>,
) => void

/** Laws that need the rows beneath, and are skipped where a ground shows none; or where `isOpened` each time anew is needed. */
export const onRows =
  (fresh: Fresh, isOpened = false): Law =>
  (name, test) => {
    it(name, async (context) => {
      await on(fresh, async (checkpointer, ground) => {
        const storage = await ground.storage?.()
        if (!storage) return context.skip('this ground does not show its rows')
        if (isOpened && ground.isServed) return context.skip('who serves this ground has opened it once')
        try {
          await test(checkpointer, storage, ground)
        } finally {
          await storage.close()
        }
      })()
    })
  }

/** Eight checkpoints, the seventh of them a branch, and a fork with one of its own. */
export async function made(checkpointer: Checkpointer): Promise<void> {
  const a = checkpointer.thread<Talk>('a')
  await fill(a, 6)
  await a.save(talk(7), { parent: 1, label: 'leaf' })
  await a.save(talk(8), { parent: 6 })
  const fork = await a.fork({ at: 4, as: 'fork' })
  await fork.save(talk(5, 'fork'))
  await a.putWrites(8, 'task', [{ channel: 'found', value: 1 }])
  await checkpointer.flush()
}

interface Found {
  readonly table: Table
  readonly key: Key
  readonly row: Row
  readonly facts: Record<string, unknown>
}

/** A row of `checkpoints`, in the lane that has the most. */
export async function rowWhere(storage: Storage, wanted: (row: Found) => boolean): Promise<Found> {
  const [rows = []] = await storage.read('a', [{ table: 'checkpoints', from: [], to: ['\x7e'] }])
  const lanes = rows.map(({ key }) => key[0])
  const most = lanes.find((lane) => lanes.filter((each) => each === lane).length > rows.length / 2)
  const all = rows.map((row): Found => {
    const facts = JSON.parse(row.head.slice(row.head.indexOf('{'))) as Record<string, unknown>
    return { table: 'checkpoints', key: row.key, row, facts }
  })
  const found = all.find((row) => row.key[0] === most && wanted(row))
  if (!found) throw new Error('There is no such row.')
  return found
}

/** Puts it again with one character of its head changed. */
export async function damage(storage: Storage, wanted: (row: Found) => boolean): Promise<void> {
  const { table, key, row, facts } = await rowWhere(storage, wanted)
  const put: Put = {
    table,
    key,
    head: row.head.replace('"createdAt":', '"createdAu":'),
    alias: [String(key[0]), escapeId(String(facts['id']))],
    ...(row.body ? { body: row.body } : {}),
  }
  await storage.commit('a', { puts: [put] })
}
