import { CheckpointerError, openCheckpointer, type CheckpointInfo, type SaveOptions } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import { losableHost } from '../support/losable-host.ts'

const ROUNDS = Number(process.env['FORKPOINT_RUNS'] ?? 25)
const STEPS = 50

interface State {
  readonly n: number
  readonly text: string
}
type Saving = { readonly n: number } & (
  | { readonly told: CheckpointInfo }
  | { readonly error: CheckpointerError }
)

/** The same numbers again for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

it.each(['async', 'exit'] as const)(
  'whatever worker is lost and whatever write fails, all is told, once and in order: %s',
  async (durability) => {
    const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
    vi.stubGlobal('document', document)
    onTestFinished(() => void vi.unstubAllGlobals())
    for (let seed = 1; seed <= ROUNDS; seed++) await round(seed, durability, document)
  },
  240_000,
)

async function round(seed: number, durability: 'async' | 'exit', document: EventTarget): Promise<void> {
  const random = randomOf(seed)
  let failing = 0
  const storage = memoryStorage()
  const commit = storage.commit.bind(storage)
  Object.assign(storage, {
    async commit(...batch: Parameters<typeof commit>) {
      const isFailing = random() < failing
      if (isFailing && random() < 0.5) throw new CheckpointerError('QUOTA', 'No room.', { outcome: 'none' })
      const result = await commit(...batch)
      if (isFailing) throw new CheckpointerError('FAILED', 'Broken off.', { outcome: 'unknown' })
      return result
    },
    close: async () => {},
  })
  const { host, lose } = losableHost(await createHost({ storage }), random)
  const warnings: CheckpointerError[] = []
  const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
  const checkpointer = await openCheckpointer({ name: 'q', host, durability, onWarning })
  const thread = checkpointer.thread<State>('t')
  const saves: Promise<Saving>[] = []
  const others: Promise<unknown>[] = []
  let latest: CheckpointInfo | undefined

  const save = async (n: number, text: string, options: SaveOptions): Promise<Saving> => {
    try {
      const told = await thread.save({ n, text }, options)
      latest = told
      return { n, told }
    } catch (error) {
      if (!CheckpointerError.is(error)) throw error
      return { n, error }
    }
  }
  for (let n = 0; n < STEPS; n++) {
    failing = random() < 0.5 ? 0 : 0.2
    const kind = random()
    const options: SaveOptions =
      kind < 0.1
        ? { id: `id ${n}` }
        : kind < 0.2
          ? { expect: latest?.id ?? null }
          : kind < 0.3 && latest
            ? { parent: latest.seq }
            : {}
    saves.push(save(n, 'x'.repeat(random() < 0.1 ? random() * 50_000 : 10), options))
    if (random() < 0.05) lose()
    if (random() < 0.08) document.dispatchEvent(new Event('visibilitychange'))
    if (random() < 0.1) others.push(checkpointer.flush().catch(() => undefined))
    if (random() < 0.05) others.push(thread.fork().catch(() => undefined))
    if (random() < 0.3) await Promise.race([saves.at(-1), new Promise((resolve) => setTimeout(resolve, 5))])
  }
  failing = 0
  for (let tries = 0; ; tries++) {
    // What fails for good shows below.
    const isDone = await checkpointer.flush().then(
      () => true,
      (error: unknown) => !CheckpointerError.is(error) || tries === 10,
    )
    if (isDone) break
  }
  await Promise.all(others)
  const settled = await Promise.all(saves)
  await checkpointer.close()

  const reader = await openCheckpointer({ name: 'q', storage })
  const stored = new Map<string, { seq: number; n: number }>()
  for await (const { seq, id, state } of reader.thread<State>('t').history({ order: 'oldest', states: true }))
    stored.set(id, { seq, n: state.n })
  const numbers = [...stored.values()].map(({ n }) => n)
  expect(numbers, `seed ${seed}`).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  // Nobody else writes here.
  expect(warnings.filter(({ code }) => code === 'CONFLICT')).toEqual([])
  for (const each of settled) {
    if ('error' in each) {
      if (each.error.outcome === 'none') expect(numbers, `seed ${seed}`).not.toContain(each.n)
    } else if (durability === 'async' || stored.has(each.told.id))
      expect(stored.get(each.told.id), `seed ${seed}`).toEqual({ seq: each.told.seq, n: each.n })
  }
  expect((await reader.verify()).problems).toEqual([])
  await reader.close()
}
