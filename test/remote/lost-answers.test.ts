import { openCheckpointer } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { createHandler } from 'forkpoint/server'
import { expect, it, onTestFinished } from 'vitest'
import { inMemory } from './serving.ts'

type Fetch = typeof fetch
type Answer = (request: Request) => Promise<Response>

const ways: [string, (answer: Answer) => Answer][] = [
  [
    'is delivered twice',
    (answer) => async (request) => {
      await answer(request.clone())
      return answer(request)
    },
  ],
  [
    'is obeyed, and its answer lost',
    (answer) => {
      let lost = 0
      return async (request) => {
        const response = await answer(request)
        if (lost++ % 2 === 0) throw new TypeError('The connection broke off.')
        return response
      }
    },
  ],
]

it.each(ways)('nobody waits for oneself when a call for a lease %s', async (_, change) => {
  const served = await inMemory()
  const handler = createHandler(served, { authorize: () => true })
  const changed = change(handler)
  const fetched: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const isForLease = (await request.clone().text()).includes('"takeLease"')
    return (isForLease ? changed : handler)(request)
  }
  const checkpointer = await openCheckpointer({
    name: 'page',
    host: remoteHost('http://edge.test/', { fetch: fetched }),
  })
  onTestFinished(async () => {
    await checkpointer.close()
    await served.close()
  })
  const thread = checkpointer.thread<{ n: number }>('t')
  const lease = await thread.lease({ wait: false })
  await thread.save({ n: 1 })
  await lease.release()
  const { status } = await thread.run({ initial: { n: 0 }, wait: false }, async (loop) => {
    loop.state.n += await loop.step('one', () => 1)
  })
  expect(status).toBe('finished')
})
