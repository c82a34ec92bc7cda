/**
 * flowgentra: one latest state a thread, with metadata (last node, execution path, extra), read back in the
 * caller's type; a list of threads. Ours keeps the earlier states as well.
 */
import type { Checkpoint, Checkpointer, CheckpointFields } from 'forkpoint'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { collect, seqs, seedStores, threadIds } from './stores.ts'

interface Conversation {
  messages: { role: 'user' | 'assistant'; text: string }[]
  turns: number
  topic?: string
}

const hello: Conversation = { messages: [{ role: 'user', text: 'Hello' }], turns: 1 }

describe.each(seedStores)('flowgentra over $kind', ({ open }) => {
  it('has nothing for a thread that was never saved', async () => {
    const checkpointer = await open()
    expect(await checkpointer.thread('nobody').load()).toBeUndefined()
    expect(await threadIds(checkpointer)).toEqual([])
  })

  it('gives a state back in its type, with what is known of it', async () => {
    const thread = (await open()).thread<Conversation>('user-1')
    await thread.save(hello, {
      node: 'respond',
      path: ['classify', 'plan', 'respond'],
      extra: { model: 'small', tokens: 812, tags: ['a', 'b'], nested: { deep: [null, true, 1.5] } },
    })

    const loaded = await thread.load()
    expectTypeOf(loaded).toEqualTypeOf<Checkpoint<Conversation> | undefined>()
    expect(loaded).toMatchObject({
      thread: 'user-1',
      state: hello,
      node: 'respond',
      path: ['classify', 'plan', 'respond'],
      extra: { model: 'small', tokens: 812, tags: ['a', 'b'], nested: { deep: [null, true, 1.5] } },
    })
    expect(loaded?.state.messages.at(-1)?.text.toUpperCase()).toBe('HELLO')
  })

  it('needs no metadata at all, and makes none up', async () => {
    const thread = (await open()).thread<Conversation>('user-1')
    await thread.save(hello)
    const loaded = await thread.load()
    for (const field of ['node', 'path', 'extra', 'next', 'step', 'label', 'runId', 'source', 'workflow']) {
      expect(loaded).not.toHaveProperty(field)
    }
  })

  it('keeps empty metadata as it was given', async () => {
    const thread = (await open()).thread<Conversation>('user-1')
    await thread.save(hello, { node: '', path: [], extra: {} })
    expect(await thread.load()).toMatchObject({ node: '', path: [], extra: {} })
  })

  it('goes on with a conversation: load gives the last turn, and earlier ones are not lost', async () => {
    const thread = (await open()).thread<Conversation>('user-1')
    await thread.save(hello, { node: 'respond', path: ['respond'] })
    for (let turn = 2; turn <= 5; turn++) {
      const { state, path = [] } = (await thread.load()) ?? expect.unreachable()
      state.messages.push({ role: 'assistant', text: `Answer ${turn}` })
      state.turns = turn
      await thread.save(state, { node: 'respond', path: [...path, 'respond'] })
    }

    const last = await thread.load()
    expect(last?.state.turns).toBe(5)
    expect(last?.state.messages.map(({ text }) => text)).toEqual([
      'Hello',
      'Answer 2',
      'Answer 3',
      'Answer 4',
      'Answer 5',
    ])
    expect(last?.path).toHaveLength(5)
    const turns = (await collect(thread.history({ states: true }))).map(({ state }) => state.turns)
    expect(turns).toEqual([5, 4, 3, 2, 1])
  })

  it('replaces metadata with the state: nothing of the last save shines through', async () => {
    const thread = (await open()).thread<Conversation>('user-1')
    await thread.save({ ...hello, topic: 'weather' }, { node: 'plan', path: ['plan'], extra: { a: 1 } })
    await thread.save(hello, { node: 'act' })
    const loaded = await thread.load()
    expect(loaded?.node).toBe('act')
    expect(loaded).not.toHaveProperty('path')
    expect(loaded).not.toHaveProperty('extra')
    expect(loaded?.state).toEqual(hello)
    expect(loaded?.state).not.toHaveProperty('topic')
  })

  it('lists each thread that has a checkpoint, once', async () => {
    const checkpointer = await open()
    for (const id of ['b', 'a', 'c', 'a', 'a']) await checkpointer.thread(id).save(hello)
    checkpointer.thread('only a handle')
    await checkpointer.thread('only looked for').load()
    expect(await threadIds(checkpointer)).toEqual(['a', 'b', 'c'])
  })

  it('keeps threads apart', async () => {
    const checkpointer = await open()
    await Promise.all(
      Array.from({ length: 20 }, (_, turns) =>
        checkpointer.thread<Conversation>(`user-${turns}`).save({ messages: [], turns }),
      ),
    )
    for (let turns = 0; turns < 20; turns++) {
      const loaded = await checkpointer.thread<Conversation>(`user-${turns}`).load()
      expect(loaded?.state.turns).toBe(turns)
    }
  })

  it('gives and takes copies: changing either side changes nothing that is stored', async () => {
    const thread = (await open()).thread<Conversation>('user-1')
    const mine = structuredClone(hello)
    const extra = { tries: [1] }
    const path = ['plan']
    const saving = thread.save(mine, { extra, path })
    mine.messages[0] = { role: 'assistant', text: 'changed while it was being saved' }
    mine.turns = 99
    extra.tries.push(2)
    path.push('act')
    await saving

    const first = (await thread.load()) ?? expect.unreachable()
    expect(first).toMatchObject({ state: hello, extra: { tries: [1] }, path: ['plan'] })
    first.state.messages.length = 0
    expect((await thread.load())?.state).toEqual(hello)
  })

  it('is one object for those who save and those who load', async () => {
    interface Saves {
      save(thread: string, state: Conversation, fields: CheckpointFields): Promise<unknown>
    }
    interface Loads {
      load(thread: string): Promise<Conversation | undefined>
    }
    const both = (checkpointer: Checkpointer): Saves & Loads => ({
      save: (thread, state, fields) => checkpointer.thread<Conversation>(thread).save(state, fields),
      load: async (thread) => (await checkpointer.thread<Conversation>(thread).load())?.state,
    })
    const store = both(await open())
    await store.save('user-1', hello, { node: 'respond' })
    expect(await store.load('user-1')).toEqual(hello)
    expect(await store.load('user-2')).toBeUndefined()
  })

  it('takes writers at the same time; each save is kept, and the last call is the head', async () => {
    const checkpointer = await open()
    await Promise.all(Array.from({ length: 40 }, (_, n) => checkpointer.thread('t').save({ n })))
    const kept = await collect(checkpointer.thread<{ n: number }>('t').history({ states: true }))
    expect(kept.map(({ state }) => state.n)).toEqual(Array.from({ length: 40 }, (_, i) => 39 - i))
    expect(await seqs(checkpointer.thread('t').history({ order: 'oldest' }))).toEqual(
      Array.from({ length: 40 }, (_, i) => i + 1),
    )
  })

  it('starts empty: another store knows nothing of this one', async () => {
    const [one, other] = [await open(), await open()]
    await one.thread('t').save(hello)
    expect(await other.thread('t').load()).toBeUndefined()
    expect(await threadIds(other)).toEqual([])
  })
})
