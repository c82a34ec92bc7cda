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
