import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { afterEach, describe, expect, it, vi } from 'vitest'

/** As in a page without a worker: all of the work is done in this thread. */
async function furnished(state: object): Promise<Checkpointer> {
  const checkpointer = await openCheckpointer({ name: 'large', storage: memoryStorage() })
  const thread = checkpointer.thread<object>('t')
  await thread.save(state)
  for (let i = 0; i < 3; i++) await thread.save({ ...state, i })
  return checkpointer
}

/** The longest text that one call of the engine's has read or made since. */
function longestJson(): () => number {
  let longest = 0
  const { parse, stringify } = JSON
  vi.spyOn(JSON, 'parse').mockImplementation((text, ...rest) => {
    longest = Math.max(longest, text.length)
    return parse(text, ...rest) as unknown
  })
  vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
    const text = stringify(value)
    longest = Math.max(longest, text?.length ?? 0)
    return text
  })
  return () => longest
}

afterEach(() => vi.restoreAllMocks())

async function exported(checkpointer: Checkpointer): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of checkpointer.export('t')) pieces.push(new Uint8Array(piece))
  return pieces
}

/** A line of an export holds 256 KiB of a payload, whose quotes are escaped once more. */
const MOST = 800 * 1024

describe.each([
  [
    'many values',
    { messages: Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'word "said" '.repeat(20) })) },
  ],
  ['one long text', { text: 'word "said"\n '.repeat(400_000) }],
])('of 5 MB, of %s, no more is parsed or encoded at once than takes a few milliseconds', (_, state) => {
  const works: Record<string, (checkpointer: Checkpointer) => Promise<unknown>> = {
    verify: (checkpointer) => checkpointer.verify(),
    'a plan of repairs': (checkpointer) => checkpointer.verify({ repair: 'plan' }),
    load: (checkpointer) => checkpointer.thread('t').load(1),
    history: async (checkpointer) => {
      for await (const { seq } of checkpointer.thread('t').history({ states: true }))
        expect(seq).toBeGreaterThan(0)
    },
    export: exported,
    prune: (checkpointer) => checkpointer.thread('t').prune({ keepLast: 1 }),
    'export of what stands on something hidden': async (checkpointer) => {
      await checkpointer.thread('t').fork({ at: 1, as: 'twin' })
      await checkpointer.thread('t').deleteCheckpoints([1])
      await exported(checkpointer)
    },
  }
  it.each(Object.entries(works))('%s', async (_name, work) => {
    const checkpointer = await furnished(state)
    const longest = longestJson()
    await work(checkpointer)
    expect(longest()).toBeLessThan(MOST)
    await checkpointer.close()
  })

  it('import', async () => {
    const checkpointer = await furnished(state)
    const file = new Blob(await exported(checkpointer))
    const longest = longestJson()
    await checkpointer.import(file, { onConflict: 'rename' })
    expect(longest()).toBeLessThan(MOST)
    await checkpointer.close()
  })
})
