import { expect, it } from 'vitest'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'

it('imports at once that rename tell each the names of its own threads', async () => {
  const store = await openCheckpointer({ name: 'm', storage: memoryStorage() })
  await store.thread('t').save({ n: 1 })
  await store.thread('t').fork({ as: 'f' })
  const file: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of store.export()) file.push(piece)
  for (let round = 0; round < 5; round++) {
    const all = await Promise.all(
      Array.from({ length: 3 }, () => store.import(new Blob(file), { onConflict: 'rename' })),
    )
    const told = all.flatMap(({ threads }) => threads)
    expect(new Set(told).size).toBe(6)
    for (const { renamed, threads } of all) {
      expect(renamed.map(({ from }) => from).sort()).toEqual(['f', 't'])
      expect(renamed.map(({ to }) => to).sort()).toEqual([...threads].sort())
    }
    for (const id of told) {
      expect(id).toMatch(/^[ft]-\d+$/)
      expect((await store.thread(id).load())?.state).toEqual({ n: 1 })
    }
  }
  expect((await store.verify()).problems).toEqual([])
  await store.close()
})
