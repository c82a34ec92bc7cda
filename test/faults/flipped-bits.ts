import { openCheckpointer, type Verification } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import { compareKeys, type Put, type Storage } from '../../src/storage/storage.ts'
import { broken, type Figures, type Proof, type ProofContext } from './support/proof.ts'
import { PLACES, richStorage, typesOfRich } from './support/rich.ts'
import { factsOf, putOf, rowsOf, type StoredRow } from './support/rows.ts'
import { statesOf } from './support/states.ts'

/** A row as it was, and what became of it: absent when it was deleted. */
interface Damage {
  readonly row: StoredRow
  readonly what: 'head' | 'body' | 'key' | 'index' | 'deleted'
  readonly put?: Put
}

/**
 * One byte of one row is changed, or the row is gone. It is found; nothing wrong is read; a repair leaves a store
 * without a fault, in which all that did not need the row reads as before.
 */
export default {
  promise: 'one byte of one row changed, or one row gone: found, never read as right, and mended',
  rounds: { short: 60, long: 1000 },
  on: ['node'],
  run,
} satisfies Proof

async function run({ rounds, random, say }: ProofContext): Promise<Figures> {
  const origin = memoryStorage()
  await richStorage(origin)
  const rows = await rowsOf(origin)
  const whole = await reading(await copyOf(rows))
  const figures: Record<string, number> = { damages: rounds, found: 0, harmless: 0, acts: 0 }
  for (let round = 0; round < rounds; round++) {
    const damage = damaged(rows, random)
    const { row, what } = damage
    const about = { round, what, table: row.table, key: row.key, partition: row.partition }
    figures[what] = (figures[what] ?? 0) + 1
    const storage = await copyOf(rows, damage)
    const before = await reading(storage)
    const isFound = before.report.problems.length > 0
    if (!isFound && !isHarmless(damage)) throw broken('a damage was not found', about)
    for (const [name, state] of before.states)
      if (state !== whole.states.get(name) && state !== 'CORRUPT' && !isVanishedWrite(damage))
        throw broken('a wrong state was read', { ...about, name, state })
    if (!isFound && before.states.size !== whole.states.size) throw broken('a state went in silence', about)
    figures[isFound ? 'found' : 'harmless'] = (figures[isFound ? 'found' : 'harmless'] ?? 0) + 1
    const acts = await mended(storage, about)
    figures['acts'] = (figures['acts'] ?? 0) + acts.length
    const after = await reading(storage)
    const left = after.report.problems
    if (left.length > 0) throw broken('a repaired store has faults', { ...about, left, acts })
    const needed = needing(rows, row)
    for (const [name, state] of whole.states) {
      if (needed.has(name) || after.states.get(name) === state) continue
      throw broken('a state was lost that did not need the row', {
        ...about,
        name,
        now: after.states.get(name),
        acts,
        found: before.report.problems,
      })
    }
    if (round % 100 === 99) say(`${round + 1} damages, ${figures['found']} found`)
  }
  return figures
}

/** The plan says what the repair then does, and changes nothing. */
async function mended(storage: Storage, about: object): Promise<Verification['acts']> {
  const checkpointer = await openCheckpointer({
    name: 'flipped',
    storage,
    types: typesOfRich,
    onWarning: () => {},
  })
  const versions = async () => JSON.stringify((await rowsOf(storage)).map(({ version }) => version))
  const was = await versions()
  const plan = (await checkpointer.verify({ repair: 'plan' })).acts
  if ((await versions()) !== was) throw broken('a plan has changed something', about)
  const { acts } = await checkpointer.verify({ repair: true })
  if (JSON.stringify(acts) !== JSON.stringify(plan))
    throw broken('a repair was not what was planned', { ...about, plan, acts })
  await checkpointer.close()
  return acts
}

async function reading(storage: Storage): Promise<{ states: Map<string, string>; report: Verification }> {
  const checkpointer = await openCheckpointer({
    name: 'flipped',
    storage,
    types: typesOfRich,
    onWarning: () => {},
  })
  const states = await statesOf(checkpointer)
  const report = await checkpointer.verify()
  await checkpointer.close()
  return { states, report }
}

async function copyOf(rows: readonly StoredRow[], damage?: Damage): Promise<Storage> {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  for (const partition of new Set(rows.map((row) => row.partition))) {
    const its = rows.filter((row) => row.partition === partition)
    const puts = its.flatMap((row) => (damage && row === damage.row ? (damage.put ?? []) : putOf(row)))
    await storage.commit(partition, { puts })
  }
  return storage
}

