import { beforeAll, expect, it, vi, onTestFinished } from 'vitest'
import { CheckpointerError } from '../../src/errors.ts'
import { createHost } from '../../src/operations/create-host.ts'
import type { Host } from '../../src/operations/host.ts'
import { callOf, onlyReads, VERBS, type Verb } from '../../src/operations/verbs.ts'
import { CURRENT_FORMAT } from '../../src/storage/format-version.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { resealed, restored, wholeDatabase, type Whole } from '../faults/support/fuzz-rows.ts'
import { factsOf, rowsOf } from '../faults/support/rows.ts'

const CLOSED = new CheckpointerError('CLOSED', 'Another tab uses a newer version.')
/** A database that a later version has written: this one may read it. */
const LATER = { format: CURRENT_FORMAT + 1, read: CURRENT_FORMAT }

let whole: Whole
beforeAll(async () => {
  whole = await wholeDatabase()
})

/** With an import that was to be gone on with. */
const laterDatabase = (): Promise<Storage> =>
  restored(
    whole.rows.map((row) => {
      const [name] = row.key
      if (name === 'database') return { row, put: resealed(row, { ...factsOf(row), ...LATER }) }
      const publishing = { ...factsOf(row), state: 'publishing' }
      return { row, ...(name === 'import' ? { put: resealed(row, publishing) } : {}) }
    }),
  )

async function openHost(storage: Storage, more = {}): Promise<{ host: Host; warnings: string[] }> {
  const warnings: string[] = []
  const host = await createHost({ storage, onWarning: ({ code }) => warnings.push(code), ...more })
  return { host, warnings }
}

/** What ends something changes nothing that is stored; of what is asked for twice without harm, one writes something down. */
const acts = VERBS.filter(
  (verb) => verb === 'syncAsk' || !(onlyReads(verb) || ['close', 'rest', 'endCarry'].includes(verb)),
)

it.each(acts)('%s is refused', async (verb: Verb) => {
  const storage = await laterDatabase()
  const { host } = await openHost(storage)
  const request = { thread: 'kinds', namespace: '', isPlan: false, saves: [], id: 'some', page: 0 }
  await expect(callOf(host, verb)(request)).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW', outcome: 'none' })
  await host.close()
})

it('is told when it is opened, and nothing is done in it behind anybody’s back', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const storage = await laterDatabase()
  const before = await rowsOf(storage)
  const { host, warnings } = await openHost(storage, {
    retention: { keepLast: 1, olderThan: 1, keepLabelled: false },
  })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(warnings).toEqual(['FORMAT_TOO_NEW'])
  expect((await host.reconcile({ heads: [] })).database).toBe(factsOf(whole.rows[0]!)['id'])
  await host.rest()
  await host.endCarry({ id: 'an import' })
  await host.close()
  expect(await rowsOf(storage)).toEqual(before)
})

it('is found again, and told, where another database was before', async () => {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  const { host, warnings } = await openHost(storage)
  await host.flush()
  const [row] = await rowsOf(storage)
  const taken = vi.spyOn(storage, 'list').mockRejectedValueOnce(CLOSED)
  await expect(host.threads({ limit: 1 })).rejects.toMatchObject({ code: 'CLOSED' })
  taken.mockRestore()
  await storage.commit('', { puts: [resealed(row!, { ...factsOf(row!), ...LATER })] })
  expect(await host.threads({ limit: 1 })).toEqual({ items: [] })
  expect(warnings).toEqual(['FORMAT_TOO_NEW'])
  await expect(host.flush()).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' })
})
