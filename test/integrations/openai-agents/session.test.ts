import { MemorySession, type AgentInputItem, type Session } from '@openai/agents-core'
import type { SessionHistoryTransactionAwareSession } from '@openai/agents-core'
import fc from 'fast-check'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { ForkpointSession } from 'forkpoint/openai-agents'
import { memoryStorage } from 'forkpoint/storage/memory'
import { beforeEach, describe, expect, it } from 'vitest'

let checkpointer: Checkpointer
let session: ForkpointSession
beforeEach(async () => {
  checkpointer = await openCheckpointer({ name: 'sessions', storage: memoryStorage() })
  session = new ForkpointSession(checkpointer, 'trip')
})

const said = (content: string): AgentInputItem => ({ role: 'user', content })
const textOf = (item: AgentInputItem): unknown => ('content' in item ? item.content : item)
const texts = async (of: Session): Promise<unknown[]> => (await of.getItems()).map(textOf)

const append = (operationId: string, ...words: string[]) => ({
  operationId,
  transaction: { type: 'append_items' as const, items: words.map(said) },
})

describe('a session', () => {
  const word = fc.constantFrom('a', 'b')
  const words = fc.array(word, { maxLength: 2 })
  const operationId = fc.constantFrom('1', '2', '__proto__', ' ')
  type Call = (session: SessionHistoryTransactionAwareSession) => unknown
  const call: fc.Arbitrary<Call> = fc.oneof(
    words.map(
      (some): Call =>
        (it) =>
          it.addItems(some.map(said)),
    ),
    fc.integer({ min: -1, max: 3 }).map(
      (limit): Call =>
        (it) =>
          it.getItems(limit),
    ),
    fc.constant<Call>((it) => it.popItem()),
    { arbitrary: fc.constant<Call>((it) => it.clearSession()), weight: 1 },
    fc.tuple(operationId, words).map(
      ([id, some]): Call =>
        (it) =>
          it.applyHistoryTransaction(append(id, ...some)),
    ),
    fc.tuple(operationId, words, words).map(
      ([id, old, replacement]): Call =>
        (it) =>
          it.applyHistoryTransaction({
            operationId: id,
            transaction: {
              type: 'replace_suffix',
              expectedSuffix: old.map(said),
              replacement: replacement.map(said),
            },
          }),
    ),
  )

  it('does what the SDK’s own session does, whatever is called', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 12 }), async (calls) => {
        const mine = new ForkpointSession(checkpointer)
        const theirs = new MemorySession()
        const outcome = async (one: Call, of: SessionHistoryTransactionAwareSession) => {
          try {
            return { gave: await one(of), items: await of.getItems() }
          } catch {
            return { failed: true, items: await of.getItems() }
          }
        }
        for (const one of calls) expect(await outcome(one, mine)).toEqual(await outcome(one, theirs))
      }),
      { numRuns: 150 },
    )
  })

  it('is there after a reopen, with bytes and all', async () => {
    const storage = memoryStorage()
    const item: AgentInputItem = {
      role: 'user',
      content: [
        {
          type: 'input_text',
          text: 'what is this',
          providerData: { at: new Date(5), raw: new Uint8Array([1, 2]) },
        },
      ],
    }
    const first = await openCheckpointer({ name: 'reopened', storage })
    await new ForkpointSession(first, '../\u0000 trip').addItems([item])
    const again = await openCheckpointer({ name: 'reopened', storage })
    expect(await new ForkpointSession(again, '../\u0000 trip').getItems()).toEqual([item])
    expect(await new ForkpointSession(again, '../').getItems()).toEqual([])
  })

  it('takes items as they are when they are added, and gives them away as they are kept', async () => {
    const item = { role: 'user' as const, content: 'one' }
    const items: AgentInputItem[] = [item]
    const added = session.addItems(items)
    item.content = 'changed'
    items.push(said('more'))
    await added
    expect(await texts(session)).toEqual(['one'])
    ;(await session.getItems()).push(said('not mine'))
    expect(await texts(session)).toEqual(['one'])
  })

  it('keeps the order of calls that are not awaited', async () => {
    const calls = Array.from({ length: 20 }, (_, i) => session.addItems([said(`${i}`)]))
    await Promise.all(calls)
    expect(await texts(session)).toEqual(Array.from({ length: 20 }, (_, i) => `${i}`))
  })

  it('loses nothing that several tabs add at once, and gives nothing away twice', async () => {
    const tabs = Array.from({ length: 4 }, () => new ForkpointSession(checkpointer, 'trip'))
    await Promise.all(
      tabs.flatMap((tab, n) => Array.from({ length: 10 }, (_, i) => tab.addItems([said(`${n}.${i}`)]))),
    )
    const all = await texts(session)
    expect(all).toHaveLength(40)
    for (const n of tabs.keys())
      expect(all.filter((each) => String(each).startsWith(`${n}.`))).toEqual(
        Array.from({ length: 10 }, (_, i) => `${n}.${i}`),
      )
    const popped = await Promise.all(tabs.map((tab) => tab.popItem()))
    expect(new Set(popped.map((item) => JSON.stringify(item))).size).toBe(4)
  })

  it('applies an operation once, in however many tabs it is tried', async () => {
    const tabs = Array.from({ length: 4 }, () => new ForkpointSession(checkpointer, 'trip'))
    await Promise.all(tabs.map((tab) => tab.applyHistoryTransaction(append('op', 'once'))))
    expect(await texts(session)).toEqual(['once'])
    await expect(session.applyHistoryTransaction(append('op', 'other'))).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    const pruned = new ForkpointSession(checkpointer, 'trip')
    await pruned.addItems([said('two')])
    await checkpointer.thread('trip').prune({ keepLast: 1, ancestors: 'drop' })
    await pruned.applyHistoryTransaction(append('op', 'once'))
    expect(await texts(pruned)).toEqual(['once', 'two'])
  })

  it('refuses what cannot be stored, and stores nothing of it', async () => {
    const item = { role: 'user', content: 'x', providerData: { call: () => {} } } as const
    await expect(session.addItems([said('a'), item])).rejects.toMatchObject({ code: 'INVALID' })
    await expect(session.saveRun('not JSON')).rejects.toMatchObject({ code: 'INVALID' })
    await expect(session.saveRun({})).rejects.toMatchObject({ code: 'INVALID' })
    expect(await session.getItems()).toEqual([])
    // The next call is not held up by it.
    await session.addItems([said('b')])
    expect(await texts(session)).toEqual(['b'])
  })

  it('refuses what are no items, at which every later run would fail', async () => {
    for (const wrong of [
      'abc',
      undefined,
      null,
      [null],
      ['abc'],
      [[]],
      {},
    ] as unknown as AgentInputItem[][]) {
      await expect(session.addItems(wrong)).rejects.toMatchObject({ code: 'INVALID', path: 'items' })
      await expect(session.replaceHistoryWithCompaction(wrong)).rejects.toMatchObject({ code: 'INVALID' })
      const transaction = { type: 'append_items' as const, items: wrong }
      await expect(session.applyHistoryTransaction({ operationId: 'op', transaction })).rejects.toMatchObject(
        {
          code: 'INVALID',
        },
      )
    }
    expect(await session.getItems()).toEqual([])
  })

  it('leaves a thread of somebody else alone', async () => {
    await checkpointer.thread('trip').save('mine')
    await expect(session.getItems()).rejects.toMatchObject({ code: 'UNSUPPORTED', thread: 'trip' })
    await expect(session.addItems([said('a')])).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    expect((await checkpointer.thread('trip').load())?.state).toBe('mine')
  })

  it('rewrites a call, of several with its id the first', async () => {
    const calls = ['x', 'y', 'x'].map((callId) => ({
      type: 'function_call' as const,
      callId,
      name: 'search',
      arguments: '{}',
      status: 'completed' as const,
    }))
    const [replaced] = calls.map((each) => ({ ...each, arguments: '{"city":"Lisbon"}' }))
    if (!replaced) throw new Error('there is one')
    const theirs = new MemorySession({ initialItems: calls })
    await session.addItems(calls)
    const args = {
      mutations: [{ type: 'replace_function_call' as const, callId: 'x', replacement: replaced }],
    }
    await Promise.all([session.applyHistoryMutations(args), theirs.applyHistoryMutations(args)])
    expect(await session.getItems()).toEqual(await theirs.getItems())
    expect(await session.getItems()).toHaveLength(2)
  })
})

