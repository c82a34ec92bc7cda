import { expect, it, onTestFinished } from 'vitest'
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { createHost } from '../../src/operations/create-host.ts'
import type { Host } from '../../src/operations/host.ts'
import { callOf, mapHost, VERBS, type Verb } from '../../src/operations/verbs.ts'

/** Asked so often, a sync goes round for ever. */
const ENDLESS = 30_000

interface Told {
  readonly verb: Verb
  readonly request: Record<string, unknown>
  readonly reply: Record<string, unknown>
  readonly calls: number
}

const only =
  (verb: Verb, lie: (told: Told) => unknown) =>
  (told: Told): unknown =>
    told.verb === verb ? lie(told) : told.reply

const lies: [string, (told: Told) => unknown][] = [
  ['its list never ends', only('syncList', ({ calls }) => page(`t${calls}`))],
  ['its list does not go on', only('syncList', () => page('t'))],
  ['its list is none', only('syncList', () => ({ items: [{ thread: 5 }] }))],
  ['it answers with nothing', only('syncAsk', () => null)],
  ['it answers with a text', only('syncAsk', () => 'x')],
  ['its store has no name', only('syncAsk', ({ reply }) => ({ ...reply, store: 5 }))],
  [
    'what it has does not go on',
    only('syncHave', ({ request, reply }) => ({ ...reply, last: request['after'] })),
  ],
  ['what it has goes back', only('syncHave', ({ reply }) => ({ ...reply, last: -5 }))],
  ['what it has has no number', only('syncHave', ({ reply }) => ({ ...reply, last: 'x' }))],
  [
    'what it has was not asked for',
    only('syncHave', ({ reply }) => ({ ...reply, names: [{ seq: 99, id: 'x' }] })),
  ],
  ['it gives no rows', only('syncGive', () => ({ rows: 7 }))],
  ['it gives rows without a name', only('syncGive', ({ reply }) => ({ ...reply, rows: [{ info: {} }] }))],
  [
    'what it gives starts from what is nowhere, also when the whole is asked for',
    only('syncGive', ({ reply }) => ({
      ...reply,
      rows: (reply['rows'] as object[]).map((row) => ({ ...row, base: { id: 'nowhere', key: 'nowhere' } })),
    })),
  ],
  ['it wants what it was not offered', only('syncWant', ({ reply }) => ({ ...reply, wanted: [99] }))],
  ['it wants what is no list', only('syncWant', () => ({ wanted: 'x' }))],
  ['it takes less than nothing', only('syncTake', ({ reply }) => ({ ...reply, taken: -1 }))],
  ['it takes a half', only('syncTake', ({ reply }) => ({ ...reply, taken: 0.5 }))],
  ['it takes nothing', only('syncTake', ({ reply }) => ({ ...reply, taken: 0 }))],
]

const page = (thread: string): unknown => ({
  items: [{ thread, store: 's', stamp: 'q' }],
  next: { thread, rank: 1 },
})

it.each(lies)(
  'a store that lies keeps no sync for ever, and costs nothing of one’s own: %s',
  async (_, lie) => {
    const honest = await createHost({ storage: memoryStorage() })
    let calls = 0
    const lying = mapHost(honest, (run, verb) => async (request) => {
      if (++calls > ENDLESS) throw new Error(`asked without an end: ${verb}`)
      const reply = (await run(request)) as Told['reply']
      return verb === 'close' ? undefined : lie({ verb, request: request as Told['request'], reply, calls })
    })
    const mine = await openCheckpointer({ name: 'mine', storage: memoryStorage() })
    const far = await openCheckpointer({ name: 'far', host: honest })
    const remote = await openCheckpointer({ name: 'remote', host: lying })
    onTestFinished(async () => {
      for (const each of [mine, remote, far]) await each.close()
    })
    for (let n = 1; n <= 3; n++) await far.thread('t').save({ n })
    for (let n = 10; n <= 12; n++) await mine.thread('t').save({ n })

    await expect(mine.sync(remote)).rejects.toMatchObject({ name: 'CheckpointerError' })
    const own = []
    for await (const { state } of mine.thread<{ n: number }>('t').history({ states: true })) own.push(state.n)
    expect(own).toEqual(expect.arrayContaining([10, 11, 12]))
    expect((await mine.verify()).problems).toEqual([])
    await mine.thread('t').save({ n: 13 })
  },
)

it('a host may be an object of a class of the app’s', async () => {
  const inner = await createHost({ storage: memoryStorage() })
  class Mine {}
  for (const verb of VERBS)
    Object.defineProperty(Mine.prototype, verb, {
      value(this: Mine, request: unknown) {
        return callOf(inner, verb)(this instanceof Mine ? request : { not: 'its own' })
      },
    })
  const remote = await openCheckpointer({ name: 'class', host: new Mine() as unknown as Host })
  const mine = await openCheckpointer({ name: 'mine', storage: memoryStorage() })
  onTestFinished(async () => {
    await mine.close()
    await remote.close()
  })
  await mine.thread('t').save({ n: 1 })
  await mine.thread('t').fork({ as: 'u' })
  await mine.sync(remote)
  expect((await remote.thread('u').load())?.state).toEqual({ n: 1 })
})
