import { MemorySaver } from '@langchain/langgraph-checkpoint'
import { HumanMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toForm, type Lasts } from '../../../src/integrations/langgraph/form.ts'

const { serde } = new MemorySaver()
const LONG = 'ä" 😀\\'.repeat(700)

const item = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
  fc.string().map((text) => new HumanMessage(text)),
  fc.constant(undefined),
)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ push: fc.array(item, { maxLength: 3 }) }) },
  fc.record({ drop: fc.nat(3) }),
  fc.record({ change: fc.nat(5), to: item }),
  fc.record({ instead: fc.oneof(fc.jsonValue(), fc.constant([]), fc.constant('['.padEnd(5_000, ','))) }),
)

it('gives what reading all of it anew gives, whatever a list does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const lasts: Lasts = new Map()
      let list: unknown[] = [LONG]
      for (const each of steps) {
        if ('push' in each) list = [...list, ...each.push]
        else if ('drop' in each) list = list.slice(0, Math.max(1, list.length - each.drop))
        else if ('change' in each) list = list.with(each.change % list.length, each.to)
        const value = 'instead' in each ? each.instead : list
        expect(await toForm(serde, value, lasts, 'a')).toEqual(await toForm(serde, value))
      }
    }),
    { numRuns: 300 },
  )
})

it('reads of a list that has grown what has come, and of one that has changed all', async () => {
  const lasts: Lasts = new Map()
  const first = (await toForm(serde, [{ text: LONG }], lasts, 'a')) as unknown[]
  const second = (await toForm(serde, [{ text: LONG }, { text: 'more' }], lasts, 'a')) as unknown[]
  expect(second).toEqual([{ text: LONG }, { text: 'more' }])
  // The same object, since nothing of it was read again.
  expect(second[0]).toBe(first[0])
  const third = (await toForm(serde, [{ text: `${LONG}!` }, { text: 'more' }], lasts, 'a')) as unknown[]
  expect(third[0]).toEqual({ text: `${LONG}!` })
  const elsewhere = await toForm(serde, [{ text: LONG }], lasts, 'b')
  expect(elsewhere).toEqual([{ text: LONG }])
})
