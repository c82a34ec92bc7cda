import * as core from '@langchain/core/messages'
import { Document } from '@langchain/core/documents'
import { DeltaSnapshot, MemorySaver, type SerializerProtocol } from '@langchain/langgraph-checkpoint'
import { Send } from '@langchain/langgraph/web'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isOther, toForm, type Form } from '../../../src/integrations/langgraph/serialised/form.ts'
import { Lasts } from '../../../src/integrations/langgraph/serialised/lasts.ts'

const { serde } = new MemorySaver()

type Draw = (count: number) => number
type Made = Record<string, unknown>

const NAMES = [
  'text',
  'content',
  'lc',
  'type',
  'id',
  '__lc_escaped__',
  '__proto__',
  '7',
  'camelCase',
  'lc_kwargs',
]

class Told {
  said = 'a'
  #secret = 0
  toJSON() {
    return { said: this.said, secret: this.#secret }
  }
  change() {
    this.#secret++
  }
}

class Shaped {
  own = 1
  get upper() {
    return 'never written'
  }
}

/** Anything that somebody may hold in a channel, made by what is drawn; and now and then something that was made before. */
function maker(draw: Draw) {
  const made: unknown[] = [['a list']]
  const isCalm = draw(2) === 0
  const clock: Made = keep({ hour: 0 })
  function keep<T>(value: T): T {
    if (typeof value === 'object' && value !== null) made.push(value)
    return value
  }
  const of = <T>(values: readonly T[]): T => values[draw(values.length)] as T
  const record = (depth: number): Made => {
    const all: Made = draw(9) === 0 ? (Object.create(null) as Made) : {}
    keep(all)
    for (let i = draw(4); i > 0; i--)
      Object.defineProperty(all, of(NAMES), {
        value: value(depth + 1),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    return all
  }
  const list = (depth: number): unknown[] => {
    const all: unknown[] = keep([])
    for (let i = draw(4); i > 0; i--) all.push(value(depth + 1))
    if (draw(20) === 0) all.length += 1
    return all
  }
  const message = (depth: number): unknown => {
    const content = draw(2) === 0 ? `text ${draw(5)}` : (list(depth + 1) as never)
    const fields = {
      content,
      ...(draw(2) === 0 ? { id: `id ${draw(3)}` } : {}),
      ...(draw(3) === 0 ? { name: undefined } : {}),
      ...(draw(2) === 0 ? { additional_kwargs: record(depth + 1) } : {}),
      ...(draw(3) === 0 ? { response_metadata: { output_version: of(['v0', 'v1']) } } : {}),
    } as never
    const calls = [{ id: 'c', name: 'find', args: record(depth + 1) }]
    const make: (() => unknown)[] = [
      () => new core.HumanMessage(fields),
      () => new core.SystemMessage(fields),
      () => new core.AIMessage(fields),
      () => new core.AIMessage({ content: '', tool_calls: calls }),
      () => new core.AIMessage({ contentBlocks: [{ type: 'text', text: `${draw(3)}` }] }),
      () => new core.AIMessageChunk({ content: 'a part', tool_call_chunks: [{ index: 0, args: '{' }] }),
      () => new core.ToolMessage({ content: 'found', tool_call_id: 'c', artifact: value(depth + 1) }),
      () => new core.RemoveMessage({ id: 'gone' }),
      () => new core.ChatMessage('hello', 'sage'),
      () => new (class extends core.HumanMessage {})(fields),
    ]
    try {
      return keep(of(make)())
    } catch {
      // It does not take what it was given.
      return keep(new core.HumanMessage('hello'))
    }
  }
  const leaf = (): unknown =>
    of<() => unknown>([
      () => `text ${draw(4)}`,
      () => draw(3),
      () => of([null, undefined, true, -0, 0, Number.NaN, Number.POSITIVE_INFINITY, '\uD800', 'ä😀']),
    ])()
  const special = (depth: number): unknown =>
    keep(
      of<() => unknown>([
        () => new Date(draw(3)),
        () => new Date(Number.NaN),
        () => new Map([[leaf(), value(depth + 1)]]),
        () => new Set([value(depth + 1)]),
        () => /a+/g,
        () => new Error(`failed ${draw(2)}`),
        () => new Uint8Array([draw(256)]),
        () => new Float32Array([draw(3)]),
        () => Object('boxed'),
        () => new Send('node', value(depth + 1)),
        () => new DeltaSnapshot(value(depth + 1)),
        () => new Document({ pageContent: 'page', metadata: record(depth + 1) }),
        () => new Told(),
        () => new Shaped(),
        () => Object.assign(() => 1, { a: 1 }),
        () => {
          const said = value(4)
          return { toJSON: () => said }
        },
        () => ({ toJSON: 5 }),
        () => ({
          get answer() {
            return { hour: clock.hour }
          },
        }),
        () => ({ lc: 2, type: 'undefined' }),
        () => ({ lc: 2, type: 'constructor', id: ['Set'], method: null, args: [[1]], kwargs: {} }),
        () => (draw(5) === 0 ? 5n : 5),
      ])(),
    )
  const value = (depth = 0): unknown => {
    const kind = draw(depth > 3 ? 6 : 30)
    if (kind < 6) return leaf()
    if (kind < 14) return record(depth)
    if (kind < 18) return list(depth)
    if (kind < 25) return message(depth)
    if (kind < 26) return of(made)
    return isCalm ? leaf() : special(depth)
  }
  return { value, message, of, keep, made, leaf }
}

const text = (form: Form): string => (isOther(form) ? `${form[0]} ${form[1].join()}` : JSON.stringify(form))

/** What comes of it, or how it fails. */
const outcome = (form: Promise<Form>): Promise<string> =>
  form.then(text, (error: unknown) => `fails: ${String(error)}`)

/** Changes something in place, anywhere in what was made. */
function change({ of, made, value, leaf }: ReturnType<typeof maker>, draw: Draw): void {
  const target = of(made) as Made
  const names = Object.keys(target)
  try {
    if (target instanceof Map) target.set('more', leaf())
    else if (target instanceof Set) target.add(leaf())
    else if (target instanceof Told) target.change()
    else if (target instanceof Date) target.setTime(draw(5))
    else if (Array.isArray(target) && draw(2) === 0) target.splice(draw(2), draw(2), value())
    else if (draw(12) === 0) Object.freeze(target)
    else if (draw(8) === 0) delete target[of(names)]
    else
      target[draw(4) === 0 || names.length === 0 ? of(NAMES) : of(names)] = draw(2) === 0 ? leaf() : value()
  } catch {
    // It is frozen, or has no setter.
  }
}

it('gives what a saver that knows nothing gives, whatever is changed, anywhere', async () => {
  const asked = { whole: 0, inPart: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(0xffff), { minLength: 200, maxLength: 600 }), async (tape) => {
      let at = 0
      // The same tape is read in other words each time that it comes round.
      const draw: Draw = (count) => ((tape[at % tape.length] as number) + 7 * at++) % count
      const make = maker(draw)
      let isWhole = false
      // It has the serialiser's methods, and no property of its own.
      const own: SerializerProtocol = Object.create({
        dumpsTyped(value: unknown) {
          isWhole ||= value === list || value === other
          return serde.dumpsTyped(value)
        },
        loadsTyped: () => Promise.reject(new Error('nothing is read')),
      })
      const lasts = new Lasts(own)
      let list: unknown[] = [make.message(0), make.message(0), make.value(), make.message(0), make.value()]
      let other: unknown = make.value()
      for (let put = 0; put < 12; put++) {
        make.keep(list)
        const forms = lasts.of('place', own)
        for (const [name, value] of [
          ['list', list],
          ['other', other],
        ] as const) {
          const whole = outcome(toForm(serde, value))
          // When it fails, it leaves its marks in what it was asked for, and takes them away with the next call.
          void toForm(serde, 0)
          isWhole = false
          const given = outcome(forms(name, value))
          asked[isWhole ? 'whole' : 'inPart']++
          void toForm(serde, 0)
          expect(await given).toBe(await whole)
        }
        list = draw(3) === 0 ? list : Array.from(list)
        for (let i = draw(4); i > 0; i--) {
          const what = draw(9)
          if (Object.isFrozen(list) || !('splice' in list)) list = Array.from(list)
          if (what < 2) list.push(make.message(0))
          else if (what === 2) list.push(make.value())
          else if (what === 3) list.splice(draw(list.length), 1)
          else if (what === 4) list[draw(list.length)] = make.of(make.made)
          // As it is said itself, or as it is read again.
          else if (what === 5) {
            const place = draw(list.length)
            const said = (await toForm(serde, [list[place]]).catch(() => [0])) as unknown[]
            const read = serde.loadsTyped('json', JSON.stringify(said[0])).catch(() => said[0])
            list[place] = draw(2) === 0 ? said[0] : await read
          } else if (what === 6) other = make.value()
          else change(make, draw)
        }
      }
    }),
    { numRuns: 300 },
  )
  expect(asked.inPart).toBeGreaterThan(asked.whole / 4)
})

const message = (fields: object) => new core.AIMessage({ content: 'text', ...fields } as never)
const deep = { a: [{ b: { c: 1 } }] }
const day = new Date(0)
const map = new Map([['a', 1]])
const told = new Told()
const shared = { text: 'of both' }
const plain: Made = { text: 'plain' }
const answering = {
  get answer() {
    return shared.text
  },
}
const frozen = Object.freeze({ inner: { text: 'not frozen' } })
const chunk = new core.AIMessageChunk({ content: 'a p' })
const blocks = message({ content: [{ type: 'text', text: 'a block' }] })
const kwargs = message({ additional_kwargs: { deep: { list: [1] } } })
const calls = message({ tool_calls: [{ id: 'c', name: 'find', args: { query: 'what' } }] })
const response = message({ response_metadata: { usage: { tokens: 1 } } })
const inner = message({ additional_kwargs: { days: [day], message: new core.HumanMessage('inner') } })
const given = new core.HumanMessage({ content: 'text', unknown: { a: 1 } } as never)
const plainest = new core.HumanMessage('text')

it.each<[what: string, item: unknown, change: () => void]>([
  ['a field of a message', plainest, () => (plainest.content = 'another')],
  ['its id', plainest, () => plainest._updateId('id')],
  ['the text of a chunk', chunk, () => (chunk.content = 'a part')],
  ['a block', blocks, () => Object.assign(blocks.content[0] as object, { text: 'another' })],
  ['one block more', blocks, () => (blocks.content as object[]).push({ type: 'text', text: 'more' })],
  ['additional_kwargs', kwargs, () => (kwargs.additional_kwargs['deep'] as { list: number[] }).list.push(2)],
  [
    'the arguments of a call',
    calls,
    () => Object.assign(calls.tool_calls?.[0]?.args ?? {}, { query: 'who' }),
  ],
  [
    'response_metadata',
    response,
    () => Object.assign(response.response_metadata['usage'] as object, { tokens: 2 }),
  ],
  ['a field that only its arguments have', given, () => Object.assign(given.lc_kwargs['unknown'], { a: 2 })],
  ['a field that is none of its arguments until now', plainest, () => (plainest.lc_kwargs['late'] = 1)],
  [
    'a message in a message',
    inner,
    () => (inner.additional_kwargs['message'] = new core.HumanMessage('other')),
  ],
  ['its toJSON', plainest, () => Object.defineProperty(plainest, 'toJSON', { value: () => 'all else' })],
  ['something deep', deep, () => (deep.a[0] = { b: { c: 2 } })],
  [
    'the order of names',
    plain,
    () => (delete plain['text'], Object.assign(plain, { first: 1, text: 'plain' })),
  ],
  [
    'a toJSON that nobody sees',
    plain,
    () => Object.defineProperty(plain, 'toJSON', { value: () => 'all else' }),
  ],
  ['a day', [day], () => day.setTime(1)],
  ['a Map', { map }, () => map.set('a', 2)],
  ['what a toJSON hides', [told], () => told.change()],
  ['what a getter gives', answering, () => (shared.text = 'another')],
  ['something within what is frozen', frozen, () => (frozen.inner.text = 'changed')],
])('sees that it was changed in place: %s', async (_, item, change) => {
  const lasts = new Lasts(serde)
  const list = ['before', item, { shared }, { shared }, 'behind']
  const form = (channel: string) =>
    lasts.of('place', serde)(channel, channel === 'list' ? [...list] : { item })
  const before = [text(await form('list')), text(await form('value'))]
  expect([text(await form('list')), text(await form('value'))]).toEqual(before)
  change()
  const now = [text(await form('list')), text(await form('value'))]
  expect(now).toEqual([text(await toForm(serde, list)), text(await toForm(serde, { item }))])
  expect(now[0]).not.toBe(before[0])
  expect(now[1]).not.toBe(before[1])
})

it.each<[what: string, ring: (item: Made, list: unknown[]) => unknown]>([
  ['to itself', (item) => (item['ring'] = item)],
  ['to its list', (item, list) => (item['ring'] = list)],
  ['through a message', (item) => (item['ring'] = message({ additional_kwargs: { item } }))],
  ['through a Map', (item) => (item['ring'] = new Map([['item', item]]))],
])('says a ring as the serialiser does for all: %s', async (_, ring) => {
  const lasts = new Lasts(serde)
  const list: unknown[] = ['before', { text: 'an item' }]
  await lasts.of('place', serde)('list', list)
  const item: Made = { text: 'new' }
  list.push(item)
  ring(item, list)
  for (let put = 0; put < 3; put++)
    expect(text(await lasts.of('place', serde)('list', list))).toBe(text(await toForm(serde, list)))
})

it('takes what was there when it was called, whatever the caller does right after', async () => {
  const lasts = new Lasts(serde)
  const known = new core.HumanMessage('known')
  const fresh = { text: 'new' }
  const list: unknown[] = [known]
  await lasts.of('place', serde)('list', list)
  list.push(fresh)
  const said = text(await toForm(serde, list))
  const asked = lasts.of('place', serde)('list', list)
  known.content = fresh.text = 'changed'
  list.push('late')
  expect(text(await asked)).toBe(said)
})
