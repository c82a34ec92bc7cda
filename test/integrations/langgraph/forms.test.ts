import { MemorySaver, type SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { HumanMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toForm } from '../../../src/integrations/langgraph/serialised/form.ts'
import { Lasts } from '../../../src/integrations/langgraph/serialised/lasts.ts'

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

it.each([
  ["LangGraph's", serde],
  ["somebody's own", undefined],
])(
  'gives what reading all of it anew gives, whatever a list does, of a serialiser that is %s',
  async (_, own) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const lasts = new Lasts(own)
        let list: unknown[] = [LONG]
        for (const each of steps) {
          if ('push' in each) list = [...list, ...each.push]
          else if ('drop' in each) list = list.slice(0, Math.max(1, list.length - each.drop))
          else if ('change' in each) list = list.with(each.change % list.length, each.to)
          const value = 'instead' in each ? each.instead : list
          expect(await lasts.of('place', serde)('a', value)).toEqual(await toForm(serde, value))
        }
      }),
      { numRuns: 300 },
    )
  },
)

it("reads of a list that has grown what has come, and of one that has changed all, where it is somebody's own", async () => {
  const lasts = new Lasts(undefined)
  const form = (value: unknown, channel = 'a') =>
    lasts.of('place', serde)(channel, value) as Promise<unknown[]>
  const first = await form([{ text: LONG }])
  const second = await form([{ text: LONG }, { text: 'more' }])
  expect(second).toEqual([{ text: LONG }, { text: 'more' }])
  // The same object, since nothing of it was read again.
  expect(second[0]).toBe(first[0])
  const third = await form([{ text: `${LONG}!` }, { text: 'more' }])
  expect(third[0]).toEqual({ text: `${LONG}!` })
  const elsewhere = await form([{ text: LONG }], 'b')
  expect(elsewhere).toEqual([{ text: LONG }])
})

/** LangGraph's, and what it was asked for. */
function watched() {
  const asked: unknown[] = []
  const watching: SerializerProtocol = Object.create({
    dumpsTyped(value: unknown) {
      asked.push(value)
      return serde.dumpsTyped(value)
    },
    loadsTyped: serde.loadsTyped.bind(serde),
  })
  return { watching, asked }
}

it("asks LangGraph's serialiser for what is new, and for what was changed in place, and for no more", async () => {
  const { watching, asked } = watched()
  const form = (value: unknown) => lasts.of('place', watching)('messages', value)
  const lasts = new Lasts(watching)
  const [hello, answer] = [new HumanMessage('hello'), { role: 'ai', content: ['an answer'] }]
  const list = [hello, answer]
  const more = new HumanMessage({ content: [{ type: 'text', text: 'more' }] })
  await form(list)
  await form([...list])
  expect(asked).toEqual([list])
  await form([...list, more])
  await form([...list, more])
  expect(asked.slice(1)).toEqual([[more]])
  answer.content[0] = 'another'
  hello.additional_kwargs['seen'] = true
  await form([...list, more])
  expect(asked.slice(2)).toEqual([[hello, answer]])
})

it('asks whoever else is put in its place for all', async () => {
  const { watching, asked } = watched()
  const lasts = new Lasts(serde)
  for (let i = 0; i < 3; i++) await lasts.of('place', i === 0 ? serde : watching)('messages', ['hello'])
  expect(asked).toEqual([['hello'], ['hello']])
})

it('remembers the places that were put into last', async () => {
  const { watching, asked } = watched()
  const lasts = new Lasts(watching)
  const put = (place: number) => lasts.of(String(place), watching)('messages', ['hello'])
  for (let place = 0; place < 20; place++) await put(place)
  await put(19)
  await put(4)
  expect(asked).toHaveLength(20)
  await put(3)
  expect(asked).toHaveLength(21)
})
