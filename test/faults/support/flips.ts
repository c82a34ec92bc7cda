import type { Verification } from '../../../src/index.ts'
import { compareKeys, type Key } from '../../../src/storage/storage.ts'
import type { Damage, Flippable } from './flippable.ts'
import { broken, type Figures } from './proof.ts'
import { PLACES } from './rich.ts'
import { factsOf, putOf, type StoredRow } from './rows.ts'
import { SEQS, statesOf } from './states.ts'

/** So many rows with one byte changed, and some more damages in between, each to a whole database: found, never read as right, and mended. */
export async function flipRows(flippable: Flippable, flips: number, random: () => number): Promise<Figures> {
  const { rows } = flippable
  await flippable.restore()
  const whole = await reading(flippable)
  const figures: Record<string, number> = {
    damages: 0,
    flips: 0,
    'flips found': 0,
    found: 0,
    harmless: 0,
    acts: 0,
  }
  for (let flipped = 0; flipped < flips;) {
    const damage = damaged(flippable, random)
    const { row, what, now } = damage
    const about = {
      flipped,
      what,
      table: row.table,
      key: row.key,
      partition: row.partition,
      now: now?.put.key,
    }
    add(figures, 'damages', what)
    await flippable.restore(damage)
    const before = await reading(flippable)
    const isFound = before.report.problems.length > 0
    if (!isFound && !isHarmless(damage)) throw broken('a damage was not found', about)
    for (const [name, state] of before.states)
      if (state !== whole.states.get(name) && state !== 'CORRUPT' && !isVanishedWrite(damage))
        throw broken('a wrong state was read', { ...about, name, state })
    if (!isFound && before.states.size !== whole.states.size) throw broken('a state went in silence', about)
    add(figures, isFound ? 'found' : 'harmless')
    // A version is not counted: it only tells one writing of a row from the next.
    if (what !== 'deleted' && what !== 'version') {
      flipped++
      add(figures, 'flips', ...(isFound ? ['flips found'] : []))
    }
    const acts = await mended(flippable, about)
    figures['acts'] = (figures['acts'] ?? 0) + acts.length
    const after = await reading(flippable)
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
  }
  return figures
}

const add = (figures: Record<string, number>, ...names: readonly string[]): void => {
  for (const name of names) figures[name] = (figures[name] ?? 0) + 1
}

/** The plan says what the repair then does, and changes nothing. */
async function mended(flippable: Flippable, about: object): Promise<Verification['acts']> {
  const checkpointer = await flippable.open()
  const was = await flippable.versions()
  const plan = (await checkpointer.verify({ repair: 'plan' })).acts
  if ((await flippable.versions()) !== was) throw broken('a plan has changed something', about)
  const { acts } = await checkpointer.verify({ repair: true })
  if (JSON.stringify(acts) !== JSON.stringify(plan))
    throw broken('a repair was not what was planned', { ...about, plan, acts })
  await checkpointer.close()
  return acts
}

async function reading(flippable: Flippable): Promise<{ states: Map<string, string>; report: Verification }> {
  const checkpointer = await flippable.open()
  const states = await statesOf(checkpointer)
  const report = await checkpointer.verify()
  await checkpointer.close()
  return { states, report }
}

function damaged(flippable: Flippable, random: () => number): Damage {
  const row = flippable.rows[Math.floor(random() * flippable.rows.length)] as StoredRow
  const { partition } = row
  const put = putOf(row)
  const flipText = flipping(random)
  const choice = Math.floor(random() * (flippable.hasVersions ? 5.2 : 5))
  if (choice === 0) return { row, what: 'deleted' }
  if (choice === 1 && (put.alias || put.rank !== undefined)) {
    const [lane, id] = (put.alias ?? ['', '']) as [string, string]
    const index = put.alias
      ? { alias: [lane, flipText(id)] }
      : { rank: flipBit(put.rank ?? 0, Math.floor(random() * 40)) }
    return { row, what: 'index', now: { partition, put: { ...put, ...index } } }
  }
  if (choice === 2) {
    const moved = movedRow(flippable.rows, row, random)
    if (moved) return moved
  }
  if (choice === 5) return { row, what: 'version', now: { partition, put, version: flipText(row.version) } }
  if (put.body && put.body.length > 0 && choice > 2) {
    const body = put.body.slice()
    const at = Math.floor(random() * body.length)
    body[at] = (body[at] ?? 0) ^ (1 << Math.floor(random() * 8))
    return { row, what: 'body', now: { partition, put: { ...put, body } } }
  }
  return { row, what: 'head', now: { partition, put: { ...put, head: flipText(put.head) } } }
}

/** Keys and heads are of seven bits. */
const flipping =
  (random: () => number) =>
  (text: string): string => {
    const at = Math.floor(random() * text.length)
    const other = text.charCodeAt(at) ^ (1 << Math.floor(random() * 7))
    return text.slice(0, at) + String.fromCharCode(other) + text.slice(at + 1)
  }

/** Of numbers that are larger than what operators on bits take. */
const flipBit = (number: number, bit: number): number =>
  Math.floor(number / 2 ** bit) % 2 === 0 ? number + 2 ** bit : number - 2 ** bit

/** A part of its key is another, or it is in another partition; nothing when that part is empty. */
function movedRow(rows: readonly StoredRow[], row: StoredRow, random: () => number): Damage | undefined {
  const put = putOf(row)
  const place = [row.partition, ...row.key]
  const part = Math.floor(random() * place.length)
  const old = place[part] as string | number
  if (old === '') return undefined
  const other = typeof old === 'number' ? old ^ (1 << Math.floor(random() * 7)) : flipping(random)(old)
  const [partition, ...key] = place.map((each, i) => (i === part ? other : each)) as [string, ...Key]
  // A key is of one row alone: what would stand upon another one cannot come about.
  const isTaken = rows.some(
    (each) =>
      each.table === row.table &&
      (each.partition === partition || (row.table === 'threads' && each !== row)) &&
      compareKeys(each.key, key) === 0,
  )
  if (isTaken) return { row, what: 'deleted' }
  const what = part === 0 ? 'partition' : 'key'
  return { row, what, now: { partition, put: { ...put, key } } }
}

/** A task whose outcome has vanished runs again: `verify` says that it was there once, a load cannot. */
const isVanishedWrite = ({ row, what }: Damage): boolean =>
  row.table === 'writes' && ['deleted', 'key', 'partition'].includes(what)

/** Rows whose absence takes nothing with it, and why. */
function isHarmless({ row, what }: Damage): boolean {
  const [name] = row.key
  // It only tells one writing of a row from the next, so any other will do.
  if (what === 'version') return true
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
    for (const at of SEQS) {
      const its = segments.find(({ to }) => to === undefined || at <= to)?.lane
      const row = byName.get(`${its}/${at}`)
      const isOwnWrite = (gone.table === 'writes' || String(gone.key[2]).startsWith('w:')) && at === seq
      if (isOwnWrite || (row && gone.table !== 'writes' && standsOn(row)))
        needed.add(`${id}/${namespace}/${at}`)
    }
  }
  return needed
}
