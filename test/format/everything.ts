import { openCheckpointer, type Checkpointer, type OpenOptions } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { createHost } from '../../src/operations/create-host.ts'
import type { Host } from '../../src/operations/host.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { fillRichly, typesOfRich } from '../faults/support/rich.ts'
import { rowsOf } from '../faults/support/rows.ts'

interface Open {
  readonly open: (options?: Partial<OpenOptions>) => Promise<Checkpointer>
  /** The same database, opened once more for what is below the checkpointer. */
  readonly storage: () => Storage
}

interface Log {
  done: string[]
}

/**
 * A database with every kind of row, and every fact that docs/format.md names. What is under way in it ends with what
 * this gives: an import, a lease.
 */
export async function fillWithEverything({ open, storage }: Open): Promise<() => Promise<void>> {
  const checkpointer = await open({ types: typesOfRich })
  await fillRichly(checkpointer)
  await fillFacts(checkpointer)
  await fillRuns(checkpointer)
  await fillSynced(checkpointer)
  const torn = storage()
  await fillTorn(checkpointer, torn)
  await torn.close()
  await checkpointer.close()
  const behind = await open({ durability: 'async' })
  await behind.thread('written behind').save({ n: 1 })
  await behind.flush()
  await behind.close()
  const below = storage()
  const host = await createHost({ storage: below, isWitnessed: true })
  await fillBelow(host, below)
  return () => host.close()
}

/** All that a caller may say about a checkpoint and a thread. */
async function fillFacts(checkpointer: Checkpointer): Promise<void> {
  const facts = checkpointer.thread('facts', { retention: { keepLast: 50, olderThan: 9e9, keepEvery: 5 } })
  const fields = { node: 'plan', next: ['a', 'b'], step: 1, runId: 'a run', workflow: 'w', source: 'loop' }
  await facts.save(
    { n: 1 },
    { ...fields, label: 'first', path: ['x'], extra: { at: new Date(0) }, id: 'mine' },
  )
  await facts.save({ n: 2 })
  await checkpointer.thread('all kept', { retention: false }).save({ n: 1 })
  await checkpointer.thread('only sub', { namespace: 'sub' }).save({ n: 1 })
}

/** Runs that have ended in each way. */
async function fillRuns(checkpointer: Checkpointer): Promise<void> {
  const thread = (id: string) => checkpointer.thread<Log>(id)
  const initial = { done: [] }
  await thread('run finished').run({ initial }, async ({ state, step, save }) => {
    state.done.push(await step('search', () => 'found'))
    await save()
  })
  await thread('run failed')
    .run({ initial }, async ({ step }) => step('search', () => Promise.reject(new Error('no'))))
    .catch(() => {})
  const stop = new AbortController()
  const asking = thread('run stopped').run({ initial, signal: stop.signal }, ({ ask }) => ask('go on?'))
  asking.catch(() => {})
  await untilIt(async () => ((await thread('run stopped').load())?.pendingWrites ?? []).length > 0)
  stop.abort(new Error('gone'))
  await asking.catch(() => {})
}

/** Two stores that were brought together, have gone on apart, and have removed some. */
async function fillSynced(checkpointer: Checkpointer): Promise<void> {
  const other = await openCheckpointer({ name: 'other', storage: memoryStorage() })
  const [ours, theirs] = [checkpointer, other].map((each) => each.thread<{ n: number }>('both'))
  if (!ours || !theirs) throw new Error('There are two.')
  for (let n = 1; n <= 4; n++) await theirs.save({ n }, n === 4 ? { id: 'theirs' } : {})
  await theirs.deleteCheckpoints([2])
  await checkpointer.sync(other)
  await ours.save({ n: 5 })
  await theirs.save({ n: 6 })
  await theirs.run({ initial: { n: 7 } }, async ({ save }) => void (await save()))
  await checkpointer.sync(other)
  await ours.deleteCheckpoints(['theirs'])
  const own = checkpointer.thread('own removals', { retention: { keepLast: 1 } })
  await own.save({ n: 0 })
  await checkpointer.sync(other)
  for (let n = 1; n <= 14; n++) await own.save({ n })
  await untilIt(async () => (await own.load(1)) === undefined)
  await other.close()
}

/** A row that was damaged and set aside, and a removal that could not be finished meanwhile. */
async function fillTorn(checkpointer: Checkpointer, storage: Storage): Promise<void> {
  const torn = checkpointer.thread<{ n: number }>('torn')
  for (let n = 1; n <= 4; n++) await torn.save({ n })
  await torn.fork({ at: 3, as: 'torn fork' })
  const key = ['torn!0020fork', '']
  const [[row] = []] = await storage.read('torn', [{ table: 'threads', keys: [key] }])
  const head = String(row?.head).replace('"createdAt"', '"createdAu"')
  await storage.commit('torn', { puts: [{ table: 'threads', key, head, rank: 1 }] })
  await torn.deleteCheckpoints([2])
  await checkpointer.verify({ repair: true })
}

/**
 * What no caller brings about alone: runs and a lease whose holders are gone, a loss, a deletion that a witness is to know
 * of, an import.
 */
async function fillBelow(host: Host, storage: Storage): Promise<void> {
  for (const status of ['waiting', 'running'] as const) {
    const id = `run-${status}`
    const run = { id, status, turn: `${id}-turn`, began: Date.now(), at: Date.now() }
    const checkpoint = { key: `${id}-key`, createdAt: Date.now(), fields: { runId: id } }
    const frame = { body: new TextEncoder().encode('{"done":[]}') }
    await host.save({ thread: `run ${status}`, namespace: '', ...checkpoint, frame, run })
  }
  const taken = await host.takeLease({ thread: 'facts', key: 'claim' })
  if ('lease' in taken)
    await host.keepLease({ thread: 'facts', lease: taken.lease, times: 1, every: 2 ** 30 })
  const loss = {
    expected: { database: 'another', threads: 1 },
    found: { database: 'this', threads: 1 },
    heads: [{ thread: 'lost', namespace: '', expected: 3, found: 2 }],
  }
  await host.recordLoss({ at: Date.now(), message: 'Something was lost.', loss })
  await host.deleteThread({ thread: 'only sub' })
  const page = { id: 'an import', page: 0, isLast: false, onConflict: 'refuse' } as const
  const bounds = { bytes: 2 ** 20, ratio: 100, lines: 1000 }
  await host.importPage({ ...page, bounds, bytes: await mostOfAFile() })
  await untilIt(async () => (await rowsOf(storage)).some(({ key }) => key[0] === 'staged'))
}

/** Two families, without what ends the second. */
async function mostOfAFile(): Promise<Uint8Array> {
  const source = await openCheckpointer({ name: 'source', storage: memoryStorage() })
  for (const id of ['brought 1', 'brought 2']) await source.thread(id).save({ n: 1 })
  const pieces: Uint8Array[] = []
  for await (const piece of source.export()) pieces.push(piece)
  await source.close()
  const bytes = Uint8Array.from(pieces.flatMap((piece) => [...piece]))
  return bytes.slice(0, bytes.lastIndexOf(10, -2) + 1)
}

async function untilIt(is: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (await is()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`It never came about: ${String(is)}`)
}
