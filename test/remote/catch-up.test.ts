import { CheckpointerError, openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'
import { hostOf } from '../../src/checkpointer/host-of.ts'
import type { Host } from '../../src/operations/host.ts'
import { tellSince } from '../../src/remote/catch-up.ts'

async function store(): Promise<Host> {
  const checkpointer = await openCheckpointer({ name: 'told', storage: memoryStorage() })
  onTestFinished(() => checkpointer.close())
  return hostOf(checkpointer)
}

const LAST_DATE = 8.64e15
const body = new TextEncoder().encode('0')
const save = (host: Host, thread: string, createdAt: number) =>
  host.save({ thread, namespace: '', key: 'k', createdAt, fields: {}, frame: { body } })

async function toldSince(host: Host, since: number): Promise<string[]> {
  const told: string[] = []
  await tellSince(host, since, (event) => void ('thread' in event && told.push(event.thread)))
  return told
}

it('all that was changed since is told, the earliest first, and nothing that was changed long before', async () => {
  const host = await store()
  const now = Date.now()
  await save(host, 'old', now - 3_600_000)
  const names = Array.from({ length: 250 }, (_, n) => `t${n}`)
  for (const [n, name] of names.entries()) await save(host, name, now + n)
  expect(await toldSince(host, now)).toEqual(names)
})

it('what is dated into the future keeps nothing else from being told', async () => {
  const host = await store()
  for (let n = 0; n < 2_500; n++) await save(host, `eve/${n}`, LAST_DATE)
  await save(host, 'ada/1', Date.now())
  expect(await toldSince(host, Date.now())).toContain('ada/1')
})

it.each([0, 1])('a list without an end is not read for ever, with %i on a page', async (count) => {
  const now = Date.now()
  const items = Array.from({ length: count }, () => ({ thread: 't', createdAt: now, updatedAt: now }))
  const host: Partial<Host> = {
    threads: async () => ({ items, next: { rank: now, thread: 't' } }),
    namespaces: () => Promise.reject(new CheckpointerError('FORBIDDEN', 'Not for this caller.')),
  }
  expect(await toldSince(host as Host, now)).toEqual([])
})
