import { describe, expect, it, onTestFinished } from 'vitest'
import { empty, freshPages } from '../../support/fresh-pages.ts'

const script = new URL('../../support/agents-page.ts', import.meta.url)

it('the example goes on after a reload with the run that waits, and does nothing again', async () => {
  onTestFinished(() => empty('my-agent'))
  const { load } = freshPages(script)
  expect(await load({ isKept: true })).toEqual({ said: 'May I book? (4 items)', done: ['search Lisbon'] })
  const second = { said: 'You fly with TP 1351. (6 items)', done: ['book TP 1351'] }
  expect(await load({ isKept: true })).toEqual(second)
  expect(await load({ isKept: true })).toEqual({ said: 'You do still. (8 items)', done: [] })
})

it('a fork goes on by itself, in any page', async () => {
  onTestFinished(() => empty('my-agent'))
  const { load } = freshPages(script)
  for (let page = 0; page < 2; page++) await load({ isKept: true })
  const { load: inBranch } = freshPages(new URL('../../support/agents-branch-page.ts', import.meta.url))
  const first = await inBranch({})
  expect(first).toMatchObject({ said: 'You do still.', items: 8, before: 6 })
  expect(await inBranch(first)).toEqual({ ...(first as object), items: 10 })
})

it('without it, a reload loses the run: it begins again, and asks again', async () => {
  const { load } = freshPages(script)
  const first = { said: 'May I book? (4 items)', done: ['search Lisbon'] }
  expect(await load({ isKept: false })).toEqual(first)
  expect(await load({ isKept: false })).toEqual(first)
})

describe('a run that is cut off in a tool', () => {
  const cutOff = new URL('../../support/agents-resumed-page.ts', import.meta.url)
  const emptied = (): Promise<void> => empty('my-trips')

  it('goes on after a reload, with nothing done again but what changes nothing', async () => {
    onTestFinished(emptied)
    const { load } = freshPages(cutOff)
    expect(await load({ isKept: true, leavesAt: 'search' })).toEqual({ done: ['search Lisbon'], asked: 1 })
    const second = { done: ['search Lisbon', 'book TP 1351'], asked: 1 }
    expect(await load({ isKept: true, leavesAt: 'book' })).toEqual(second)
    const third = { said: 'You fly with TP 1351. (6 items)', done: [], asked: 1 }
    expect(await load({ isKept: true })).toEqual(third)
    const fourth = { said: 'You do still. (8 items)', done: [], asked: 1 }
    expect(await load({ isKept: true })).toEqual(fourth)
  })

  it('with the session alone, does all of it again', async () => {
    onTestFinished(emptied)
    const { load } = freshPages(cutOff)
    const done = ['search Lisbon', 'book TP 1351']
    expect(await load({ isKept: false, leavesAt: 'book' })).toEqual({ done, asked: 2 })
    expect(await load({ isKept: false })).toEqual({
      said: 'You fly with TP 1351. (6 items)',
      done,
      asked: 3,
    })
  })
})
