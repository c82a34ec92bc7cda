import { runInNewContext } from 'node:vm'
import { setFlagsFromString } from 'node:v8'
import { CheckpointerError, openCheckpointer, type Checkpointer } from '../../src/index.ts'
import { createCodec } from '../../src/state/codec.ts'
import { fold, parseDelta } from '../../src/state/delta.ts'
import { diff } from '../../src/state/diff.ts'
import type { Json } from '../../src/state/json.ts'
import { fromBytes } from '../../src/state/json-bytes.ts'
import { Soundness } from '../../src/state/sound.ts'
import { memoryStorage } from '../../src/storage/memory.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { mutatedFile, sourceFiles, STATES, TYPES } from './support/fuzz-corpus.ts'
import { rowOne, wholeDatabase } from './support/fuzz-rows.ts'
import { mutated, mutatedBytes, pick, type Random } from './support/mutate.ts'
import { broken, type Figures, type Proof } from './support/proof.ts'

/** What may be said of an input that is not right. The last two are refusals by number: of limits, of versions. */
const ANSWERS = ['CORRUPT', 'INVALID', 'TOO_LARGE', 'FORMAT_TOO_NEW']
/** No input here needs more than a fraction of it, on the slowest machine. */
const HANGS_AFTER = 20_000
const MOST_GROWTH = 64 * 1024 * 1024

/** To read all of a database, and to mend it, takes so many times longer than another input. */
const ROWS_EVERY = 20

/** A round is one input: files for `import`, as often states and deltas, and now and then a row of a whole database. */
export default {
  promise: 'no file for import, no stored state or row and no delta does harm, however it was made',
  rounds: { short: 3000, long: 100_000 },
  on: ['node'],
  async run({ rounds, random, say }) {
    const files = await sourceFiles()
    const database = await wholeDatabase()
    const counts: Record<string, number> = {}
    const count = (kind: string, answer: string): void => {
      counts[`${kind} ${answer}`] = (counts[`${kind} ${answer}`] ?? 0) + 1
    }
    const clean = prototypes()
    let slowest = 0
    let level: number | undefined
    for (let round = 0; round < rounds; round++) {
      const begun = performance.now()
      if (round % ROWS_EVERY === 1) count('row', await rowOne(database, random))
      else if (round % 2 === 0) count('import', await importOne(mutatedFile(files, random), random))
      else count('decode', await decodeOne(random))
      slowest = Math.max(slowest, performance.now() - begun)
      if (slowest > HANGS_AFTER) throw broken('an input took too long', { round, slowest })
      if (prototypes() !== clean) throw broken('a prototype was changed', { round })
      if (round === Math.floor(rounds / 5)) level = heap()
      if (round % 10_000 === 9999) say(`${round + 1} inputs, ${(heap() / 2 ** 20).toFixed(0)} MiB`)
    }
    const growth = heap() - (level ?? 0)
    if (growth > MOST_GROWTH) throw broken('memory grows', { growth })
    return {
      inputs: rounds,
      ...counts,
      slowestMs: Math.round(slowest),
      growthKiB: Math.round(growth / 1024),
    } as Figures
  },
} satisfies Proof

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** With what is outside of the heap; buffers are reported as a part of that. */
function heap(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const prototypes = (): string =>
  [Object, Array, Function, String, Number, Map, Set, Promise, Uint8Array]
    .map(({ prototype }) => Reflect.ownKeys(prototype as object).length)
    .join()

const answerTo = (error: unknown, about: unknown): string => {
  if (CheckpointerError.is(error) && ANSWERS.includes(error.code)) return error.code
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  throw broken('an answer that is none', { error: stack, about })
}

async function importOne(file: Uint8Array, random: Random): Promise<string> {
  const storage = memoryStorage()
  const checkpointer = await openCheckpointer({ name: 'fuzz', storage, types: TYPES, onWarning: () => {} })
  const size = pick(random, [64, 1000, 100_000])
  const source = (async function* () {
    for (let at = 0; at < file.length; at += size) yield file.slice(at, at + size)
  })()
  const shown = (): string => Buffer.from(file).toString('latin1').slice(0, 6000)
  try {
    await checkpointer.import(source)
  } catch (error) {
    const answer = answerTo(error, shown())
    await expectNothing(storage, shown)
    return answer
  }
  const { problems } = await checkpointer.verify()
  if (problems.length > 0) throw broken('what was imported is damaged', { problems, file: shown() })
  await readAll(checkpointer, shown)
  return 'taken'
}

/** Only the row of the database itself is left. */
async function expectNothing(storage: Storage, shown: () => string): Promise<void> {
  const partitions = await storage.partitions({ limit: 10 })
  const [rows = []] = await storage.read('', [{ table: 'meta', from: [], to: ['~'] }])
  const names = rows.map(({ key }) => key[0])
  if (partitions.join() !== '' || names.some((name) => name === 'import' || name === 'staged'))
    throw broken('something of a refused file is there', { partitions, names, file: shown() })
}

async function readAll(checkpointer: Checkpointer, shown: () => string): Promise<void> {
  for await (const { id } of checkpointer.threads())
    for await (const { seq } of checkpointer.thread(id).history()) {
      try {
        if (!(await checkpointer.thread(id).load(seq))) throw new Error(`checkpoint ${seq} is not there`)
      } catch (error) {
        // It names a class that nobody has registered: as sound as any other.
        if (!CheckpointerError.is(error, 'INVALID'))
          throw broken(`checkpoint ${seq} cannot be read: ${String(error)}`, shown())
      }
    }
}

const codec = createCodec(TYPES)

const NO_PAUSE = (): undefined => undefined

async function decodeOne(random: Random): Promise<string> {
  const state = pick(random, STATES)
  if (random() < 0.3) return deltaOne(state, random)
  let input: Json = state
  try {
    input =
      random() < 0.3
        ? fromBytes(mutatedBytes(new TextEncoder().encode(JSON.stringify(state)), random))
        : changedState(state, random)
    codec.decode(input)
    await new Soundness().check(input, NO_PAUSE)
    return 'decoded'
  } catch (error) {
    const answer = answerTo(error, JSON.stringify(input)?.slice(0, 3000))
    if (answer === 'CORRUPT') await expectUnsound(input)
    return answer
  }
}

function changedState(state: Json, random: Random): Json {
  let value: unknown = state
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) value = mutated(value, random)
  return JSON.parse(JSON.stringify(value)) as Json
}

/** An import must refuse what could not be read. A class that is not known hides what is behind it from `decode`. */
async function expectUnsound(input: Json): Promise<void> {
  try {
    codec.decode(input)
  } catch {
    try {
      await new Soundness().check(input, NO_PAUSE)
    } catch {
      return
    }
    throw broken('import would take what cannot be read', JSON.stringify(input).slice(0, 3000))
  }
}

function deltaOne(before: Json, random: Random): string {
  const text = JSON.stringify(before)
  const delta: unknown = mutated(diff(before, changedState(before, random)), random)
  const answer = answerOf(() => fold(before, parseDelta(JSON.parse(JSON.stringify(delta)))), {
    before,
    delta,
  })
  if (JSON.stringify(before) !== text) throw broken('a delta has changed its base', { text, delta })
  return answer
}

function answerOf(work: () => unknown, about: unknown): string {
  try {
    work()
    return 'folded'
  } catch (error) {
    return answerTo(error, about)
  }
}
