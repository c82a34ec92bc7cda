import { openCheckpointer } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { createHandler } from 'forkpoint/server'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

it('saves that are too large for one message go in several, and none is given up', async () => {
  const server = await openCheckpointer({ name: 'server', storage: memoryStorage() })
  const handler = createHandler(server, { authorize: () => true })
  let slow = true
  const host = remoteHost('http://localhost/', {
    async fetch(input, init) {
      if (slow) await new Promise((resolve) => setTimeout(resolve, 100))
      return handler(new Request(input as URL, init))
    },
  })
  const warnings: unknown[] = []
  const client = await openCheckpointer({
    name: 'client',
    durability: 'async',
    host,
    onWarning: (warning) => void warnings.push(warning),
  })
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  const thread = client.thread('t')
  await thread.save({ n: 0 })
  const saves = Array.from({ length: 200 }, (_, n) =>
    thread.save({ n }, { extra: { a: 'x'.repeat(100_000) } }),
  )
  await Promise.all(saves)
  slow = false
  await client.flush()
  expect((await server.thread('t').load())?.seq).toBe(201)
  expect(warnings).toEqual([])
})
