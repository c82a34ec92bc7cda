import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Gate } from '../../src/storage/indexeddb/gate.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const turns = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}

/** Asks for a turn each, and says who has had it. */
function asking(gate: Gate, names: readonly string[]) {
  const begun: string[] = []
  const leaves = new Map<string, () => void>()
  const refused = new Map<string, unknown>()
  for (const name of names)
    gate.enter(name.startsWith('read') ? 'readonly' : 'readwrite').then(
      (leave) => {
        begun.push(name)
        leaves.set(name, leave)
      },
      (error: unknown) => refused.set(name, error),
    )
  return { begun, refused, leave: (name: string) => leaves.get(name)?.() }
}

it('lets one in at a time, in the order in which they came', async () => {
  const { begun, leave } = asking(new Gate(), ['write', 'read 1', 'read 2'])
  await turns()
  expect(begun).toEqual(['write'])
  leave('write')
  await turns()
  expect(begun).toEqual(['write', 'read 1'])
  leave('read 1')
  await turns()
  expect(begun).toEqual(['write', 'read 1', 'read 2'])
})

it('is open for all when the connection does not work', async () => {
  const gate = new Gate()
  const { begun } = asking(gate, ['write', 'read 1', 'read 2'])
  await turns()
  gate.open()
  await turns()
  expect(begun).toEqual(['write', 'read 1', 'read 2'])
})

it('says of a turn that does not come in a minute that nothing was written, and goes on behind it', async () => {
  const gate = new Gate()
  const { begun, refused, leave } = asking(gate, ['write', 'another', 'read'])
  await turns()
  for (let second = 0; second < 61; second++) {
    await vi.advanceTimersByTimeAsync(1_000)
    await turns()
  }
  expect(begun).toEqual(['write'])
  expect(refused.get('another')).toMatchObject({ code: 'BLOCKED', outcome: 'none' })
  expect(refused.get('read')).toMatchObject({ code: 'BLOCKED' })
  const later = asking(gate, ['later'])
  await turns()
  expect(later.begun).toEqual([])
  leave('write')
  await turns()
  expect(later.begun).toEqual(['later'])
})
