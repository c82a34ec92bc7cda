import * as fs from 'node:fs/promises'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { filesStorage } from 'forkpoint/storage/files'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

it('a store that is put back to a copy from before gets from the others what it has lost', async () => {
  const root = mkdtempSync(join(tmpdir(), 'forkpoint-back-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [folder, copy] = [join(root, 'store'), join(root, 'copy')]
  const openStore = () => openCheckpointer({ name: 'store', storage: filesStorage(fs, folder) })
  const device = await openCheckpointer({ name: 'device', storage: memoryStorage() })
  const thread = device.thread<{ n: number }>('t')
  let store = await openStore()
  for (let n = 1; n <= 3; n++) await thread.save({ n })
  await device.sync(store)
  await store.close()
  cpSync(folder, copy, { recursive: true })
  store = await openStore()
  for (let n = 4; n <= 6; n++) await thread.save({ n })
  await thread.putWrites(6, 'task', [{ channel: 'c', value: 1 }])
  await device.sync(store)
  await store.thread('t').save({ n: 7 })
  await device.sync(store)
  await store.close()
  rmSync(folder, { recursive: true })
  cpSync(copy, folder, { recursive: true })
  store = await openStore()
  expect(await statesOf(store)).toEqual([1, 2, 3])
  await device.sync(store)
  expect(await statesOf(store)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(await statesOf(device)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect((await device.sync(store)).sent.checkpoints).toBe(0)
  await store.close()
  await device.close()
})

async function statesOf(checkpointer: Checkpointer): Promise<number[]> {
  const found: number[] = []
  for await (const { state } of checkpointer.thread<{ n: number }>('t').history({ states: true }))
    found.push(state.n)
  return found.toSorted((a, b) => a - b)
}
