import { openCheckpointer } from 'forkpoint'
import { expect } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { typesOfRich } from '../faults/support/rich.ts'
import { asRead } from './as-read.ts'
import { restore } from './dump.ts'

/** A database as a release has left it is read as it was then, has no fault, and is gone on with. */
export async function expectFixture(open: () => Storage, rows: string, states: string): Promise<void> {
  const storage = open()
  await restore(storage, rows)
  await storage.close()
  const checkpointer = await openCheckpointer({ name: 'fixture', storage: open(), types: typesOfRich })
  // As text: the order of keys is part of a state.
  expect(JSON.stringify(await asRead(checkpointer))).toBe(JSON.stringify(JSON.parse(states)))
  expect((await checkpointer.verify()).problems).toEqual([])
  const thread = checkpointer.thread('fork of fork')
  const { seq = 0 } = (await thread.load()) ?? {}
  expect((await thread.save({ gone: 'on' })).seq).toBe(seq + 1)
  await (await thread.fork({ at: 1, as: 'new' })).save({ n: 1 })
  await checkpointer.thread('a b').prune({ keepLast: 2 })
  expect((await checkpointer.verify()).problems).toEqual([])
  await checkpointer.close()
}
