import type { Storage } from 'forkpoint'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import type { Host } from '../../src/operations/host.ts'
import { asked, kept, made, open } from './carried.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const later = (minutes: number): void => void vi.advanceTimersByTime(minutes * 60_000)

/** A storage whose export takes several pages. */
async function full(): Promise<Storage> {
  const storage = kept()
  const checkpointer = await open(storage)
  const text = 'as much as one page of an export takes '.repeat(8000)
  for (const id of ['t', 'u', 'v', 'w']) await checkpointer.thread(id).save(text)
  return storage
}

const file = async (): Promise<Uint8Array> => new Uint8Array(await (await made()).arrayBuffer())

const exportPage = (host: Host, id: string, page: number) => host.exportPage({ id, page, onDamage: 'refuse' })
const importPage = (host: Host, page: number, bytes: Uint8Array, isLast = false) => {
  const bounds = { bytes: 1e9, ratio: 100, lines: 1e6 }
  return host.importPage({ id: 'in', page, bytes, isLast, onConflict: 'refuse', bounds })
}
const cutOff = { code: 'FAILED', outcome: 'none', message: expect.stringContaining('cut off') }

it('what nobody has gone on with for ten minutes is let go of when something begins', async () => {
  const storage = await full()
  const host = await createHost({ storage })
  const bytes = await file()
  await importPage(host, 0, bytes.slice(0, -100))
  await importPage(host, 1, bytes.slice(-100, -50))
  await host.repair({ id: 'mend', page: 0, isPlan: true })
  expect((await exportPage(host, 'out', 0)).isLast).toBe(false)
  expect(await storage.partitions({ after: 'i:', limit: 1 })).toEqual([expect.stringMatching(/^i:/)])
  later(11)
  await exportPage(host, 'another', 0)
  expect(await storage.partitions({ limit: 10 })).toEqual(['', 't', 'u', 'v', 'w'])
  await expect(importPage(host, 2, bytes.slice(-50), true)).rejects.toMatchObject(cutOff)
  await expect(host.repair({ id: 'mend', page: 1, isPlan: true })).rejects.toMatchObject(cutOff)
  await expect(exportPage(host, 'out', 1)).rejects.toMatchObject(cutOff)
  await exportPage(host, 'another', 1)
})

it('what somebody goes on with now and then is not, nor what is at a page for as long', async () => {
  const storage = await full()
  let goOn = (): void => {}
  const slow = new Promise<void>((resolve) => (goOn = resolve))
  const host = await createHost({
    storage: asked(storage, async (partition) => partition.startsWith('i:') && (await slow)),
  })
  const bytes = await file()
  const importing = importPage(host, 0, bytes, true)
  await exportPage(host, 'out', 0)
  for (let page = 1; page < 3; page++) {
    later(9)
    await exportPage(host, `another ${page}`, 0)
    await exportPage(host, 'out', page)
  }
  goOn()
  expect((await importing).imported?.threads).toEqual(['a', 'a fork 1', 'b'])
})
