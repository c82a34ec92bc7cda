import { openCheckpointer, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'

/** Replies that come late: what was decided before them must not be taken for what holds after. */
interface Gate {
  /** Runs once, after the next call that it fits and before its reply. */
  next?: {
    readonly fits: (call: string, argument: unknown) => boolean
    readonly meanwhile: () => Promise<void>
  }
}

function gated(inner: Storage, gate: Gate): Storage {
  const after = async <T>(call: string, argument: unknown, reply: Promise<T>): Promise<T> => {
    const result = await reply
    const { next } = gate
    if (next?.fits(call, argument)) {
      delete gate.next
      await next.meanwhile()
    }
    return result
  }
  return {
    limits: inner.limits,
    read: (partition, queries) => after('read', queries, inner.read(partition, queries)),
    commit: (partition, batch) => after('commit', batch, inner.commit(partition, batch)),
    locate: (key) => inner.locate(key),
    list: (query) => inner.list(query),
    partitions: (query) => inner.partitions(query),
    destroy: () => inner.destroy(),
    close: async () => {},
  }
}

const open = (storage: Storage) => openCheckpointer({ name: 'late', storage })

it('parts written ahead of a first save are missed when the partition is emptied before it', async () => {
  const inner = memoryStorage({ limits: { valueBytes: 20_000, commitBytes: 40_000, operations: 30 } })
  const gate: Gate = {}
  const one = await open(gated(inner, gate))
  const two = await open(gated(inner, {}))
  gate.next = {
    fits: (call, batch) => call === 'commit' && JSON.stringify(batch).startsWith('{"puts":[{"table":"parts"'),
    meanwhile: async () => {
      await two.thread('t').save('short')
      await two.thread('t').delete()
    },
  }
  const state = 'x'.repeat(77_000)
  const saved = await one.thread('t').save(state)
  expect(gate.next).toBeUndefined()
  expect((await two.thread('t').load(saved.seq))?.state).toBe(state)
  expect((await two.verify()).problems).toEqual([])
})

it('a keyframe made for a thread is not taken for one that has its name since', async () => {
  const inner = memoryStorage()
  const gate: Gate = {}
  const one = await open(gated(inner, gate))
  const thread = one.thread<{ a: number; list: string[] }>('t')
  await thread.save({ a: 1, list: ['k'] })
  // With the next one the chain weighs twice the state.
  await thread.save({ a: 1, list: ['k', 'w'.repeat(4000)] })
  let passed = (): void => {}
  const isPast = new Promise<void>((resolve) => (passed = resolve))
  gate.next = {
    // The compaction reads the chain: rows and parts.
    fits: (call, queries) => call === 'read' && JSON.stringify(queries).includes('"parts"'),
    meanwhile: async () => {
      await thread.fork({ as: 'f' })
      await thread.delete()
      for (let i = 0; i < 3; i++) await thread.save({ a: i, list: ['y'.repeat(3000)] })
      passed()
    },
  }
  await thread.save({ a: 1, list: ['k', 'x'.repeat(4000)] })
  await isPast
  const last = await thread.save({ a: 9, list: ['y'.repeat(3000)] })
  await one.close()
  const two = await open(gated(inner, {}))
  expect((await two.thread('t').load(last.seq))?.state).toEqual({ a: 9, list: ['y'.repeat(3000)] })
  expect((await two.thread('f').load())?.state).toEqual({ a: 1, list: ['k', 'x'.repeat(4000)] })
  expect((await two.verify()).problems).toEqual([])
})
