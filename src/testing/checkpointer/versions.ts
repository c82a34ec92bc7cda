import { expect } from 'vitest'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { CheckpointerError } from '../../errors.ts'
import { seal } from '../../operations/rows/seal.ts'
import { CURRENT_FORMAT } from '../../storage/format-version.ts'
import { DATABASE_KEY, DATABASE_PARTITION } from '../../storage/keys.ts'
import { TABLES, type Row, type Storage } from '../../storage/storage.ts'
import { made, onRows } from './damage/rows.ts'
import { bytesOf, inPieces } from './furnished.ts'
import { listOf, rejection, seqsOf, talk, type Fresh, type Talk } from './ground.ts'

const NEWER = CURRENT_FORMAT + 1

/** What a database says of the versions that may work with it. */
export function versionLaws(fresh: Fresh): void {
  const law = onRows(fresh, true)

  law(
    'a database that only a later version may write is read as ever, and nothing in it is changed',
    async (checkpointer, storage, ground) => {
      await made(checkpointer)
      await checkpointer.close()
      for (const versions of [
        { format: NEWER, read: CURRENT_FORMAT },
        { format: CURRENT_FORMAT, features: { search: 'write', hints: 'none' } },
      ]) {
        await say(storage, versions)
        const before = await picture(storage)
        const warnings: string[] = []
        const reader = await ground.open({ onWarning: ({ code }) => warnings.push(code) })
        expect(warnings).toEqual(['FORMAT_TOO_NEW'])
        await expectReads(reader)
        await expectRefusesActs(reader)
        await rejection(reader.destroy(), 'FORMAT_TOO_NEW')
        expect(await picture(storage)).toEqual(before)
      }
      await say(storage, { format: CURRENT_FORMAT })
      const writer = await ground.open()
      expect((await writer.thread<Talk>('a').save(talk(9))).seq).toBe(9)
    },
  )

  law(
    'a database that only a later version may read is refused, and stays as it is',
    async (checkpointer, storage, ground) => {
      await made(checkpointer)
      await checkpointer.close()
      for (const versions of [
        { format: NEWER },
        { format: NEWER, read: NEWER },
        { format: CURRENT_FORMAT, features: { hints: 'none', packed: 'read' } },
        // A word of a later version may mean anything.
        { format: CURRENT_FORMAT, features: { packed: 'another word' } },
      ]) {
        await say(storage, versions)
        const before = await picture(storage)
        await rejection(ground.open(), 'FORMAT_TOO_NEW')
        expect(await picture(storage)).toEqual(before)
      }
      await say(storage, { format: CURRENT_FORMAT })
      await expectReads(await ground.open())
    },
  )

  law('a feature that may be ignored changes nothing', async (checkpointer, storage, ground) => {
    await made(checkpointer)
    await checkpointer.close()
    await say(storage, { format: CURRENT_FORMAT, read: CURRENT_FORMAT, features: { hints: 'none' } })
    const [before] = await databaseRow(storage)
    const writer = await ground.open()
    await expectReads(writer)
    expect((await writer.thread<Talk>('a').save(talk(9))).seq).toBe(9)
    expect((await writer.thread('a').prune({ keepLast: 1 })).removed).not.toEqual([])
    await writer.flush()
    expect((await databaseRow(storage))[0]).toEqual(before)
  })
}

const databaseRow = async (storage: Storage): Promise<readonly Row[]> =>
  (await storage.read(DATABASE_PARTITION, [{ table: 'meta', keys: [DATABASE_KEY] }])).flat()

/** As a later version would. */
async function say(storage: Storage, versions: object): Promise<void> {
  const [row] = await databaseRow(storage)
  const head = String(row?.head)
  const { id, createdAt } = JSON.parse(head.slice(head.indexOf('{'))) as Record<string, unknown>
  const facts = { ...versions, id, createdAt, later: true }
  const put = {
    table: 'meta',
    key: DATABASE_KEY,
    head: seal(DATABASE_PARTITION, 'meta', DATABASE_KEY, facts),
  } as const
  await storage.commit(DATABASE_PARTITION, { puts: [put] })
}

/** All rows of what was made, by their versions too: not one was put again. */
async function picture(storage: Storage): Promise<unknown> {
  const all = TABLES.map((table) => ({ table, from: [], to: ['\x7e'] }))
  return [await storage.read('a', all), await storage.read(DATABASE_PARTITION, all)]
}

async function expectReads(reader: Checkpointer): Promise<void> {
  const a = reader.thread<Talk>('a')
  expect((await a.load())?.state).toEqual(talk(8))
  expect((await a.load(3))?.state).toEqual(talk(3))
  expect((await a.load())?.pendingWrites).toHaveLength(1)
  expect(await seqsOf(a.history({ states: true, order: 'oldest' }))).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect((await listOf(reader.threads())).map(({ id }) => id).sort()).toEqual(['a', 'fork'])
  expect(await listOf(reader.runs())).toEqual([])
  expect((await a.heads()).map(({ seq }) => seq)).toEqual([8])
  expect(await a.namespaces()).toEqual([''])
  expect((await reader.usage()).threads).toBe(2)
  expect((await bytesOf(reader.export())).length).toBeGreaterThan(1000)
  expect((await reader.verify()).problems).toEqual([])
  expect((await reader.verify({ repair: 'plan' })).acts).toEqual([])
}

async function expectRefusesActs(reader: Checkpointer): Promise<void> {
  const a = reader.thread<Talk>('a')
  const file = await bytesOf(reader.export())
  const acts: readonly (() => Promise<unknown>)[] = [
    () => a.save(talk(9)),
    () => reader.thread('new').save({ n: 1 }),
    () => a.fork({ as: 'another' }),
    () => a.fork({ as: 'another', edit: (draft) => void draft.messages.pop() }),
    () => a.copy('another'),
    () => a.prune({ keepLast: 1 }),
    () => a.deleteCheckpoints([3]),
    () => a.deleteRun('a run'),
    () => a.delete(),
    () => reader.thread('nobody').delete(),
    () => a.putWrites(8, 'task', [{ channel: 'c', value: 1 }]),
    () => a.lease(),
    () => a.run({ initial: talk(0) }, async () => {}),
    () => a.chooseHead(7),
    () => reader.verify({ repair: true }),
    () => reader.import(inPieces(file), { onConflict: 'rename' }),
  ]
  for (const act of acts) {
    const error: CheckpointerError = await rejection(act(), 'FORMAT_TOO_NEW')
    expect(error.message).toContain('pdate the package')
  }
}
