import 'fake-indexeddb/auto'
import { openCheckpointer, type CheckpointerError } from 'forkpoint'
import { expect, it, vi } from 'vitest'

interface State {
  readonly n: number
}

it.each(['destroy', 'delete'] as const)(
  'what was written behind when it was all taken away is told for what it is: %s',
  async (how) => {
    const name = `taken away by ${how}`
    const warnings: CheckpointerError[] = []
    const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
    const here = await openCheckpointer({ name, worker: false, durability: 'async', onWarning })
    const there = await openCheckpointer({ name, worker: false })
    const thread = here.thread<State>('t')
    for (let n = 1; n <= 3; n++) await thread.save({ n })
    await here.flush()
    await (how === 'destroy' ? there.destroy() : there.thread('t').delete())
    for (let n = 4; n <= 5; n++) await thread.save({ n }).catch(() => undefined)
    await vi.waitFor(() => expect(warnings.some(({ code }) => code === 'CONFLICT')).toBe(true), 5_000)
    const shifts = warnings.filter(({ code }) => code === 'CONFLICT')
    for (const { message } of shifts) {
      expect(message).toContain('was deleted, or everything destroyed, elsewhere')
      expect(message).not.toContain('Another writer')
    }
    if (how === 'destroy') expect(warnings[0]).toMatchObject({ code: 'CLOSED', thread: 't' })
    // What was captured since is there all the same, as the beginning of another thread.
    expect((await thread.load())?.state).toEqual({ n: 5 })
    await here.destroy()
    await there.close().catch(() => undefined)
  },
)
