import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openCheckpointer, type Checkpointer, type Thread } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { createHost } from '../../src/operations/create-host.ts'
import { mapHost } from '../../src/operations/verbs.ts'

/** Devices that meet at an edge, and now and then one another, with cuts at any message; their clocks differ. */
const DEVICES = 3
const SKEWS = [0, -3_600_000, 3_600_000]
const PLACES = [
  { thread: 'a', namespace: '' },
  { thread: 'b', namespace: '' },
  { thread: 'fork', namespace: '' },
  { thread: 'a', namespace: 'sub' },
] as const
type Place = (typeof PLACES)[number]
const RUNS = Number(process.env['FORKPOINT_SYNC_RUNS'] ?? 40)

interface State {
  readonly said: readonly string[]
}

type Act =
  | { readonly act: 'save'; readonly at: number; readonly thread: number; readonly branch: boolean }
  | { readonly act: 'fork' | 'delete' | 'choose'; readonly at: number; readonly thread: number }
  /** `write`: what a task has yielded, filed with a checkpoint; `mark`: what stands there is overwritten. */
  | {
      readonly act: 'drop' | 'prune' | 'write' | 'mark'
      readonly at: number
      readonly thread: number
      readonly which: number
    }
  /** Cut after so many messages, before or behind the one that is cut off. */
  | {
      readonly act: 'sync'
      readonly at: number
      readonly with: number
      readonly cut: number
      readonly isLost: boolean
      readonly busy: number
    }

const at = fc.nat(DEVICES - 1)
const thread = fc.nat(PLACES.length - 1)
const acts = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ act: fc.constant('save' as const), at, thread, branch: fc.boolean() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        act: fc.constantFrom('fork' as const, 'delete' as const, 'choose' as const),
        at,
        thread,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        act: fc.constantFrom('drop' as const, 'prune' as const),
        at,
        thread,
        which: fc.nat(5),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ act: fc.constant('write' as const), at, thread, which: fc.nat(5) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        act: fc.constant('mark' as const),
        at,
        thread: fc.constant(0),
        which: fc.constant(0),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        act: fc.constant('sync' as const),
        at,
        with: at,
        cut: fc.oneof(fc.constant(1_000), fc.nat(30)),
        isLost: fc.boolean(),
        // With how many messages the other device saves something itself.
        busy: fc.oneof(fc.constant(1_000), fc.nat(15)),
      }),
    },
  ),
  { maxLength: 40, size: 'large' },
)

it('whatever devices do and wherever syncs are cut off, in the end all hold the same: what was saved and not removed', async () => {
  const now = Date.now.bind(Date)
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + skew)
  onTestFinished(() => clock.mockRestore())
  await fc.assert(
    fc.asyncProperty(acts, async (list) => {
      const world = await World.open()
      try {
        for (const each of list) await world.carryOut(each)
        await world.settle()
        await world.check()
      } finally {
        await world.close()
      }
    }),
    { numRuns: RUNS },
  )
}, 600_000)

/** Of the clock of whoever is at work. */
let skew = 0

class World {
  readonly #stores: readonly Checkpointer[]
  /** Of each device, the same store over a wire that can be cut. */
  readonly #wires: readonly Wire[]
  /** What was acknowledged, by what it said, and whether anyone has removed it. */
  readonly #saved = new Map<string, { readonly place: Place; isGone: boolean }>()
  /** Tasks by the checkpoint that they have yielded something for. */
  readonly #written: { readonly place: Place; readonly id: string; readonly task: string }[] = []
  /** What somebody has seen, and has overwritten. */
  readonly #overwritten = new Set<unknown>()
  #count = 0

  private constructor(wires: readonly Wire[]) {
    this.#wires = wires
    this.#stores = wires.map(({ checkpointer }) => checkpointer)
  }

  static async open(): Promise<World> {
    const wires: Wire[] = []
    for (let i = 0; i < DEVICES; i++) wires.push(await Wire.open(`device ${i}`))
    return new World(wires)
  }

  async carryOut(act: Act): Promise<void> {
    if (act.act === 'sync') {
      if (act.at !== act.with) await this.#sync(act)
      return
    }
    const store = this.#stores[act.at] as Checkpointer
    skew = SKEWS[act.at] ?? 0
    const place = PLACES[act.thread] ?? PLACES[0]
    const thread = threadAt(store, place)
    if (act.act === 'save') await this.#save(store, place, act)
    else if (act.act === 'write') await this.#write(store, place, act.which)
    else if (act.act === 'mark') await this.#mark(store, place, act.which)
    else if (act.act === 'fork') {
      if (place.thread !== 'fork' && (await thread.load()) && !(await store.thread('fork').load()))
        await thread.fork({ as: 'fork' }).catch(() => {})
    } else if (act.act === 'choose') {
      const heads = await thread.heads()
      if (heads.length > 1) await thread.chooseHead(heads.at(-1)?.id ?? '')
    } else await this.#remove(store, place, act)
  }

