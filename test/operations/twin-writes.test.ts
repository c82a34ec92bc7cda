import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import { mapHost } from '../../src/operations/verbs.ts'
import { forged } from '../support/forged.ts'

async function device(storage = memoryStorage()): Promise<Checkpointer> {
  const store = await openCheckpointer({ name: 'twins', storage })
  onTestFinished(() => store.close())
  return store
}

async function furnished(store: Checkpointer): Promise<Checkpointer> {
  await store.thread('t').save({})
  for (const task of ['a', 'b']) await store.thread('t').putWrites(1, task, [{ channel: 'c', value: task }])
  return store
}

it.each(['at once', 'later'])(
  'a file in which one pending write comes twice, %s, is refused',
  async (when) => {
    const here = await furnished(await device())
    const there = await device()
    let first: readonly unknown[] = []
    const file = forged(here.export(), (line) => {
      if (line.kind === 'end') return { ...line, writes: line.writes + 1 }
      if (line.kind !== 'write') return line
      if (when === 'at once') return line.taskId === 'a' ? [line, line] : line
      first = [...first, line]
      return first.length === 2 ? [line, first[0] as typeof line] : line
    })
    await expect(there.import(file)).rejects.toMatchObject({ code: 'CORRUPT' })
    expect((await there.verify()).problems).toEqual([])
  },
)

it('a store that gives one pending write twice is refused', async () => {
  const storage = memoryStorage()
  await furnished(await device(storage))
  const hostile = mapHost(await createHost({ storage }), (run, verb) => async (request) => {
    const answer = await run(request)
    if (verb !== 'syncGive') return answer
    const { rows } = answer as { rows: readonly { writes: readonly unknown[] }[] }
    const twice = rows.map((row) => ({ ...row, writes: [...row.writes, ...row.writes] }))
    return { ...(answer as object), rows: twice } as typeof answer
  })
  const there = await openCheckpointer({ name: 'hostile', host: hostile })
  onTestFinished(() => there.close())
  const here = await device()
  await expect(here.sync(there)).rejects.toMatchObject({ code: 'INVALID' })
  expect((await here.verify()).problems).toEqual([])
})
