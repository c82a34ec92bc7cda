import { expect, it, onTestFinished, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { connect } from '../../src/worker/connect.ts'
import { serve } from '../../src/worker/serve.ts'
import type { OpenMessage } from '../../src/worker/wire.ts'

/** A page, and what serves it behind a port. */
async function connected() {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  const inner = await createHost({ storage: memoryStorage() })
  const close = vi.fn(() => inner.close())
  const opened: OpenMessage[] = []
  serve(port1, async (message) => {
    opened.push(message)
    return { ...inner, close }
  })
  port1.start()
  const host = await connect(port2, { name: 'presence' }, { onWarning: () => {} })
  return { host, close, lock: opened[0]?.presence ?? '' }
}

const isHeld = async (lock: string): Promise<boolean> =>
  (await navigator.locks.query()).held?.some(({ name }) => name === lock) ?? false

it('a page that dies leaves no host open behind its port', async () => {
  const { host, close, lock } = await connected()
  expect(await isHeld(lock)).toBe(true)
  expect((await host.threads({ limit: 1 })).items).toEqual([])
  expect(close).not.toHaveBeenCalled()
  // What becomes of a lock whose holder is gone.
  await navigator.locks.request(lock, { steal: true }, () => {})
  await vi.waitFor(() => expect(close).toHaveBeenCalledOnce())
})

it('a page that closes lets go of what shows that it is there', async () => {
  const { host, close, lock } = await connected()
  expect(await isHeld(lock)).toBe(true)
  await host.close()
  await vi.waitFor(async () => expect(await isHeld(lock)).toBe(false))
  expect(close).toHaveBeenCalled()
})
