import 'fake-indexeddb/auto'
import { openCheckpointer, type CheckpointerEvent } from 'forkpoint'
import { expect, it, vi } from 'vitest'

it('other tabs hear that everything was destroyed', async () => {
  const name = `destroyed ${crypto.randomUUID()}`
  const [one, two] = [
    await openCheckpointer({ name, worker: false }),
    await openCheckpointer({ name, worker: false, onWarning: () => {} }),
  ]
  await one.thread('t').save(1)
  const heard: CheckpointerEvent[] = []
  two.subscribe((event) => void heard.push(event))
  await one.destroy()
  await vi.waitFor(() => expect(heard).toContainEqual({ type: 'destroyed' }))
  await two.close().catch(() => {})
})
