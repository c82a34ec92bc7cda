import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, vi } from 'vitest'
import { countingStorage } from '../bench/counting-storage.ts'

it('an onWarning that throws ends nothing, and is reported', async () => {
  const reported = vi.spyOn(console, 'error').mockImplementation(() => {})
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const first = await openCheckpointer({ name: 'w', storage })
  await first.thread('t').save({ n: 1 })
  const [rows] = await storage.read('t', [{ table: 'threads', keys: [['t', '']] }])
  const [row] = rows ?? []
  if (!row) throw new Error('there is no row')
  await storage.commit('t', {
    puts: [{ table: 'threads', key: row.key, head: row.head.replace('"n', '"m'), rank: 1 }],
  })
  const failure = new Error('of the caller')
  const second = await openCheckpointer({
    name: 'w',
    storage,
    onWarning: () => {
      throw failure
    },
  })
  const found: string[] = []
  for await (const { id } of second.threads()) found.push(id)
  expect(found).toEqual([])
  expect(reported).toHaveBeenCalledWith(failure)
  reported.mockRestore()
  await Promise.all([first.close(), second.close()])
})

it('a limit on the threads asks for no page that it does not need', async () => {
  const { storage, counts } = countingStorage(memoryStorage())
  const checkpointer = await openCheckpointer({ name: 'w', storage })
  for (let i = 0; i < 250; i++) await checkpointer.thread(`t${i}`).save(i)
  counts.reads = 0
  const found: string[] = []
  for await (const { id } of checkpointer.threads({ limit: 1, where: ({ id }) => id === 't249' }))
    found.push(id)
  expect(found).toEqual(['t249'])
  expect(counts.reads).toBe(1)
  await checkpointer.close()
})

it('an export is imported from whatever holds its bytes; what is no export is INVALID', async () => {
  const from = await openCheckpointer({ name: 'w', storage: memoryStorage() })
  await from.thread('t').save({ n: 1 })
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of from.export()) pieces.push(piece)
  const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer())
  for (const source of [bytes, bytes.buffer, new Blob(pieces)]) {
    const into = await openCheckpointer({ name: 'w', storage: memoryStorage() })
    expect((await into.import(source)).threads).toEqual(['t'])
    await into.close()
  }
  for (const text of ['<html>', '{"a":1}', 'hello world', '[]', 'PK\u0003\u0004', '<html>\n'])
    await expect(from.import(new Blob([text])), text).rejects.toMatchObject({ code: 'INVALID' })
  await expect(from.import(bytes.subarray(0, 30))).rejects.toMatchObject({ code: 'CORRUPT' })
  await from.close()
})
