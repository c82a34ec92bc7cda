import { openCheckpointer, type Checkpointer, type Host } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import { mapHost } from '../../src/operations/verbs.ts'

/** One whose store answers nothing once it is said so, as behind a network that swallows all, until the test is over. */
async function opened(): Promise<{ checkpointer: Checkpointer; falls: () => void }> {
  const real = await createHost({ storage: memoryStorage() })
  let isThere: Promise<void> | undefined
  const host: Host = mapHost(real, (run) => async (request) => {
    await isThere
    return run(request)
  })
  const checkpointer = await openCheckpointer({ name: 'silent', host })
  await checkpointer.thread('t').save({ n: 1 })
  let rises = (): void => {}
  onTestFinished(async () => {
    rises()
    await checkpointer.close()
  })
  return { checkpointer, falls: () => void (isThere = new Promise((resolve) => (rises = resolve))) }
}

type Call = (checkpointer: Checkpointer, other: Checkpointer, signal: AbortSignal) => Promise<unknown>

const all = async (items: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of items);
}

const calls: [string, Call][] = [
  ['threads', (checkpointer, _, signal) => all(checkpointer.threads({ signal }))],
  ['watch', (checkpointer, _, signal) => all(checkpointer.thread('t').watch({ signal }))],
  ['export', (checkpointer, _, signal) => all(checkpointer.export(undefined, { signal }))],
  ['a packed export', (checkpointer, _, signal) => all(checkpointer.export('t', { signal, compress: true }))],
  ['sync, as this side', (checkpointer, other, signal) => checkpointer.sync(other, { signal })],
  ['sync, as the other side', (checkpointer, other, signal) => other.sync(checkpointer, { signal })],
  ['load', (checkpointer, _, signal) => checkpointer.thread('t').load(1, { signal })],
  ['usage', (checkpointer, _, signal) => checkpointer.usage({ signal })],
  ['verify', (checkpointer, _, signal) => checkpointer.verify({ signal })],
  ['runs', (checkpointer, _, signal) => all(checkpointer.runs({ signal }))],
]

it.each(calls)('%s ends with its signal though the store does not answer', async (_, call) => {
  const { checkpointer, falls } = await opened()
  const { checkpointer: other } = await opened()
  falls()
  const stop = new AbortController()
  const calling = call(checkpointer, other, stop.signal)
  calling.catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, 50))
  stop.abort(new Error('enough'))
  await expect(calling).rejects.toThrow('enough')
})
