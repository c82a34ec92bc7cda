import { CheckpointerError, openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import { createHost } from '../../../src/operations/create-host.ts'

/** A thread whose leases cannot be dropped. */
async function opened() {
  const host = await createHost({ storage: memoryStorage(), publish: () => {} })
  const warnings: CheckpointerError[] = []
  const dropLease: typeof host.dropLease = () => Promise.reject(new CheckpointerError('FAILED', 'no disk'))
  const checkpointer = await openCheckpointer({
    name: 'a',
    host: { ...host, dropLease },
    onWarning: (warning) => void warnings.push(warning),
  })
  return { thread: checkpointer.thread('t'), warnings }
}

it('a run that has finished is not rejected because its lease could not be let go of', async () => {
  const { thread, warnings } = await opened()
  expect(await thread.run({}, () => 'result')).toMatchObject({ status: 'finished', result: 'result' })
  expect(warnings.map(({ code, thread: of }) => [code, of])).toEqual([['FAILED', 't']])
})

it('a loop rejects with its own error when its lease could not be let go of either', async () => {
  const { thread, warnings } = await opened()
  const running = thread.run({}, () => {
    throw new TypeError('own')
  })
  await expect(running).rejects.toThrow(new TypeError('own'))
  expect(warnings).toHaveLength(1)
})
