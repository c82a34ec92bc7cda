import { expect, it } from 'vitest'
import type { Host } from '../../src/operations/host.ts'
import { GuardedHost } from '../../src/remote/guard.ts'

it('ends the export that was left longest, when there are as many as it bears', async () => {
  const ended: string[] = []
  const host = {
    exportPage: async () => ({ bytes: new Uint8Array(), isLast: false, checkpoints: 0 }),
    endCarry: async ({ id }: { readonly id: string }) => void ended.push(id),
  } as Partial<Host> as Host
  const guard = new GuardedHost(host)
  for (let n = 0; n < 258; n++)
    await guard.call('exportPage', { id: `export-${n}`, page: 0, onDamage: 'refuse' }, () => true)
  expect(ended).toEqual(['export-0', 'export-1'])
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
