import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Host } from '../../src/operations/host.ts'
import { GuardedHost } from '../../src/remote/guard.ts'

/** A host with endless exports, and what was ended of them. */
function endless(): { host: Host; ended: string[] } {
  const ended: string[] = []
  const host = {
    exportPage: async () => ({ bytes: new Uint8Array(), isLast: false, checkpoints: 0 }),
    endCarry: async ({ id }: { readonly id: string }) => void ended.push(id),
  } as Partial<Host> as Host
  return { host, ended }
}

describe('as many exports as may be under way', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  const page = (guard: GuardedHost, number: number, page = 0): Promise<unknown> =>
    guard.call('exportPage', { id: `export-${number}`, page, onDamage: 'refuse' }, () => true)

  it('go on: it is the next one that has to wait', async () => {
    const { host, ended } = endless()
    const guard = new GuardedHost(host)
    for (let n = 0; n < 256; n++) await page(guard, n)
    await expect(page(guard, 256)).rejects.toMatchObject({ code: 'BLOCKED', outcome: 'none' })
    await page(guard, 0, 1)
    expect(ended).toEqual([])
    await guard.call('endCarry', { id: 'export-7' }, () => false)
    await page(guard, 256)
  })

  it('make room if nobody has gone on with them for ten minutes', async () => {
    const { host, ended } = endless()
    const guard = new GuardedHost(host)
    for (let n = 0; n < 256; n++) await page(guard, n)
    vi.advanceTimersByTime(9 * 60_000)
    await page(guard, 5, 1)
    vi.advanceTimersByTime(2 * 60_000)
    await page(guard, 256)
    expect(ended).toHaveLength(255)
    expect(ended).not.toContain('export-5')
    await page(guard, 5, 2)
    await expect(page(guard, 6, 1)).rejects.toMatchObject({ code: 'FAILED', outcome: 'none' })
  })
})

it('an export that is not known is told as cut off, to whoever asks, and nothing of it is read', async () => {
  const host = { exportPage: vi.fn<Host['exportPage']>() } as Partial<Host> as Host
  const guard = new GuardedHost(host)
  for (const allow of [() => true, () => false])
    await expect(
      guard.call('exportPage', { id: 'one', page: 3, onDamage: 'refuse' }, allow),
    ).rejects.toMatchObject({ code: 'FAILED', outcome: 'none' })
  expect(host.exportPage).not.toHaveBeenCalled()
})

it('an export that is under way is not begun again by another caller, and goes on', async () => {
  const given: unknown[] = []
  const host = {
    exportPage: async ({ ids }: { readonly ids?: readonly string[] }) => {
      given.push(ids)
      return { bytes: new Uint8Array(), isLast: false, checkpoints: 0 }
    },
  } as Partial<Host> as Host
  const guard = new GuardedHost(host)
  const page = (ids: readonly string[], number: number): Promise<unknown> =>
    guard.call(
      'exportPage',
      { id: 'one', page: number, ids, onDamage: 'refuse' },
      (_, thread) => thread === ids[0],
    )
  await page(['hers'], 0)
  await expect(page(['his'], 0)).rejects.toMatchObject({ code: 'INVALID', outcome: 'none' })
  await expect(page(['his'], 1)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await page(['hers'], 1)
  expect(given).toEqual([['hers'], ['hers']])
})