describe('what was', () => {
  const nodes = async (): Promise<unknown[]> => {
    const found: unknown[] = []
    for await (const { node } of session.history()) found.push(node)
    return found
  }

  it('stays in the history when it is popped or cleared, and can be forked', async () => {
    await session.addItems([said('one'), said('two')])
    await session.popItem()
    await session.clearSession()
    await session.clearSession()
    await session.popItem()
    expect(await nodes()).toEqual(['clear', 'pop', 'add'])
    expect(await texts(session)).toEqual([])
    const twin = await session.fork({ at: 1 })
    expect(await texts(twin)).toEqual(['one', 'two'])
    await twin.addItems([said('three')])
    expect(await texts(session)).toEqual([])
    expect(await texts(twin)).toEqual(['one', 'two', 'three'])
    expect(twin.sessionId).not.toBe(session.sessionId)
  })

  it('is gone when the session is deleted, but not for its forks', async () => {
    await session.addItems([said('one')])
    const twin = await session.fork({ as: 'twin' })
    expect(await session.delete()).toBe(true)
    expect(await nodes()).toEqual([])
    expect(await texts(twin)).toEqual(['one'])
  })

  it('is replaced by a compaction in one commit', async () => {
    await session.addItems([said('one'), said('two')])
    await session.replaceHistoryWithCompaction([said('short')])
    expect(await texts(session)).toEqual(['short'])
    expect(await nodes()).toEqual(['compact', 'add'])
  })

  it('costs what is added, however long the session is', async () => {
    const long = 'x'.repeat(1000)
    for (let i = 0; i < 100; i++) await session.addItems([said(`${i} ${long}`)])
    const { bytes } = await checkpointer.usage()
    expect(bytes).toBeLessThan(5 * 100 * 1000)
  })
})
