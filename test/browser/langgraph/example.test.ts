import { expect, it, onTestFinished } from 'vitest'
import { empty, freshPages } from '../../support/fresh-pages.ts'

const script = new URL('../../support/graph-example-page.ts', import.meta.url)

it('the example goes on after a reload where it had stopped', async () => {
  onTestFinished(() => empty('my-graph'))
  const { load } = freshPages(script)
  expect(await load({ isKept: true })).toBe('flights to Lisbon')
  expect(await load({ isKept: true })).toBe('flights to Lisbon, booked Lisbon')
})

it('without the saver, a reload loses the run: it begins again', async () => {
  onTestFinished(() => empty('my-graph'))
  const { load } = freshPages(script)
  expect(await load({ isKept: false })).toBe('flights to Lisbon')
  expect(await load({ isKept: false })).toBe('flights to Lisbon')
})
