import { expect, it } from 'vitest'
import { fill, on, range, rejection, talk, type Fresh, type Talk } from './ground.ts'

export function writesLaws(fresh: Fresh): void {
  it(
    'come back with their checkpoint, in order, with every kind of value',
    on(fresh, async (checkpointer, ground) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 2)
      await thread.putWrites(2, 'task 1', [
        { channel: 'messages', value: new Map([[1, new Date(0)]]) },
        { channel: 'n', value: undefined },
      ])
      await thread.putWrites((await thread.load())?.id as string, 'task 0', [
        { channel: 'big', value: 'x'.repeat(300_000) },
      ])
      await checkpointer.close()
      const again = (await ground.open()).thread<Talk>('a')
      expect((await again.load())?.pendingWrites).toEqual([
        { taskId: 'task 1', index: 0, channel: 'messages', value: new Map([[1, new Date(0)]]) },
        { taskId: 'task 1', index: 1, channel: 'n', value: undefined },
        { taskId: 'task 0', index: 0, channel: 'big', value: 'x'.repeat(300_000) },
      ])
      expect((await again.load(1))?.pendingWrites).toEqual([])
    }),
  )

  it(
    'a pair of task and index is written once; negative indexes overwrite',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 1)
      await thread.putWrites(1, 't', [
        { channel: 'c', value: 'first' },
        { channel: 'e', value: 'error 1', index: -1 },
      ])
      await thread.putWrites(1, 't', [
        { channel: 'c', value: 'second' },
        { channel: 'e', value: 'error 2', index: -1 },
      ])
      await thread.putWrites(1, 'u', [{ channel: 'c', value: 'of u' }])
      const writes = (await thread.load())?.pendingWrites ?? []
      expect(writes.filter(({ index }) => index === 0).map(({ taskId, value }) => [taskId, value])).toEqual([
        ['t', 'first'],
        ['u', 'of u'],
      ])
      expect(writes.filter(({ index }) => index === -1).map(({ value }) => value)).toEqual(['error 2'])
    }),
  )

  it(
    'task ids are opaque',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 1)
      const ids = ['t', 't:0', 't/0', 't\u0000', '\ud800', '__proto__', '1']
      for (const id of ids) await thread.putWrites(1, id, [{ channel: 'c', value: id }])
      expect((await thread.load())?.pendingWrites.map(({ taskId }) => taskId)).toEqual(ids)
    }),
  )

  it(
    'many tasks at once, and saves meanwhile',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 1)
      const tasks = Array.from({ length: 20 }, (_, i) => `task ${i}`)
      await Promise.all([
        ...tasks.map((id) => thread.putWrites(1, id, [{ channel: 'c', value: id }])),
        fill(thread, 10, 2),
      ])
      expect((await thread.load(1))?.pendingWrites.map(({ value }) => value).sort()).toEqual(
        [...tasks].sort(),
      )
    }),
  )

  it(
    'more than one commit takes are all there, in order; those that come again, once',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 1)
      const many = range(0, 399).map((value) => ({ channel: 'c', value }))
      await thread.putWrites(1, 't', many.slice(0, 250))
      await thread.putWrites(1, 't', many)
      const last = { channel: 'e', value: 'again', index: -1 }
      await thread.putWrites(1, 't', [...many, last])
      const writes = (await thread.load())?.pendingWrites ?? []
      expect(writes.map(({ index, value }) => [index, value])).toEqual([
        ...many.map(({ value }) => [value, value]),
        [-1, 'again'],
      ])
      expect((await checkpointer.verify()).problems).toEqual([])
    }),
  )

  it(
    'go with their checkpoint, and are seen by no fork',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await fill(thread, 3)
      await thread.putWrites(2, 't', [{ channel: 'c', value: 1 }])
      const fork = await thread.fork({ at: 3 })
      await thread.putWrites(3, 't', [{ channel: 'c', value: 2 }])
      await fork.putWrites(2, 'f', [{ channel: 'c', value: 3 }])
      expect((await fork.load(2))?.pendingWrites.map(({ value }) => value)).toEqual([3])
      expect((await fork.load(3))?.pendingWrites).toEqual([])
      expect((await thread.load(2))?.pendingWrites.map(({ value }) => value)).toEqual([1])
      await thread.deleteCheckpoints([2])
      expect((await fork.load(2))?.pendingWrites.map(({ value }) => value)).toEqual([3])
      await fork.delete()
      expect((await thread.load(3))?.pendingWrites.map(({ value }) => value)).toEqual([2])
    }),
  )

  it(
    'are refused for a checkpoint that is not there, or a value that cannot be kept',
    on(fresh, async (checkpointer) => {
      const thread = checkpointer.thread<Talk>('a')
      await rejection(thread.putWrites(1, 't', [{ channel: 'c', value: 1 }]), 'NOT_FOUND')
      await fill(thread, 1)
      await rejection(thread.putWrites(7, 't', [{ channel: 'c', value: 1 }]), 'NOT_FOUND')
      await rejection(thread.putWrites(1, '', [{ channel: 'c', value: 1 }]), 'INVALID')
      await rejection(
        thread.putWrites(1, 't', [
          { channel: 'c', value: 1 },
          { channel: 'd', value: () => 0 },
        ]),
        'INVALID',
      )
      await rejection(thread.putWrites(1, 't', [{ channel: 'c', value: 1, index: 0.5 }]), 'INVALID')
      expect((await thread.load())?.pendingWrites).toEqual([])
      expect((await thread.load())?.state).toEqual(talk(1))
    }),
  )
}
