import { expect, it, vi } from 'vitest'
import { linkedController } from '../../../src/checkpointer/runs/linked-signal.ts'

it('listens to none of them once one is aborted, or was before', () => {
  for (const isBefore of [true, false]) {
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
    const signals = [first, second, third].map(({ signal }) => signal)
    const listening = signals.map((signal) => {
      const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
      return () => added.mock.calls.length - removed.mock.calls.length
    })
    if (isBefore) second.abort('over')
    const { controller, unlink } = linkedController(signals)
    if (!isBefore) expect(listening.map((count) => count())).toEqual([1, 1, 1])
    second.abort('over')
    expect(controller.signal.reason).toBe('over')
    if (!isBefore) unlink()
    for (const count of listening) expect(count()).toBeLessThanOrEqual(0)
  }
})
