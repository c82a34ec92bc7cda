import { openCheckpointer, type Checkpointer, type Storage } from 'forkpoint'
import { expect, onTestFinished, test } from 'vitest'

/** A storage, and how often its driver was called until now. */
export interface Counted {
  readonly storage: Storage
  calls(): number
}

/** What counts most for an engine that is far away. `open` is called several times, over the same data. */
export function roundTripLaw(open: () => Promise<Counted>): void {
  test('a save is one round trip, a load two, and a fork as many at any length', async () => {
    const first = await open()
    const writer = await opened(first)
    const lengths = [10, 100]
    for (const length of lengths) {
      const thread = writer.thread<{ notes: string[] }>(`of ${length}`)
      const notes: string[] = []
      await thread.save({ notes })
      const before = first.calls()
      for (let n = 1; n < length; n++) {
        notes.push(`note ${n} `.repeat(20))
        await thread.save({ notes })
      }
      // A few more, of all: chains that have become long are cut.
      expect((first.calls() - before) / (length - 1)).toBeLessThan(1.2)
    }
    const forks: number[] = []
    for (const length of lengths) {
      const reader = await open()
      const thread = (await opened(reader)).thread<{ notes: string[] }>(`of ${length}`)
      const cold = reader.calls()
      expect((await thread.load())?.state.notes).toHaveLength(length - 1)
      expect(reader.calls() - cold).toBe(2)
      const before = reader.calls()
      await thread.fork()
      forks.push(reader.calls() - before)
    }
    expect(forks[1]).toBe(forks[0])
  })
}

async function opened({ storage }: Counted): Promise<Checkpointer> {
  const checkpointer = await openCheckpointer({ name: `counted ${Math.random()}`, storage })
  onTestFinished(() => checkpointer.close())
  return checkpointer
}