  async #write(store: Checkpointer, place: Place, which: number): Promise<void> {
    const before = await idsOf(store, place)
    const id = before[which % before.length]
    if (id === undefined) return
    const task = `task ${++this.#count}`
    await threadAt(store, place).putWrites(id, task, [{ channel: 'out', value: this.#count }])
    this.#written.push({ place, id, task })
  }

  async #mark(store: Checkpointer, place: Place, which: number): Promise<void> {
    const before = await idsOf(store, place)
    const id = before[which % before.length]
    if (id === undefined) return
    const thread = threadAt(store, place)
    for (const value of await marksOf(thread, id)) this.#overwritten.add(value)
    await thread.putWrites(id, MARK, [{ channel: 'out', value: ++this.#count, index: -1 }])
  }

  async #save(
    store: Checkpointer,
    place: Place,
    { at, branch }: { readonly at: number; readonly branch: boolean },
  ): Promise<void> {
    const thread = threadAt(store, place)
    const text = `${at}:${++this.#count}`
    const before = branch ? undefined : (await thread.load())?.state
    const saved = await thread.save(
      { said: [...(before?.said ?? []), text] },
      { ...(branch ? { parent: null } : {}), extra: { text } },
    )
    this.#saved.set(saved.id, { place, isGone: false })
  }

  async #remove(
    store: Checkpointer,
    place: Place,
    act: Exclude<Act, { act: 'sync' | 'save' }>,
  ): Promise<void> {
    const thread = threadAt(store, place)
    // A thread is deleted with all that is in it.
    const places = PLACES.filter(
      (each) => each === place || (act.act === 'delete' && each.thread === place.thread),
    )
    const before = await Promise.all(places.map((each) => idsOf(store, each)))
    const [own = []] = [before[places.indexOf(place)]]
    if (act.act === 'delete') await thread.delete()
    else if (own.length === 0) return
    else if (act.act === 'prune') await thread.prune({ keepLast: 1 + ('which' in act ? act.which : 0) })
    else await thread.deleteCheckpoints([own[('which' in act ? act.which : 0) % own.length] ?? ''])
    for (const [i, each] of places.entries()) {
      const after = new Set(await idsOf(store, each))
      for (const id of before[i] ?? []) if (!after.has(id)) this.#gone(each, id)
    }
  }

  /** Gone from this place; a fork may show it still. */
  #gone(place: Place, id: string): void {
    const saved = this.#saved.get(id)
    if (saved?.place === place) saved.isGone = true
  }

  async #sync({ at, with: other, cut, isLost, busy }: Extract<Act, { act: 'sync' }>): Promise<void> {
    const wire = this.#wires[other] as Wire
    const meanwhile = async (message: number): Promise<void> => {
      if (message === busy) await this.#save(wire.checkpointer, PLACES[0], { at: other, branch: false })
    }
    await wire.cutAfter({ left: cut, isLost, meanwhile }, async (remote) => {
      await (this.#stores[at] as Checkpointer).sync(remote).catch((error: unknown) => {
        if (!(error instanceof Error) || error.message !== CUT) throw error
      })
    })
  }

  /** Each with the edge, often enough. */
  async settle(): Promise<void> {
    for (let round = 0; round < 3; round++)
      for (const store of this.#stores.slice(1)) await store.sync(this.#stores[0] as Checkpointer)
  }

  async check(): Promise<void> {
    const pictures = await Promise.all(this.#stores.map((store) => pictureOf(store)))
    for (const picture of pictures) expect(picture).toEqual(pictures[0])
    const [first] = this.#stores
    const held = new Map<Place, readonly string[]>()
    for (const place of PLACES) held.set(place, await idsOf(first as Checkpointer, place))
    for (const [id, { place, isGone }] of this.#saved) {
      const said = `${id} in ${place.thread}/${place.namespace}, removed: ${isGone}`
      expect(held.get(place)?.includes(id), said).toBe(!isGone)
    }
    for (const { place, id, task } of this.#written) {
      if (!held.get(place)?.includes(id)) continue
      const found = await threadAt(first as Checkpointer, place).load({ id })
      expect(
        found?.pendingWrites.map(({ taskId }) => taskId),
        `${task} of ${id}`,
      ).toContain(task)
    }
    for (const store of this.#stores) {
      for (const place of PLACES)
        for (const id of await idsOf(store, place))
          for (const value of await marksOf(threadAt(store, place), id))
            expect(this.#overwritten).not.toContain(value)
      expect((await store.verify()).problems).toEqual([])
    }
  }

  async close(): Promise<void> {
    for (const wire of this.#wires) await wire.close()
  }
}

const CUT = 'cut off'

interface Breaking {
  left: number
  isLost: boolean
  count?: number
  meanwhile?: (message: number) => Promise<void>
}

/** A store, and a second way to it that breaks after so many messages. */
class Wire {
  readonly checkpointer: Checkpointer
  readonly #remote: Checkpointer
  readonly #state: Breaking

  private constructor(checkpointer: Checkpointer, remote: Checkpointer, state: Breaking) {
    this.checkpointer = checkpointer
    this.#remote = remote
    this.#state = state
  }

  static async open(name: string): Promise<Wire> {
    const state: Breaking = { left: Number.POSITIVE_INFINITY, isLost: false, count: 0 }
    const host = await createHost({ storage: memoryStorage() })
    const off = SKEWS[Number(name.at(-1))] ?? 0
    const dated = mapHost(host, (run) => (request) => {
      skew = off
      return run(request)
    })
    const cut = mapHost(dated, (run, verb) => async (request) => {
      if (verb === 'flush' || verb === 'close') return verb === 'close' ? undefined : run(request)
      await state.meanwhile?.((state.count = (state.count ?? 0) + 1))
      if (state.left-- > 0) return run(request)
      // Of what changes something nobody knows then whether it was done.
      if (state.isLost) await run(request)
      throw new Error(CUT)
    })
    return new Wire(
      await openCheckpointer({ name, host: dated }),
      await openCheckpointer({ name: `${name}, from elsewhere`, host: cut }),
      state,
    )
  }

  async cutAfter(breaking: Breaking, work: (remote: Checkpointer) => Promise<void>): Promise<void> {
    Object.assign(this.#state, { ...breaking, count: 0 })
    await work(this.#remote)
    Object.assign(this.#state, { left: Number.POSITIVE_INFINITY, meanwhile: undefined })
  }

  async close(): Promise<void> {
    await this.#remote.close()
    await this.checkpointer.close()
  }
}

const MARK = 'mark'

async function marksOf(thread: Thread<State>, id: string): Promise<unknown[]> {
  const { pendingWrites = [] } = (await thread.load({ id })) ?? {}
  return pendingWrites.filter(({ taskId }) => taskId === MARK).map(({ value }) => value)
}

const threadAt = (store: Checkpointer, { thread, namespace }: Place): Thread<State> =>
  store.thread<State>(thread, { namespace })

async function idsOf(store: Checkpointer, place: Place): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of threadAt(store, place).history({ order: 'oldest' })) ids.push(id)
  return ids
}

/**
 * What is the same in all stores: each one's seqs are its own, and of several heads, which one is gone on from; and what a
 * thread was forked of, where one device has forked it and another has begun it.
 */
async function pictureOf(store: Checkpointer): Promise<unknown> {
  const threads: unknown[] = []
  for (const place of PLACES) {
    const thread = threadAt(store, place)
    const all: unknown[] = []
    for await (const { id, parentId, state, extra } of thread.history({ states: true }))
      all.push({ id, parentId, state, extra, marks: await marksOf(thread, id) })
    const heads = (await thread.heads()).map(({ id }) => id)
    const summaries: unknown[] = []
    for await (const { id } of store.threads({ where: (each) => each.id === place.thread }))
      summaries.push(id)
    threads.push([
      place,
      summaries,
      heads.sort(),
      all.sort((a, b) => ((a as { id: string }).id < (b as { id: string }).id ? -1 : 1)),
    ])
  }
  return threads
}

it('pending writes travel of a thread that was deleted and begun anew, also when the clock was set back meanwhile', async () => {
  const real = Date.now.bind(Date)
  let ahead = 3_600_000
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => real() + ahead)
  onTestFinished(() => clock.mockRestore())
  const here = await openCheckpointer({ name: 'here', storage: memoryStorage() })
  const there = await openCheckpointer({ name: 'there', storage: memoryStorage() })
  const thread = here.thread<{ n: number }>('t')
  const saved = await thread.save({ n: 1 })
  await thread.putWrites(saved.seq, 'task', [{ channel: 'c', value: 'first' }])
  await here.sync(there)
  await thread.delete()
  ahead = 0
  const { seq } = await thread.save({ n: 2 })
  await here.sync(there)
  await thread.putWrites(seq, 'task', [{ channel: 'c', value: 'second' }])
  await here.sync(there)
  const found = await there.thread('t').load()
  expect(found?.pendingWrites.map(({ value }) => value)).toEqual(['second'])
})

it('a removal that was refused to who had lost the lease is told to nobody, also when the rows go later for here alone', async () => {
  const retention = { keepLast: 2 }
  const here = await openCheckpointer({ name: 'here', storage: memoryStorage(), retention })
  const there = await openCheckpointer({ name: 'there', storage: memoryStorage() })
  const [old, now] = [here.thread<{ n: number }>('t'), here.thread<{ n: number }>('t')]
  await old.lease()
  for (let n = 1; n <= 3; n++) await old.save({ n })
  await here.sync(there)
  await now.lease({ steal: true })
  await expect(old.deleteCheckpoints([1])).rejects.toMatchObject({ code: 'LEASE_LOST' })
  for (let n = 4; n <= 30; n++) await now.save({ n })
  await expect.poll(() => now.load(1)).toBeUndefined()
  await here.sync(there)
  expect((await there.thread('t').load(1))?.state).toEqual({ n: 1 })
  await here.close()
})
