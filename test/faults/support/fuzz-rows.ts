import { CheckpointerError, openCheckpointer, type Checkpointer, type Problem } from '../../../src/index.ts'
import { seal } from '../../../src/operations/rows/seal.ts'
import { createCodec } from '../../../src/state/codec.ts'
import { memoryStorage } from '../../../src/storage/memory.ts'
import type { Put, Storage } from '../../../src/storage/storage.ts'
import { fillWithEverything } from '../../format/everything.ts'
import { mutated, pick, type Random } from './mutate.ts'
import { broken } from './proof.ts'
import { typesOfRich } from './rich.ts'
import { factsOf, putOf, rowsOf, type StoredRow } from './rows.ts'

/** Of a row that is not what it should be. The last is for one that says that it is of a later version. */
const ANSWERS = ['CORRUPT', 'INVALID', 'FORMAT_TOO_NEW']

export interface Whole {
  readonly rows: readonly StoredRow[]
  readonly places: readonly Place[]
  readonly states: ReadonlyMap<string, string>
}

interface Place {
  readonly id: string
  readonly namespace: string
  readonly seqs: readonly number[]
}

/** A database with every kind of row, and what it reads as. */
export async function wholeDatabase(): Promise<Whole> {
  const storage = held()
  const end = await fillWithEverything({
    open: (options = {}) => opened(storage, options),
    storage: () => storage,
  })
  const rows = await rowsOf(storage)
  await end()
  const places = rows.flatMap(({ table, ...row }): Place[] => {
    if (table !== 'threads') return []
    const { thread, namespace, next } = factsOf(row as StoredRow) as {
      thread: string
      namespace: string
      next: number
    }
    return [{ id: thread, namespace, seqs: Array.from({ length: next }, (_, i) => i + 1) }]
  })
  const checkpointer = await opened(await restored(rows.map((row) => ({ row }))))
  const states = await statesIn(checkpointer, places)
  await checkpointer.close()
  return { rows, places, states }
}

const held = (): Storage => Object.assign(memoryStorage(), { close: async () => {} })

const opened = (storage: Storage, options = {}): Promise<Checkpointer> =>
  openCheckpointer({ name: 'rows', storage, types: typesOfRich, onWarning: () => {}, ...options })

/** A storage with these rows, each as it was unless another is put in its place. */
export async function restored(
  rows: readonly { readonly row: StoredRow; readonly put?: Put }[],
): Promise<Storage> {
  const storage = held()
  for (const partition of new Set(rows.map(({ row }) => row.partition)))
    await storage.commit(partition, {
      puts: rows.filter(({ row }) => row.partition === partition).map(({ row, put }) => put ?? putOf(row)),
    })
  return storage
}

/** One row holds something else, with a sum that fits. */
export async function rowOne(whole: Whole, random: Random): Promise<string> {
  const kind = pick(random, [...new Set(whole.rows.map(kindOf))])
  const row = pick(
    random,
    whole.rows.filter((each) => kindOf(each) === kind),
  )
  const problems = await withRow(whole, row, changedRow(row, random))
  if (!problems) return 'refused'
  return problems.some(isOfRows) ? 'told' : 'as it was'
}

/**
 * With another row in its place, no call fails otherwise than it should, nothing is missing in silence, and a repair does what
 * it has planned. What is found wrong; nothing when the database is not opened.
 */
export async function withRow(
  { rows, places, states }: Whole,
  row: StoredRow,
  changed: Put,
): Promise<readonly Problem[] | undefined> {
  const about = { table: row.table, partition: row.partition, key: row.key, was: row.head, now: changed.head }
  const answer = answering(about)
  const storage = await restored(
    rows.map((each) => ({ row: each, ...(each === row ? { put: changed } : {}) })),
  )
  let checkpointer: Checkpointer
  try {
    checkpointer = await opened(storage)
  } catch (error) {
    if (row.key[0] !== 'database')
      throw broken('a row blocks the opening', { ...about, error: String(error) })
    answer(error)
    return undefined
  }
  const found = await statesIn(checkpointer, places, answer)
  await readBeside(checkpointer, answer)
  const { problems } = await told('verify', about, checkpointer.verify())
  if (!problems.some(isOfRows)) expectSame(states, found, row, changed, about)
  const plan = await told('a plan', about, checkpointer.verify({ repair: 'plan' }))
  const { acts } = await told('a repair', about, checkpointer.verify({ repair: true }))
  if (JSON.stringify(acts) !== JSON.stringify(plan.acts))
    throw broken('a repair was not what was planned', { ...about, plan: plan.acts, acts })
  const after = await told('verify', about, checkpointer.verify())
  if (after.problems.some(({ kind }) => kind !== 'unknown' && kind !== 'newer'))
    throw broken('a repaired store has faults', { ...about, left: after.problems, acts })
  for (const { id } of places) await checkpointer.thread(id).delete()
  await checkpointer.close()
  return problems
}

