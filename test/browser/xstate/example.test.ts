import { openCheckpointer } from 'forkpoint'
import { expect, it, onTestFinished } from 'vitest'
import { empty, freshPages } from '../../support/fresh-pages.ts'

const script = new URL('../../support/order-page.ts', import.meta.url)

it('the example goes on after a reload in the middle of it, and pays under the same key', async () => {
  onTestFinished(() => empty('my-orders'))
  const { load } = freshPages(script)
  const first = await load({ isKept: true, does: ['bread', 'bread', 'pay'], until: 'paying' })
  const asked = [expect.any(String)]
  expect(first).toEqual({ began: 'filling', items: ['bread', 'bread'], asked })
  const second = await load({ isKept: true, does: [], until: 'paid' })
  expect(second).toEqual({ ...(first as object), began: 'paying' })
  await expect.poll(storedIn('my-orders', 'order-1')).toMatchObject({ value: 'paid' })
  const third = await load({ isKept: true, does: [], until: 'paid' })
  expect(third).toEqual({ ...(first as object), began: 'paid', asked: [] })
})

it('an actor that begins with an earlier snapshot is a branch, with which the next page goes on', async () => {
  const name = `branch-${Math.random().toString(36).slice(2)}`
  const { load } = freshPages(new URL('../../support/counter-page.ts', import.meta.url))
  expect(await load({ name, sends: ['one', 'two'] })).toMatchObject({ said: ['one', 'two'] })
  const first = [1, null]
  expect(await load({ name, at: 2, sends: ['other'] })).toEqual({
    said: ['one', 'other'],
    checkpoints: [first, [2, 1], [3, 2], [4, 2]],
  })
  expect(await load({ name, sends: ['more'] })).toEqual({
    said: ['one', 'other', 'more'],
    checkpoints: [first, [2, 1], [3, 2], [4, 2], [5, 4]],
  })
})

it('without it, a reload loses the order', async () => {
  const { load } = freshPages(script)
  await load({ isKept: false, does: ['bread', 'bread', 'pay'], until: 'paying' })
  const second = await load({ isKept: false, does: [], until: 'filling' })
  expect(second).toEqual({ began: 'filling', items: [], asked: [] })
})

/** The latest state of a thread: what is not acknowledged yet may go with its page. */
const storedIn = (name: string, thread: string) => async (): Promise<unknown> => {
  const checkpointer = await openCheckpointer({ name, onWarning: () => {} })
  const found = await checkpointer.thread(thread).load()
  await checkpointer.close()
  return found?.state
}