function damaged(rows: readonly StoredRow[], random: () => number): Damage {
  const row = rows[Math.floor(random() * rows.length)] as StoredRow
  const put = putOf(row)
  const flip = (length: number): { at: number; bit: number } => ({
    at: Math.floor(random() * length),
    bit: 1 << Math.floor(random() * 7),
  })
  const flipText = (text: string): string => {
    const { at, bit } = flip(text.length)
    return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ bit) + text.slice(at + 1)
  }
  const choice = Math.floor(random() * 5)
  if (choice === 0) return { row, what: 'deleted' }
  if (choice === 1 && (put.alias || put.rank !== undefined)) {
    const [lane, id] = (put.alias ?? ['', '']) as [string, string]
    const index = put.alias
      ? { alias: [lane, flipText(id)] }
      : { rank: (put.rank ?? 0) + 2 ** Math.floor(random() * 40) }
    return { row, what: 'index', put: { ...put, ...index } }
  }
  if (choice === 2) {
    const part = Math.floor(random() * row.key.length)
    const old = row.key[part] as string | number
    if (old !== '') {
      const other = typeof old === 'number' ? old ^ flip(1).bit : flipText(old)
      const key = row.key.map((each, i) => (i === part ? other : each))
      // A key is of one row alone: what would stand upon another one cannot come about.
      const isTaken = rows.some(
        (each) =>
          each.partition === row.partition && each.table === row.table && compareKeys(each.key, key) === 0,
      )
      if (isTaken) return { row, what: 'deleted' }
      return { row, what: 'key', put: { ...put, key } }
    }
  }
  if (put.body && put.body.length > 0 && choice > 2) {
    const body = put.body.slice()
    const { at, bit } = flip(body.length)
    body[at] = (body[at] ?? 0) ^ bit
    return { row, what: 'body', put: { ...put, body } }
  }
  return { row, what: 'head', put: { ...put, head: flipText(put.head) } }
}

/** A task whose outcome has vanished runs again: `verify` says that it was there once, a load cannot. */
const isVanishedWrite = ({ row, what }: Damage): boolean =>
  row.table === 'writes' && (what === 'deleted' || what === 'key')

/** Rows whose absence takes nothing with it, and why. */
function isHarmless({ row, what }: Damage): boolean {
  const [name] = row.key
  if (what !== 'deleted') return false
  // It is made anew when the database is opened.
  if (row.table === 'meta' && name === 'database') return true
  // They serve nobody once they have been read or are past.
  return row.table === 'meta' && (name === 'lane' || name === 'deleted' || name === 'flush')
}

/** The states that cannot be read without a row. */
function needing(rows: readonly StoredRow[], gone: StoredRow): Set<string> {
  const needed = new Set<string>()
  if (gone.table === 'threads' || gone.table === 'meta') return needed
  const [lane, seq] = gone.key
  const inPartition = rows.filter(({ partition }) => partition === gone.partition)
  const byName = new Map(
    inPartition
      .filter(({ table }) => table === 'checkpoints')
      .map((row) => [`${row.key[0]}/${row.key[1]}`, row]),
  )
  const standsOn = (row: StoredRow): boolean => {
    for (let link: StoredRow | undefined = row; link;) {
      if (link.key[0] === lane && link.key[1] === seq) return true
      const { base } = factsOf(link)['frame'] as { base?: [string, number] }
      link = base && byName.get(base.join('/'))
    }
    return false
  }
  for (const [id, namespace] of PLACES) {
    const thread = inPartition.find(({ table, head }) => {
      if (table !== 'threads') return false
      const facts = factsOf({ head } as StoredRow)
      return facts['thread'] === id && facts['namespace'] === namespace
    })
    if (!thread) continue
    const { segments } = factsOf(thread) as { segments: { lane: string; to?: number }[] }
    for (let at = 1; at <= 22; at++) {
      const its = segments.find(({ to }) => to === undefined || at <= to)?.lane
      const row = byName.get(`${its}/${at}`)
      const isOwnWrite = (gone.table === 'writes' || String(gone.key[2]).startsWith('w:')) && at === seq
      if (isOwnWrite || (row && gone.table !== 'writes' && standsOn(row)))
        needed.add(`${id}/${namespace}/${at}`)
    }
  }
  return needed
}