/** The database tells of a loss, whatever else is wrong. */
const isOfRows = ({ kind }: Problem): boolean => kind !== 'loss'

export const kindOf = ({ table, key }: StoredRow): string => (table === 'meta' ? String(key[0]) : table)

/** The row with other facts, and a sum that fits; it is found by what it was found by. */
export function resealed(row: StoredRow, facts: unknown, body = row.body): Put {
  const { table, partition, key } = row
  const head = seal(partition, table, key, facts as object, body)
  return { ...putOf(row), head, ...(body ? { body } : {}) }
}

function changedRow(row: StoredRow, random: Random): Put {
  let { body } = row
  let facts: unknown = factsOf(row)
  if (kindOf(row) === 'gone' && body && random() < 0.5)
    body = encoder.encode(JSON.stringify(mutated(JSON.parse(new TextDecoder().decode(body)), random)))
  else for (let times = random() < 0.8 ? 1 : 3; times > 0; times--) facts = mutated(facts, random)
  return resealed(row, facts, body)
}

const encoder = new TextEncoder()

type Answer = (error: unknown) => string

const answering =
  (about: object): Answer =>
  (error) => {
    if (CheckpointerError.is(error) && ANSWERS.includes(error.code)) return error.code
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    throw broken('an answer that is none', { error: stack, ...about })
  }

async function told<T>(what: string, about: object, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    throw broken(`${what} rejects`, { error: stack, ...about })
  }
}

const refused: Answer = (error) => {
  throw error
}

/** Of each place its head, and each state; of what cannot be read the code. */
async function statesIn(
  checkpointer: Checkpointer,
  places: readonly Place[],
  answer: Answer = refused,
): Promise<Map<string, string>> {
  const codec = createCodec(typesOfRich)
  const found = new Map<string, string>()
  for (const { id, namespace, seqs } of places) {
    const thread = checkpointer.thread(id, { namespace })
    for (const seq of [undefined, ...seqs]) {
      const loaded = await thread.load(seq).catch(answer)
      const text =
        typeof loaded === 'object'
          ? JSON.stringify([loaded.seq, loaded.id, codec.capture(loaded.state).state])
          : loaded
      if (text !== undefined) found.set(`${id}/${namespace}/${seq ?? 'head'}`, text)
    }
    await listed(thread.history({ states: true }), answer)
    await thread.heads().catch(answer)
    await thread.namespaces().catch(answer)
  }
  return found
}

/** All else that reads. */
async function readBeside(checkpointer: Checkpointer, answer: Answer): Promise<void> {
  await listed(checkpointer.threads(), answer)
  await listed(checkpointer.runs(), answer)
  await checkpointer.usage().catch(answer)
  await listed(checkpointer.export(undefined, { onDamage: 'skip' }), answer)
}

async function listed(items: AsyncIterable<unknown>, answer: Answer): Promise<void> {
  try {
    for await (const _ of items);
  } catch (error) {
    answer(error)
  }
}

/** What is not told is as it was: but a row of a checkpoint may have been changed into another, and a thread may hide more. */
function expectSame(
  was: ReadonlyMap<string, string>,
  is: ReadonlyMap<string, string>,
  row: StoredRow,
  changed: Put,
  about: object,
): void {
  const isHiding = row.table === 'threads' && hidden(row.head) !== hidden(changed.head)
  for (const [name, state] of was) {
    const now = is.get(name)
    if (now === undefined && !isHiding) throw broken('a state went in silence', { ...about, name })
    if (now !== state && row.table !== 'checkpoints' && !isHiding && !ANSWERS.includes(String(now)))
      throw broken('a wrong state was read', { ...about, name, state, now })
  }
}

const hidden = (head: string): string =>
  JSON.stringify((factsOf({ head } as StoredRow)['segments'] as unknown) ?? null)
