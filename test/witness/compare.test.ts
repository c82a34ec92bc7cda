import { describe, expect, it } from 'vitest'
import type { CheckpointerError, SessionReport } from 'forkpoint'
import type { LossRecord } from '../../src/operations/host.ts'
import { compare } from '../../src/witness/compare.ts'

/** What is told when the storage reports this of the sessions before, and nothing is remembered. */
async function toldAfter(session: SessionReport | undefined): Promise<{
  warnings: CheckpointerError[]
  records: LossRecord[]
  settled: string[]
}> {
  const warnings: CheckpointerError[] = []
  const records: LossRecord[] = []
  const settled: string[] = []
  const host = {
    reconcile: async () => ({ database: 'd', found: [], ...(session ? { session } : {}) }),
    recordLoss: async (record: LossRecord) => void records.push(record),
    settle: async ({ sessions }: { readonly sessions: readonly string[] }) => void settled.push(...sessions),
    threads: async () => ({ items: [] }),
  }
  const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
  await compare({ name: 'n', host, store: undefined, onWarning }, await host.reconcile(), async () => {})
  return { warnings, records, settled }
}

const clean: SessionReport = { unclean: false, owing: [] }

describe('what the storage reports of the sessions before', () => {
  it.each([undefined, clean, { ...clean, unclean: true }])(
    'tells no loss where there is none: %j',
    async (session) => {
      expect(await toldAfter(session)).toEqual({ warnings: [], records: [], settled: [] })
    },
  )

  it.each([
    ['the engine has thrown files away', { ...clean, dataLoss: 'a bad log' }, 'a bad log', true],
    ['acknowledged saves may not have been written', { unclean: true, owing: ['s'] }, 'latest saves', false],
  ])('tells that %s, though nothing is remembered', async (_, session, words, isCertain) => {
    const { warnings, records, settled } = await toldAfter(session)
    expect(warnings).toMatchObject([{ code: 'DATA_LOSS', loss: { heads: [] } }])
    expect(warnings[0]?.message).toContain(words)
    const record = { message: warnings[0]?.message, loss: warnings[0]?.loss }
    expect(records).toMatchObject(isCertain ? [record] : [])
    // So that it is told once.
    expect(settled).toEqual(session.owing)
  })
})
