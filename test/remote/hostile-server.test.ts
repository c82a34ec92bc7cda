import { CheckpointerError, openCheckpointer } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'
import { expect, it, onTestFinished } from 'vitest'
import { MESSAGE_TYPE } from '../../src/remote/http.ts'
import { pack } from '../../src/remote/pack.ts'

async function rejection(error: unknown): Promise<CheckpointerError> {
  const fetched: typeof fetch = async () =>
    new Response(pack({ error }), { headers: { 'content-type': MESSAGE_TYPE } })
  const checkpointer = await openCheckpointer({
    name: 'page',
    host: remoteHost('http://edge.test/', { fetch: fetched }),
  })
  onTestFinished(() => checkpointer.close())
  return checkpointer
    .thread('t')
    .load()
    .then(
      () => expect.unreachable(),
      (reason: unknown) => reason as CheckpointerError,
    )
}

it('of an error that a server makes up no more is taken than an error has', async () => {
  const details: unknown = JSON.parse(
    '{"__proto__":{"polluted":1},"code":"MADE_UP","stack":{},"cause":7,"name":3,"seq":5}',
  )
  const error = await rejection({ code: 'NOT_FOUND', message: 'gone', details })
  expect(error).toBeInstanceOf(Error)
  expect(CheckpointerError.is(error)).toBe(true)
  expect([error.code, error.name, error.message, error.seq]).toEqual([
    'NOT_FOUND',
    'CheckpointerError',
    'gone',
    5,
  ])
  expect([typeof error.stack, error.cause, 'polluted' in error]).toEqual(['string', undefined, false])
})

it.each([
  {},
  { code: 'FAILED' },
  { code: 1, message: 'm', details: {} },
  { code: 'FAILED', message: 'm' },
  'x',
  null,
])('what is no error is told as an answer that did not arrive: %j', async (error) => {
  expect(await rejection(error)).toMatchObject({ code: 'WORKER_LOST' })
})
