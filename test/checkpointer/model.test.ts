import 'fake-indexeddb/auto'
import fc from 'fast-check'
import { CheckpointerError, openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'

/**
 * Random commands against a naive model that keeps a whole copy of every state. The model knows nothing of
 * lanes or frames: a fork copies its origin's list.
 */
interface Item {
  readonly seq: number
  readonly parent: number | undefined
  readonly state: unknown
}
interface ModelThread {
  next: number
  items: Item[]
}
type Model = Map<string, ModelThread>

interface World {
  readonly model: Model
  readonly checkpointers: Checkpointer[]
  readonly reopen: () => Promise<Checkpointer[]>
}

const THREADS = ['a', 'b', 'c', 'a/b']
const anyThread = fc.constantFrom(...THREADS)
/** Which of two writers acts, and a number to choose among what there is. */
const who = fc.integer({ min: 0, max: 1 })
const pick = fc.nat(50)
const edit = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), text: fc.string({ maxLength: 40 }) }),
  fc.record({ kind: fc.constant('grow' as const), text: fc.string({ maxLength: 20 }) }),
  fc.record({ kind: fc.constant('drop' as const) }),
  fc.record({
    kind: fc.constant('set' as const),
    key: fc.string({ maxLength: 5 }),
    value: fc.anything({ withMap: true, withSet: true, withDate: true, withBigInt: true, maxDepth: 2 }),
  }),
)
const command = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('save' as const), thread: anyThread, who, edit }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('branch' as const), thread: anyThread, who, pick, edit }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fork' as const), thread: anyThread, as: anyThread, who, pick }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('copy' as const), thread: anyThread, as: anyThread, who }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('prune' as const),
      thread: anyThread,
      who,
      keepLast: fc.integer({ min: 0, max: 5 }),
      keepEvery: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      thread: anyThread,
      who,
      picks: fc.array(pick, { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), thread: anyThread, who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('look' as const), thread: anyThread, who, pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

interface State {
  messages: string[]
  facts: Map<string, unknown>
}

function edited(before: unknown, change: typeof edit extends fc.Arbitrary<infer T> ? T : never): State {
  const state = structuredClone((before ?? { messages: [], facts: new Map() }) as State)
  if (change.kind === 'append') state.messages.push(change.text)
  else if (change.kind === 'grow' && state.messages.length > 0)
    state.messages.push(state.messages.pop() + change.text)
  else if (change.kind === 'drop') state.messages.shift()
  else if (change.kind === 'set') state.facts.set(change.key, change.value)
  return state
}

const chosen = (thread: ModelThread | undefined, number: number): Item | undefined =>
  thread?.items[number % (thread.items.length || 1)]

async function carryOut(step: Command, world: World): Promise<void> {
  const { model } = world
  if (step.do === 'reopen') {
    world.checkpointers.splice(0, 2, ...(await world.reopen()))
    return
  }
  const checkpointer = world.checkpointers[step.who] as Checkpointer
  const thread = checkpointer.thread(step.thread)
  const known = model.get(step.thread)
  const keep = (items: Item[]): void => {
    if (known) known.items = items
  }
  switch (step.do) {
    case 'save':
    case 'branch': {
      const base = step.do === 'save' ? known?.items.at(-1) : chosen(known, step.pick)
      const state = edited(base?.state, step.edit)
      const saved = await thread.save(state, step.do === 'branch' && base ? { parent: base.seq } : {})
      const own = known ?? { next: 1, items: [] }
      model.set(step.thread, own)
      expect(saved.seq).toBe(own.next)
      own.items.push({ seq: own.next++, parent: base?.seq, state })
      return
    }
    case 'fork': {
      const at = chosen(known, step.pick)
      const refused = !at || model.has(step.as)
      const forked = await refusedOr(thread.fork({ as: step.as, ...(at ? { at: at.seq } : {}) }))
      expect(forked).toBe(!refused)
      if (refused || !known || !at) return
      model.set(step.as, { next: at.seq + 1, items: known.items.filter(({ seq }) => seq <= at.seq) })
      return
    }
    case 'copy': {
      const refused = !known || model.has(step.as)
      expect(await refusedOr(thread.copy(step.as))).toBe(!refused)
      if (!refused) model.set(step.as, { next: known.next, items: [...known.items] })
      return
    }
    case 'prune': {
      const { keepLast, keepEvery } = step
      await thread.prune({ keepLast, ...(keepEvery === undefined ? {} : { keepEvery }) }).catch(onlyNotFound)
      keep(
        (known?.items ?? []).filter(
          ({ seq }, i, all) =>
            i === all.length - 1 ||
            all.length - i <= keepLast ||
            (keepEvery !== undefined && seq % keepEvery === 0),
        ),
      )
      return
    }
    case 'remove': {
      const seqs = step.picks.map((number) => chosen(known, number)?.seq).filter((seq) => seq !== undefined)
      const gone = await thread.deleteCheckpoints(seqs)
      expect(gone.removed.map(({ seq }) => seq)).toEqual([...new Set(seqs)].sort((a, b) => a - b))
      keep((known?.items ?? []).filter(({ seq }) => !seqs.includes(seq)))
      return
    }
    case 'delete':
      expect(await thread.delete()).toBe(known !== undefined)
      model.delete(step.thread)
      return
    case 'look': {
      const item = chosen(known, step.pick)
      const loaded = await thread.load(item?.seq)
      expect(loaded?.state).toEqual(item?.state)
      return
    }
  }
}

async function refusedOr(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    (error: unknown) => {
      expect(
        CheckpointerError.is(error, 'NOT_FOUND') || CheckpointerError.is(error, 'CONFLICT'),
        String(error),
      ).toBe(true)
      return false
    },
  )
}

