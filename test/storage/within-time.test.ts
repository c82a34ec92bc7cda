import { expect, it, onTestFinished, vi } from 'vitest'
import { withinTime } from '../../src/storage/indexeddb/errors.ts'

it.each(['opened', 'deleted'] as const)('says that a database could not be %s', async (doing) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const late = withinTime({ name: 'db', doing }, (onBlocked) => {
    onBlocked()
    return new Promise<void>(() => {})
  })
  const told = expect(late).rejects.toMatchObject({
    code: 'BLOCKED',
    message: expect.stringContaining(`The database db could not be ${doing} in 10 s: another tab`),
  })
  await vi.advanceTimersByTimeAsync(10_000)
  await told
})
