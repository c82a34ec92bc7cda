import type { CheckpointerError, Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import type { Host } from '../../src/operations/host.ts'
import { ImportRow } from '../../src/operations/carry/import/import-row.ts'

/** As after a deployment that has taken the file away. */
vi.mock('../../src/operations/all-seldom.ts', () => {
  throw new Error('404')
})

const kept = (): Storage => Object.assign(memoryStorage(), { close: async () => {} })
const saveOn = (host: Host): Promise<unknown> =>
  host.save({
    thread: 't',
    namespace: '',
    key: 'a',
    createdAt: 1,
    fields: {},
    frame: { body: new TextEncoder().encode('1') },
  })

it('says so when what few ask for cannot be loaded, and does all else', async () => {
  const host = await createHost({ storage: kept() })
  await expect(host.verify({})).rejects.toMatchObject({ code: 'UNSUPPORTED', outcome: 'none' })
  await expect(host.syncList({ limit: 1 })).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  await saveOn(host)
  expect((await host.threads({ limit: 10 })).items).toHaveLength(1)
  await host.close()
})

it('opens a store in which an import was cut off also when what goes on with it cannot be loaded', async () => {
  const storage = kept()
  const before = await createHost({ storage })
  const store = { storage } as ConstructorParameters<typeof ImportRow>[0]
  await new ImportRow(store, 'one').put('publishing')
  await before.close()
  const warnings: CheckpointerError[] = []
  const host = await createHost({ storage, onWarning: (warning) => warnings.push(warning) })
  expect(warnings.map(({ code }) => code)).toEqual(['UNSUPPORTED'])
  await saveOn(host)
  await host.close()
})