function onlyNotFound(error: unknown): void {
  if (!CheckpointerError.is(error, 'NOT_FOUND')) throw error
}

async function expectSame({ model, checkpointers }: World): Promise<void> {
  for (const [i, checkpointer] of checkpointers.entries()) {
    const ids: string[] = []
    for await (const { id } of checkpointer.threads()) ids.push(id)
    expect(ids.sort()).toEqual(
      [...model]
        .filter(([, { items }]) => items.length > 0)
        .map(([id]) => id)
        .sort(),
    )
    for (const [id, { items }] of model) {
      const thread = checkpointer.thread(id)
      const shown: { seq: number; state: unknown }[] = []
      for await (const { seq, state } of thread.history({ order: 'oldest', states: true }))
        shown.push({ seq, state })
      expect(shown).toEqual(items.map(({ seq, state }) => ({ seq, state })))
      if (i === 0) for (const { seq, state } of items) expect((await thread.load(seq))?.state).toEqual(state)
      expect((await thread.load())?.state).toEqual(items.at(-1)?.state)
    }
  }
  const { problems } = await (checkpointers[0] as Checkpointer).verify()
  expect(problems).toEqual([])
  if ([...model.values()].every(({ items }) => items.length === 0))
    expect((await (checkpointers[0] as Checkpointer).usage()).checkpoints).toBe(0)
}

let count = 0

async function overMemory(limits = {}): Promise<World> {
  const storage = Object.assign(memoryStorage({ limits }), { close: async () => {} })
  const reopen = () => Promise.all([1, 2].map(() => openCheckpointer({ name: 'model', storage })))
  return { model: new Map(), checkpointers: await reopen(), reopen }
}

async function overIndexedDb(): Promise<World> {
  const name = `model-${++count}`
  const open = () => Promise.all([1, 2].map(() => openCheckpointer({ name, worker: false })))
  const world: World = {
    model: new Map(),
    checkpointers: await open(),
    reopen: async () => {
      for (const checkpointer of world.checkpointers) await checkpointer.close()
      return open()
    },
  }
  return world
}

const RUNS = Number(process.env['FORKPOINT_MODEL_RUNS'] ?? 1000)

const worlds: [string, () => Promise<World>, number][] = [
  ['memory', () => overMemory(), RUNS],
  [
    'memory with tiny commits',
    () => overMemory({ operations: 12, valueBytes: 9000, commitBytes: 12_000 }),
    RUNS,
  ],
  ['fake-indexeddb', overIndexedDb, Math.ceil(RUNS / 6)],
]

it.each(worlds)(
  'random commands of two writers do what the model does: %s',
  async (_name, make, numRuns) => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40, size: 'max' }), async (commands) => {
        const world = await make()
        for (const step of commands) await carryOut(step, world)
        await expectSame(world)
        for (const checkpointer of world.checkpointers) await checkpointer.close()
      }),
      { numRuns },
    )
  },
  240_000,
)
