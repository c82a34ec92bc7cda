import { openCheckpointer } from 'forkpoint'
import { expect } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import { typesOfRich } from '../faults/support/rich.ts'
import { asRead, expectSame, type Read } from './as-read.ts'
import { restore } from './dump.ts'

/** Databases that are opened for ever: of each format, and where one has grown, from before that. */
export const FIXTURES = ['1-before-runs', '1'] as const

/** A database as a release has left it is read as it was then, has no fault, and is gone on with. */
export async function expectFixture(open: () => Storage, rows: string, states: string): Promise<void> {
  const storage = open()
  await restore(storage, rows)
  await storage.close()
  const checkpointer = await openCheckpointer({ name: 'fixture', storage: open(), types: typesOfRich })
  expectSame(await asRead(checkpointer), JSON.parse(states) as Read)
  // It may tell of a loss, which is its own and no fault.
  const faults = async () => (await checkpointer.verify()).problems.filter(({ kind }) => kind !== 'loss')
  expect(await faults()).toEqual([])
  const thread = checkpointer.thread('fork of fork')
  const { seq = 0 } = (await thread.load()) ?? {}
  expect((await thread.save({ gone: 'on' })).seq).toBe(seq + 1)
  await (await thread.fork({ at: 1, as: 'new' })).save({ n: 1 })
  await checkpointer.thread('a b').prune({ keepLast: 2 })
  expect(await faults()).toEqual([])
  await checkpointer.close()
}
