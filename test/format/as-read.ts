import type { Checkpointer } from 'forkpoint'
import { expect } from 'vitest'
import { createCodec } from '../../src/state/codec.ts'
import { typesOfRich } from '../faults/support/rich.ts'

/** By thread and namespace. */
export type Read = Record<string, Record<string, unknown>>

/** What the library reads, in the form that the second reader gives. */
export async function asRead(checkpointer: Checkpointer): Promise<Read> {
  const codec = createCodec(typesOfRich)
  const threads: Read = {}
  for await (const { id } of checkpointer.threads())
    for (const namespace of await checkpointer.thread(id).namespaces()) {
      const thread = checkpointer.thread(id, { namespace })
      const checkpoints: Record<string, unknown> = {}
      const writes: unknown[] = []
      for await (const { seq, id: its, state } of thread.history({ states: true, order: 'oldest' })) {
        checkpoints[seq] = { id: its, state: codec.capture(state).state }
        const { pendingWrites = [] } = (await thread.load(seq)) ?? {}
        for (const { taskId, index, channel, value } of pendingWrites)
          writes.push({ seq, taskId, index, channel, value: codec.capture(value).state })
      }
      threads[id] = { ...threads[id], [namespace]: { checkpoints, writes } }
    }
  return threads
}

/** As text: the order of keys is part of a state. That of threads is not. */
export function expectSame(read: Read, wanted: Read): void {
  expect(Object.keys(read).sort()).toEqual(Object.keys(wanted).sort())
  for (const [id, namespaces] of Object.entries(wanted)) {
    expect(Object.keys(read[id] ?? {}).sort(), id).toEqual(Object.keys(namespaces).sort())
    for (const [namespace, its] of Object.entries(namespaces))
      expect(JSON.stringify(read[id]?.[namespace]), `${id}/${namespace}`).toBe(JSON.stringify(its))
  }
}
