/** What must be refused, with its code, and with nothing written; and ids that look alike but are not. */
import 'fake-indexeddb/auto'
import {
  CheckpointerError,
  openCheckpointer,
  type Checkpointer,
  type ErrorCode,
  type ForkOptions,
  type HistoryOptions,
  type OpenOptions,
  type PruneOptions,
  type SaveOptions,
  type TaskWrite,
  type Thread,
  type Which,
} from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { seal } from '../../src/operations/rows/seal.ts'
import { CURRENT_FORMAT } from '../../src/storage/format-version.ts'
import { DATABASE_KEY, DATABASE_PARTITION } from '../../src/storage/keys.ts'
import { collect, newName, opened, stores } from '../seeds/stores.ts'

interface State {
  n: number
  list: string[]
}

/** Three checkpoints, a fork of the second, a namespace, and a pending write. */
async function filled(
  open: () => Promise<Checkpointer>,
): Promise<{ checkpointer: Checkpointer; thread: Thread<State> }> {
  const checkpointer = await open()
  const thread = checkpointer.thread<State>('t')
  for (let n = 1; n <= 3; n++)
    await thread.save({ n, list: ['a'] }, { id: `cp-${n}`, step: n, label: `step ${n}` })
  await thread.fork({ at: 2, as: 'fork' })
  await checkpointer.thread('t', { namespace: 'sub' }).save({ n: 0, list: [] })
  await thread.putWrites('cp-3', 'task', [{ channel: 'c', value: 1 }])
  return { checkpointer, thread }
}

/** All that can be seen of a checkpointer. */
async function everything(checkpointer: Checkpointer): Promise<unknown> {
  const threads = await collect(checkpointer.threads())
  const places = threads.flatMap(({ id }) =>
    ['', 'sub'].map((namespace) => checkpointer.thread(id, { namespace })),
  )
  const shown = await Promise.all(
    places.map(async (thread) => {
      const history = await collect(thread.history({ states: true }))
      const writes = await Promise.all(
        history.map(async ({ seq }) => (await thread.load(seq))?.pendingWrites),
      )
      return { history, writes, head: await thread.load() }
    }),
  )
  const { bytes, threads: threadCount, checkpoints } = await checkpointer.usage()
  return { threads, shown, bytes, threadCount, checkpoints }
}

/** What a call is refused with. A call that gives a promise must reject, not throw. */
async function refusal(call: () => Promise<unknown>): Promise<CheckpointerError> {
  let promise: Promise<unknown>
  try {
    promise = call()
  } catch (error) {
    return expect.unreachable(`it threw, where it should have rejected: ${String(error)}`)
  }
  const [outcome] = await Promise.allSettled([promise])
  if (outcome.status === 'fulfilled')
    return expect.unreachable(`it went through: ${JSON.stringify(outcome.value)}`)
  if (!CheckpointerError.is(outcome.reason))
    return expect.unreachable(`no error of ours: ${String(outcome.reason)}`)
  return outcome.reason
}

/** Refused with this code; and all is as it was before. */
async function refused(
  checkpointer: Checkpointer,
  code: ErrorCode,
  call: () => Promise<unknown>,
): Promise<CheckpointerError> {
  const before = await everything(checkpointer)
  const error = await refusal(call)
  expect(error).toMatchObject({ code, name: 'CheckpointerError' })
  expect(error.message.length).toBeLessThan(500)
  expect(await everything(checkpointer)).toEqual(before)
  return error
}

function thrown(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  return expect.unreachable('it went through')
}

/** A call that may throw, as one that rejects. */
const later = async (call: () => unknown): Promise<unknown> => call()

/** What the types forbid, for callers who have none. */
const untyped = <T>(value: unknown): T => value as T

describe.each(stores)('over $kind', ({ open }) => {
  describe('a checkpoint that does not exist', () => {
    const unknown: [string, Which][] = [
      ['seq', 4],
      ['seq 0', 0],
      ['a large seq', Number.MAX_SAFE_INTEGER],
      ['id', 'cp-4'],
      ['a seq as an id', '1'],
      ['step', { step: 4 }],
      ['label', { label: 'step 4' }],
    ]
    const refs = unknown.filter((each): each is [string, number | string] => typeof each[1] !== 'object')

    it.each(unknown)('loads as undefined, by %s', async (_, which) => {
      const { thread } = await filled(open)
      expect(await thread.load(which)).toBeUndefined()
    })

    it.each(unknown)('cannot be forked, by %s', async (_, at) => {
      const { checkpointer, thread } = await filled(open)
      const edit = vi.fn<(state: State) => void>()
      await refused(checkpointer, 'NOT_FOUND', () => thread.fork({ at }))
      await refused(checkpointer, 'NOT_FOUND', () => thread.fork({ at, as: 'new', edit }))
      expect(edit).not.toHaveBeenCalled()
    })

    it.each(refs)('is no parent, by %s', async (_, parent) => {
      const { checkpointer, thread } = await filled(open)
      await refused(checkpointer, 'NOT_FOUND', () => thread.save({ n: 4, list: [] }, { parent }))
      await refused(checkpointer, 'NOT_FOUND', () => checkpointer.thread('none').save({ n: 4 }, { parent }))
    })

    it.each(refs)('takes no writes, by %s', async (_, ref) => {
      const { checkpointer, thread } = await filled(open)
      const writes: TaskWrite[] = [{ channel: 'c', value: 1 }]
      await refused(checkpointer, 'NOT_FOUND', () => thread.putWrites(ref, 'task', writes))
      await refused(checkpointer, 'NOT_FOUND', () => thread.putWrites(ref, 'task', []))
      await refused(checkpointer, 'NOT_FOUND', () =>
        checkpointer.thread('none').putWrites(ref, 'task', writes),
      )
    })

    it('is none of another thread’s, or another namespace’s', async () => {
      const { checkpointer, thread } = await filled(open)
      const sub = checkpointer.thread<State>('t', { namespace: 'sub' })
      const fork = checkpointer.thread<State>('fork')
      for (const elsewhere of [sub, fork]) {
        await refused(checkpointer, 'NOT_FOUND', () => elsewhere.fork({ at: 'cp-3' }))
        await refused(checkpointer, 'NOT_FOUND', () => elsewhere.save({ n: 1, list: [] }, { parent: 'cp-3' }))
        await refused(checkpointer, 'NOT_FOUND', () => elsewhere.putWrites('cp-3', 'task', []))
        expect(await elsewhere.load('cp-3')).toBeUndefined()
      }
      expect(await thread.load('cp-3')).toBeDefined()
    })

    it('is one that was deleted', async () => {
      const { checkpointer, thread } = await filled(open)
      await thread.deleteCheckpoints([2])
      expect(await thread.load(2)).toBeUndefined()
      await refused(checkpointer, 'NOT_FOUND', () => thread.fork({ at: 2 }))
      await refused(checkpointer, 'NOT_FOUND', () => thread.save({ n: 4, list: [] }, { parent: 'cp-2' }))
      await refused(checkpointer, 'NOT_FOUND', () => thread.putWrites(2, 'task', []))
      expect(await checkpointer.thread('fork').load(2)).toBeDefined()
    })

    it('bounds no history by its id; a seq that is gone does', async () => {
      const { checkpointer, thread } = await filled(open)
      await refused(checkpointer, 'NOT_FOUND', () => collect(thread.history({ before: 'cp-9' })))
      await refused(checkpointer, 'NOT_FOUND', () => collect(thread.history({ after: 'cp-9' })))
      await thread.deleteCheckpoints([2])
      expect(await collect(thread.history({ before: 2 }))).toHaveLength(1)
      expect(await collect(thread.history({ after: 2 }))).toHaveLength(1)
    })
  })

  describe('a thread that does not exist', () => {
    it('has nothing to load, list or delete', async () => {
      const { checkpointer } = await filled(open)
      const none = checkpointer.thread<State>('none')
      const before = await everything(checkpointer)
      expect(await none.load()).toBeUndefined()
      expect(await collect(none.history())).toEqual([])
      expect(await none.delete()).toBe(false)
      expect((await none.deleteCheckpoints([1, 'x'])).removed).toEqual([])
      expect((await none.deleteRun('r')).removed).toEqual([])
      expect(await everything(checkpointer)).toEqual(before)
    })

    it('cannot be forked, copied or pruned', async () => {
      const { checkpointer } = await filled(open)
      const none = checkpointer.thread<State>('none')
      await refused(checkpointer, 'NOT_FOUND', () => none.fork())
      await refused(checkpointer, 'NOT_FOUND', () => none.fork({ edit: () => {} }))
      await refused(checkpointer, 'NOT_FOUND', () => none.copy('new'))
      await refused(checkpointer, 'NOT_FOUND', () => none.prune({ keepLast: 1 }))
    })
  })

  describe('someone else was first', () => {
    it.each<[string, number | string | null]>([
      ['an older seq', 2],
      ['a seq to come', 4],
      ['an older id', 'cp-2'],
      ['an unknown id', 'cp-9'],
      ['the seq as text', '3'],
      ['no head', null],
    ])('expecting %s', async (_, expected) => {
      const { checkpointer, thread } = await filled(open)
      const error = await refused(checkpointer, 'CONFLICT', () =>
        thread.save({ n: 4, list: [] }, { expect: expected }),
      )
      expect(error).toMatchObject({ thread: 't', seq: 3 })
      expect(await thread.save({ n: 4, list: ['a', 'b'] }, { expect: 3 })).toMatchObject({ seq: 4 })
      const [head] = await collect(thread.history({ states: true, limit: 1 }))
      expect(head?.state).toEqual({ n: 4, list: ['a', 'b'] })
    })

    it('expecting a head where there is nothing', async () => {
      const { checkpointer } = await filled(open)
      for (const expected of [0, 1, 'cp-1']) {
        await refused(checkpointer, 'CONFLICT', () =>
          checkpointer.thread('none').save({ n: 1 }, { expect: expected }),
        )
      }
      expect(await checkpointer.thread('none').save({ n: 1 }, { expect: null })).toMatchObject({ seq: 1 })
    })

    it('expecting what is the head of another namespace', async () => {
      const { checkpointer } = await filled(open)
      const sub = checkpointer.thread<State>('t', { namespace: 'sub' })
      await refused(checkpointer, 'CONFLICT', () => sub.save({ n: 4, list: [] }, { expect: 'cp-3' }))
    })

    it('lets one of many win, each time', async () => {
      const { checkpointer, thread } = await filled(open)
      for (let head = 3; head < 8; head++) {
        const racers = Array.from({ length: 6 }, (_, n) =>
          checkpointer.thread<State>('t').save({ n, list: [] }, { expect: head }),
        )
        const outcomes = await Promise.allSettled(racers)
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected')
            expect(CheckpointerError.is(outcome.reason, 'CONFLICT')).toBe(true)
        }
        const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
        expect(await thread.load()).toMatchObject({ seq: head + 1, state: { n: winner } })
      }
    })

    it('taking an id that is taken', async () => {
      const { checkpointer, thread } = await filled(open)
      for (const id of ['cp-1', 'cp-3']) {
        await refused(checkpointer, 'CONFLICT', () => thread.save({ n: 9, list: [] }, { id }))
      }
      const fork = checkpointer.thread<State>('fork')
      await refused(checkpointer, 'CONFLICT', () => fork.save({ n: 9, list: [] }, { id: 'cp-2' }))
      expect(await fork.save({ n: 9, list: [] }, { id: 'cp-3' })).toMatchObject({ seq: 3 })
      expect((await thread.load('cp-3'))?.state.n).toBe(3)
      expect((await fork.load('cp-3'))?.state.n).toBe(9)
    })

    it('taking an id twice at once: one is saved', async () => {
      const { thread } = await filled(open)
      const outcomes = await Promise.allSettled(
        [10, 11, 12].map((n) => thread.save({ n, list: [] }, { id: 'same' })),
      )
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
      expect((await thread.load('same'))?.state.n).toBe(10)
      expect(await collect(thread.history())).toHaveLength(4)
      await thread.save({ n: 12, list: ['x'] })
      const [head] = await collect(thread.history({ states: true, limit: 1 }))
      expect(head?.state).toEqual({ n: 12, list: ['x'] })
    })

    it('taking an id that is taken is not seen by a load beside it', async () => {
      const { thread } = await filled(open)
      const [saving, loading] = await Promise.allSettled([
        thread.save({ n: 9, list: ['other', 'state'] }, { id: 'cp-3' }),
        thread.load('cp-3'),
      ])
      expect(saving).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } })
      expect(loading).toMatchObject({
        status: 'fulfilled',
        value: { id: 'cp-3', state: { n: 3, list: ['a'] } },
      })
    })

    it('taking an id that is taken harms no save behind it', async () => {
      const { thread } = await filled(open)
      const [first, second] = await Promise.allSettled([
        thread.save({ n: 9, list: ['other', 'state'] }, { id: 'cp-3' }),
        thread.save({ n: 9, list: ['other', 'state', 'and more'] }),
      ])
      expect(first).toMatchObject({ status: 'rejected', reason: { code: 'CONFLICT' } })
      expect(second).toMatchObject({ status: 'fulfilled', value: { seq: 4 } })
      const [head, taken] = await collect(thread.history({ states: true }))
      expect(taken).toMatchObject({ id: 'cp-3', state: { n: 3, list: ['a'] } })
      expect(head?.state).toEqual({ n: 9, list: ['other', 'state', 'and more'] })
    })

    it('expecting what is not so harms no save behind it', async () => {
      const { thread } = await filled(open)
      const outcomes = await Promise.allSettled([
        thread.save({ n: 9, list: ['other', 'state'] }, { expect: 1 }),
        thread.save({ n: 9, list: ['other', 'state', 'and more'] }),
        thread.save({ n: 9, list: ['other', 'state', 'and more', 'of it'] }, { parent: 'cp-9' }),
        thread.save({ n: 9, list: ['other', 'state', 'and more', 'of it', 'all'] }),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
      const kept = await collect(thread.history({ states: true, limit: 2 }))
      expect(kept.map(({ state }) => state.list.length)).toEqual([5, 3])
      expect(kept[0]?.state).toEqual({ n: 9, list: ['other', 'state', 'and more', 'of it', 'all'] })
    })

    it('forking or copying to a thread that there is', async () => {
      const { checkpointer, thread } = await filled(open)
      await checkpointer.thread('other').save({ n: 0 })
      await checkpointer.thread('lanes', { namespace: 'sub' }).save({ n: 0 })
      for (const as of ['t', 'fork', 'other', 'lanes']) {
        await refused(checkpointer, 'CONFLICT', () => thread.fork({ as }))
        await refused(checkpointer, 'CONFLICT', () =>
          thread.fork({ as, at: 1, edit: (draft) => void draft.n++ }),
        )
        await refused(checkpointer, 'CONFLICT', () => thread.copy(as))
      }
    })

    it('forking to one name twice at once: one is made', async () => {
      const { checkpointer, thread } = await filled(open)
      const edit = (n: number) => (draft: State) => void (draft.n = n)
      const outcomes = await Promise.allSettled(
        [10, 11, 12].map((n) => thread.fork({ as: 'new', edit: edit(n) })),
      )
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const n = 10 + outcomes.findIndex(({ status }) => status === 'fulfilled')
      expect((await checkpointer.thread<State>('new').load())?.state.n).toBe(n)
    })
  })

  describe('a state that cannot be stored', () => {
    class Tool {
      readonly name = 'search'
    }
    const bad: [string, unknown][] = [
      ['a function', () => 1],
      ['an async function', async () => 1],
      ['a class', Tool],
      ['a symbol', Symbol('s')],
      ['a promise', Promise.resolve(1)],
      ['an instance', new Tool()],
      ['a WeakMap', new WeakMap()],
      ['a generator', (function* () {})()],
      ['a Proxy of an instance', new Proxy(new Tool(), {})],
    ]

    it.each(bad)('%s, with the path to it', async (_, value) => {
      const { checkpointer } = await filled(open)
      const thread = checkpointer.thread('t')
      const at = async (state: unknown): Promise<string | undefined> =>
        (await refused(checkpointer, 'INVALID', () => thread.save(state))).path
      expect(await at(value)).toBe('$')
      expect(await at({ tools: [{ run: 1 }, { run: value }] })).toBe('$.tools[1].run')
      expect(await at({ byName: new Map([['search', value]]) })).toBe('$.byName.search')
      expect(await at({ 'not a name': value })).toBe('$["not a name"]')
    })

    it.each(bad)('%s in a new thread makes none', async (_, value) => {
      const { checkpointer } = await filled(open)
      await refused(checkpointer, 'INVALID', () => checkpointer.thread('none').save({ value }))
    })

    it.each(bad)('%s in extra, in a write, in a filter or by the edit of a fork', async (_, value) => {
      const { checkpointer } = await filled(open)
      const thread = checkpointer.thread('t')
      const extra = { tools: [value] }
      const calls: [string, () => Promise<unknown>][] = [
        ['save', () => thread.save({ n: 1 }, { extra })],
        [
          'putWrites',
          () =>
            thread.putWrites(3, 'task', [
              { channel: 'c', value: 1, index: 7 },
              { channel: 'c', value: extra },
            ]),
        ],
        ['history', () => later(() => thread.history({ where: { extra } }))],
        [
          'edit in place',
          () => thread.fork({ as: 'new', edit: (draft) => void Object.assign(draft as object, extra) }),
        ],
      ]
      for (const [, call] of calls)
        expect((await refused(checkpointer, 'INVALID', call)).path).toMatch(/tools\[0\]$/)
    })

    it('goes on with good states after it', async () => {
      const { thread } = await filled(open)
      await refusal(() => thread.save(untyped<State>({ n: 4, list: [() => 1] })))
      await thread.save({ n: 5, list: ['a', 'b'] })
      const [head] = await collect(thread.history({ states: true, limit: 1 }))
      expect(head).toMatchObject({ seq: 4, state: { n: 5, list: ['a', 'b'] } })
    })
  })

  describe('an edit that fails', () => {
    it.each<[string, ForkOptions<State>['edit'] & {}]>([
      [
        'throws',
        () => {
          throw new RangeError('mine')
        },
      ],
      [
        'rejects',
        async () => {
          throw new RangeError('mine')
        },
      ],
    ])('%s: the caller gets that very error, and no fork', async (_, edit) => {
      const { checkpointer, thread } = await filled(open)
      const before = await everything(checkpointer)
      await expect(thread.fork({ as: 'new', edit })).rejects.toThrow(new RangeError('mine'))
      expect(await everything(checkpointer)).toEqual(before)
    })
  })

  describe('ids that cannot be', () => {
    const wrong: [string, unknown][] = [
      ['empty', ''],
      ['of 257 characters', 'x'.repeat(257)],
      ['of 1,025 characters', 'x'.repeat(1025)],
      ['of 100,000 characters', 'x'.repeat(100_000)],
      ['undefined', undefined],
      ['null', null],
      ['a number', 1],
      ['a boolean', true],
      ['an object', { toString: () => 't' }],
      ['an array', ['t']],
      ['a symbol', Symbol('t')],
      ['a String', new String('t')],
    ]

    it.each(wrong)('of a thread: %s', async (_, id) => {
      const { checkpointer, thread } = await filled(open)
      const before = await everything(checkpointer)
      const error = thrown(() => checkpointer.thread(untyped<string>(id)))
      expect(error).toMatchObject({ code: 'INVALID' })
      expect((error as Error).message.length).toBeLessThan(500)
      expect(await everything(checkpointer)).toEqual(before)
      await refused(checkpointer, 'INVALID', () => thread.copy(untyped<string>(id)))
      if (id !== undefined)
        await refused(checkpointer, 'INVALID', () => thread.fork({ as: untyped<string>(id) }))
    })

    const mayBeNamespace = ['empty', 'undefined', 'of 257 characters']
    it.each(wrong.filter(([name]) => !mayBeNamespace.includes(name)))('of a namespace: %s', async (_, id) => {
      const { checkpointer } = await filled(open)
      const error = thrown(() => checkpointer.thread('t', { namespace: untyped<string>(id) }))
      expect(error).toMatchObject({ code: 'INVALID' })
    })

    it.each(wrong)('of a task or a run: %s', async (_, id) => {
      const { checkpointer, thread } = await filled(open)
      await refused(checkpointer, 'INVALID', () =>
        thread.putWrites(3, untyped<string>(id), [{ channel: 'c', value: 1 }]),
      )
      await refused(checkpointer, 'INVALID', () => thread.deleteRun(untyped<string>(id)))
    })

    const seqIsFine = ([, id]: [string, unknown]): boolean => id !== undefined && id !== 1
    it.each(wrong.filter(seqIsFine))('of a checkpoint: %s', async (_, id) => {
      const { checkpointer, thread } = await filled(open)
      const ref = untyped<string>(id)
      const state: State = { n: 4, list: [] }
      await refused(checkpointer, 'INVALID', () => thread.save(state, { id: ref }))
      if (id !== null) {
        await refused(checkpointer, 'INVALID', () => thread.save(state, { parent: ref }))
        await refused(checkpointer, 'INVALID', () => thread.save(state, { expect: ref }))
      }
      await refused(checkpointer, 'INVALID', () => thread.load(ref))
      await refused(checkpointer, 'INVALID', () => thread.fork({ at: ref }))
      await refused(checkpointer, 'INVALID', () => thread.putWrites(ref, 'task', []))
      await refused(checkpointer, 'INVALID', () => thread.deleteCheckpoints(['cp-1', ref]))
      await refused(checkpointer, 'INVALID', () => later(() => thread.history({ before: ref })))
      await refused(checkpointer, 'INVALID', () => later(() => thread.history({ after: ref })))
    })

    it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('a seq: %d', async (seq) => {
      const { checkpointer, thread } = await filled(open)
      await refused(checkpointer, 'INVALID', () => thread.load(seq))
      await refused(checkpointer, 'INVALID', () => thread.fork({ at: seq }))
      await refused(checkpointer, 'INVALID', () => thread.save({ n: 4, list: [] }, { parent: seq }))
      await refused(checkpointer, 'INVALID', () => thread.save({ n: 4, list: [] }, { expect: seq }))
      await refused(checkpointer, 'INVALID', () => thread.putWrites(seq, 'task', []))
      await refused(checkpointer, 'INVALID', () => thread.deleteCheckpoints([1, seq]))
    })

    it.each([{}, { step: '1' }, { step: Number.NaN }, { label: 1 }, { seq: '1' }, { id: 1 }])(
      'a way to point: %j',
      async (which) => {
        const { checkpointer, thread } = await filled(open)
        await refused(checkpointer, 'INVALID', () => thread.load(untyped<Which>(which)))
        await refused(checkpointer, 'INVALID', () => thread.fork({ at: untyped<Which>(which) }))
      },
    )
  })

  describe('ids that look alike', () => {
    const ids = [
      'a',
      'A',
      'a:b',
      'a/b',
      'a b',
      'a ',
      ' a',
      'a\u0000',
      'a\u0000b',
      'a!0000',
      'a!',
      '!0000',
      'a!00210000',
      '\u0000',
      '\u0001',
      'a\n',
      'a\r\n',
      'a\t',
      '"',
      '["a"]',
      "'",
      '\\',
      'a\\u0000',
      '%00',
      '~',
      '~~',
      '\x7f',
      '\u00e9',
      'e\u0301',
      '\ud800',
      '\udc00',
      'a\ud800',
      '\ud83d\ude00',
      '\ud83d',
      '\ude00\ud83d',
      '\ufffd',
      '\uffff',
      '\u2028',
      '\u200b',
      '\u202e',
      '1',
      '01',
      '1.0',
      '0',
      '-1',
      'NaN',
      'null',
      'undefined',
      'true',
      '[object Object]',
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      '.',
      '..',
      '../a',
      'family',
      'database',
      'x'.repeat(256),
      '\uffff'.repeat(256),
    ]

    it('of threads: each has its own data, and keeps it when another goes', async () => {
      const checkpointer = await open()
      for (const id of ids) await checkpointer.thread<string>(id).save(`state of ${JSON.stringify(id)}`)
      const intact = async (left: readonly string[]): Promise<void> => {
        for (const id of left) {
          const history = await collect(checkpointer.thread<string>(id).history({ states: true }))
          expect(history.map(({ thread, state, seq }) => ({ thread, state, seq }))).toEqual([
            { thread: id, state: `state of ${JSON.stringify(id)}`, seq: 1 },
          ])
        }
        expect((await collect(checkpointer.threads())).map(({ id }) => id).toSorted()).toEqual(
          left.toSorted(),
        )
      }
      await intact(ids)
      for (const id of ids.filter((_, i) => i % 2)) expect(await checkpointer.thread(id).delete()).toBe(true)
      await intact(ids.filter((_, i) => i % 2 === 0))
      expect((await checkpointer.verify()).problems).toEqual([])
    })

    it('of namespaces: each has its own data, also beside threads of the same name', async () => {
      const checkpointer = await open()
      const few = [
        '',
        'a',
        'b',
        'a:b',
        ':',
        'a/b',
        'a\u0000b',
        'a!0000b',
        '__proto__',
        'constructor',
        '\ud800',
        '\ud83d\ude00',
        '1',
      ]
      const places = few
        .flatMap((id) => few.map((namespace) => ({ id, namespace })))
        .filter(({ id }) => id !== '')
      const at = ({ id, namespace }: { id: string; namespace: string }) =>
        checkpointer.thread<object>(id, { namespace })
      for (const place of places) await at(place).save(place)
      const intact = async (gone: string): Promise<void> => {
        for (const place of places) {
          const states = (await collect(at(place).history({ states: true }))).map(({ state }) => state)
          expect(states).toEqual(place.id === gone ? [] : [place])
        }
      }
      await intact('nobody')
      await checkpointer.thread('a').delete()
      await intact('a')
    })

    it('of forks and copies', async () => {
      const checkpointer = await open()
      const main = checkpointer.thread<string>('main')
      await main.save('main')
      for (const as of ids) await (await main.fork({ as })).save(`fork ${JSON.stringify(as)}`)
      for (const as of ids) {
        expect((await checkpointer.thread<string>(as).load())?.state).toBe(`fork ${JSON.stringify(as)}`)
      }
      const summaries = await collect(checkpointer.threads())
      expect(summaries).toHaveLength(ids.length + 1)
      expect(summaries.filter(({ label }) => label === 'fork-of:main')).toHaveLength(ids.length)
    })

    it('of checkpoints: an id of digits is no seq', async () => {
      const thread = (await open()).thread<string>('t')
      for (const id of ids) await thread.save(id, { id })
      for (const [i, id] of ids.entries()) {
        expect(await thread.load(id)).toMatchObject({ id, seq: i + 1, state: id })
        expect(await thread.load(i + 1)).toMatchObject({ id, seq: i + 1, state: id })
      }
      await thread.deleteCheckpoints(['1'])
      expect(await thread.load('1')).toBeUndefined()
      expect(await thread.load(1)).toMatchObject({ id: 'a' })
      expect(await collect(thread.history())).toHaveLength(ids.length - 1)
    })

    it('of tasks, runs and labels', async () => {
      const thread = (await open()).thread<string>('t')
      await thread.save('first')
      for (const id of ids) await thread.putWrites(1, id, [{ channel: id, value: id }])
      const writes = (await thread.load(1))?.pendingWrites ?? []
      expect(writes).toHaveLength(ids.length)
      for (const { taskId, channel, value } of writes) expect([channel, value]).toEqual([taskId, taskId])

      for (const id of ids) await thread.save(id, { runId: id, label: id })
      for (const id of ids) expect((await thread.load({ label: id }))?.state).toBe(id)
      for (const id of ids) expect(await collect(thread.history({ where: { runId: id } }))).toHaveLength(1)
      expect((await thread.deleteRun('__proto__')).removed).toHaveLength(1)
      expect(await collect(thread.history())).toHaveLength(ids.length)
    })

    it('of names in extra', async () => {
      const thread = (await open()).thread<string>('t')
      const extra = Object.fromEntries(ids.map((id) => [id, id]))
      await thread.save('s', { extra })
      expect(Object.entries((await thread.load())?.extra ?? {})).toEqual(Object.entries(extra))
      expect(await collect(thread.history({ where: { extra } }))).toHaveLength(1)
      for (const id of ids) {
        expect(
          await collect(thread.history({ where: { extra: Object.fromEntries([[id, id]]) } })),
        ).toHaveLength(1)
        expect(
          await collect(thread.history({ where: { extra: Object.fromEntries([[id, 'no']]) } })),
        ).toHaveLength(0)
      }
      expect(Object.keys(Object.prototype)).toEqual([])
    })
  })

  describe('fields that cannot be', () => {
    const long = 'x'.repeat(1025)
    it.each<[string, string, unknown]>([
      ...['node', 'runId', 'workflow', 'label', 'source'].flatMap((name): [string, string, unknown][] =>
        [5, null, {}, ['a'], long].map((value) => [name, typeof value, value]),
      ),
      ...['next', 'path'].flatMap((name): [string, string, unknown][] =>
        [
          'act',
          5,
          null,
          {},
          [1],
          ['a', undefined],
          new Set(['a']),
          [['a']],
          Array.from({ length: 10_001 }, () => ''),
        ].map((value) => [name, typeof value, value]),
      ),
      ...[Number.NaN, Number.POSITIVE_INFINITY, '1', null, 1n].map((value): [string, string, unknown] => [
        'step',
        typeof value,
        value,
      ]),
      ...['text', 1, null, ['a'], new Map([['a', 1]]), new Date(0)].map(
        (value): [string, string, unknown] => ['extra', typeof value, value],
      ),
    ])('%s: %s', async (name, _, value) => {
      const { checkpointer, thread } = await filled(open)
      const options = untyped<SaveOptions>({ [name]: value })
      const error = await refused(checkpointer, 'INVALID', () => thread.save({ n: 4, list: [] }, options))
      expect(error.path).toBe(name)
      await refused(checkpointer, 'INVALID', () => checkpointer.thread('none').save({ n: 4 }, options))
      if (name === 'label' && value !== undefined) {
        await refused(checkpointer, 'INVALID', () => thread.fork({ label: untyped<string>(value) }))
      }
    })

    it.each<[string, unknown]>([
      ['a channel that is no string', [{ channel: 1, value: 1 }]],
      ['an index that is no whole number', [{ channel: 'c', value: 1, index: 0.5 }]],
      ['an index that is none', [{ channel: 'c', value: 1, index: Number.NaN }]],
      ['an index that is too large', [{ channel: 'c', value: 1, index: 2 ** 20 }]],
      [
        'a good write before a bad one',
        [
          { channel: 'c', value: 1 },
          { channel: null, value: 1 },
        ],
      ],
    ])('a write: %s', async (_, writes) => {
      const { checkpointer, thread } = await filled(open)
      await refused(checkpointer, 'INVALID', () => thread.putWrites(3, 'other', untyped<TaskWrite[]>(writes)))
    })

    it.each([
      { limit: -1 },
      { limit: 1.5 },
      { limit: Number.NaN },
      { limit: '5' },
      { order: 'up' },
      { before: -1 },
      { after: 0.5 },
      { where: { nod: 'plan' } },
    ])('of a history, at once: %j', async (options) => {
      const { checkpointer, thread } = await filled(open)
      await refused(checkpointer, 'INVALID', () =>
        later(() => thread.history(untyped<HistoryOptions>(options))),
      )
    })

    it.each([-1, 1.5, Number.NaN])('the limit of a list of threads: %d', async (limit) => {
      const { checkpointer } = await filled(open)
      await refused(checkpointer, 'INVALID', () => collect(checkpointer.threads({ limit })))
    })
  })

  describe('arguments of another kind', () => {
    it.each<[string, (thread: Thread<State>) => Promise<unknown>]>([
      [
        'deleteCheckpoints of one id, not a list',
        (thread) => thread.deleteCheckpoints(untyped<string[]>('cp-1')),
      ],
      ['deleteCheckpoints of nothing', (thread) => thread.deleteCheckpoints(untyped<string[]>(undefined))],
      [
        'putWrites of one write, not a list',
        (thread) => thread.putWrites(3, 'x', untyped<TaskWrite[]>({ channel: 'c', value: 1 })),
      ],
      ['putWrites of null', (thread) => thread.putWrites(3, 'x', untyped<TaskWrite[]>([null]))],
      ['prune of nothing', (thread) => thread.prune(untyped<PruneOptions>(undefined))],
      [
        'fork with an edit that is no function',
        (thread) => thread.fork(untyped<ForkOptions<State>>({ edit: 5 })),
      ],
      ['load of null', (thread) => thread.load(untyped<Which>(null))],
      ['save with null for options', (thread) => thread.save({ n: 1, list: [] }, untyped<SaveOptions>(null))],
    ])('%s', async (_, call) => {
      const { checkpointer, thread } = await filled(open)
      await refused(checkpointer, 'INVALID', () => call(thread))
    })
  })

  type Call = (checkpointer: Checkpointer, thread: Thread<State>) => Promise<unknown>
  const any = untyped<never>
  const good: State = { n: 4, list: [] }

  describe('options that there are none of', () => {
    it.each<[string, string, string, Call]>([
      ['save', 'Label', 'label', (_, thread) => thread.save(good, any({ Label: 'x' }))],
      ['save', 'expects', 'expect', (_, thread) => thread.save(good, any({ expects: 3 }))],
      ['fork', 'art', 'at', (_, thread) => thread.fork(any({ art: 1 }))],
      ['prune', 'dryrun', 'dryRun', (_, thread) => thread.prune(any({ keepLast: 1, dryrun: true }))],
      ['prune', 'keep_last', 'keepLast', (_, thread) => thread.prune(any({ keep_last: 1 }))],
      ['history', 'limits', 'limit', (_, thread) => later(() => thread.history(any({ limits: 1 })))],
      ['where', 'lable', 'label', (_, t) => later(() => t.history({ where: any({ lable: 'step 1' }) }))],
      [
        'threads',
        'Order',
        'order',
        (checkpointer) => collect(checkpointer.threads(any({ Order: 'oldest' }))),
      ],
      ['thread', 'nameSpace', 'namespace', (c) => later(() => c.thread('t', any({ nameSpace: 'sub' })))],
      ['usage', 'onprogress', 'onProgress', (c) => c.usage(any({ onprogress: () => {} }))],
      ['verify', 'onprogress', 'onProgress', (c) => c.verify(any({ onprogress: () => {} }))],
      [
        'a write',
        'chanel',
        'channel',
        (_, thread) => thread.putWrites(3, 'x', [any({ chanel: 'c', value: 1 })]),
      ],
    ])('%s: %s, where %s was meant', async (of, name, meant, call) => {
      const { checkpointer, thread } = await filled(open)
      const error = await refused(checkpointer, 'INVALID', () => call(checkpointer, thread))
      expect(error.message).toBe(`${of} has no option '${name}'; did you mean '${meant}'?`)
      expect(error.path?.endsWith(name)).toBe(true)
    })

    it('tells those that there are when none is near', async () => {
      const { checkpointer, thread } = await filled(open)
      const calls: object[] = [{ keep: 1 }, { ['x'.repeat(100_000)]: 1 }, { constructor: 1 }, { ['']: 1 }]
      for (const rules of calls) {
        const error = await refused(checkpointer, 'INVALID', () => thread.prune(any(rules)))
        expect(error.message).toMatch(
          /^prune has no option '.{0,41}'\. There are: keepLast, .*, onProgress\.$/,
        )
      }
      await refused(checkpointer, 'INVALID', () => thread.save(good, any(['label'])))
    })

    it('are only looked for among its own enumerable names', async () => {
      const { thread } = await filled(open)
      const inherited = Object.create({ what: 1, label: 'inherited' }) as SaveOptions
      Object.defineProperty(inherited, 'hidden', { value: 1 })
      expect(await thread.save(good, inherited)).toMatchObject({ label: 'inherited' })
      expect(await thread.save(good, any({ [Symbol('mine')]: 1 }))).toMatchObject({ seq: 5 })
    })
  })

  describe('options that are undefined', () => {
    it('are as good as absent', async () => {
      const { checkpointer, thread } = await filled(open)
      const no = undefined
      const fields = { node: no, next: no, step: no, runId: no, workflow: no, label: no, extra: no }
      await thread.save(good, { ...fields, source: no, path: no, id: no, parent: no })
      expect(await thread.load()).toMatchObject({ seq: 4, state: good })
      const where = { runId: no, node: no, source: no, label: 'step 1', step: no, workflow: no, extra: no }
      const bounds = { limit: no, before: no, after: no, order: no, states: no, signal: no }
      expect(await collect(thread.history({ ...bounds, where }))).toHaveLength(1)
      expect(await collect(thread.history({ ...bounds, where: no }))).toHaveLength(4)
      const list = { limit: no, order: no, before: no, where: no, signal: no }
      expect(await collect(checkpointer.threads(list))).toHaveLength(2)
      await thread.fork({ at: no, edit: no, as: no, label: no })
      await thread.prune({ keepLast: 2, olderThan: no, keepEvery: no, keepLabelled: no, maxBytes: no })
      expect(await collect(checkpointer.thread('t', { namespace: no }).history())).toHaveLength(2)
      await thread.putWrites(4, 'x', [{ channel: 'c', value: 1, index: no }])
      await checkpointer.verify({ signal: no, onProgress: no })
    })

    it('are refused as what is to be expected', async () => {
      const { checkpointer, thread } = await filled(open)
      // @ts-expect-error: nor do the types allow it.
      const options: SaveOptions = { expect: undefined }
      const error = await refused(checkpointer, 'INVALID', () => thread.save(good, options))
      expect(error).toMatchObject({ path: 'expect' })
      expect(error.message).toContain('head?.seq ?? null')
    })
  })

  describe('one checkpoint, pointed at', () => {
    it.each<Which>([2, 'cp-2', { seq: 2 }, { id: 'cp-2' }, { step: 2 }, { label: 'step 2' }])(
      'by %j',
      async (which) => {
        const { thread } = await filled(open)
        expect(await thread.load(which)).toMatchObject({ seq: 2, state: { n: 2 } })
        const fork = await thread.fork({ at: which, edit: (draft) => void draft.list.push('b') })
        expect((await fork.load())?.state).toEqual({ n: 2, list: ['a', 'b'] })
      },
    )

    it('by the whole of it is refused, since its step may be another’s too', async () => {
      const { checkpointer, thread } = await filled(open)
      const saved = untyped<Which>(await thread.save(good, { step: 1 }))
      for (const [path, call] of [
        ['which', () => thread.load(saved)],
        ['at', () => thread.fork({ at: saved })],
      ] as const) {
        const error = await refused(checkpointer, 'INVALID', call)
        expect(error).toMatchObject({ path })
        expect(error.message).toContain('`.seq`')
      }
      for (const which of [{ step: 1, label: 'step 1' }, { seq: 1, step: 1 }, [1], { seq: -1 }, { id: '' }])
        await refused(checkpointer, 'INVALID', () => thread.load(any(which)))
    })
  })

  describe('what used to fail somewhere inside, or not at all', () => {
    const trap = (name: string): object =>
      Object.defineProperty({}, name, {
        enumerable: true,
        get() {
          throw new RangeError('mine')
        },
      })
    const broken: ProxyHandler<string[]> = {
      get() {
        throw new RangeError('mine')
      },
    }

    it.each<[string, string, Call]>([
      ['threads with a filter for where', 'where', (c) => collect(c.threads(any({ where: { id: 't' } })))],
      ['threads of null', 'options', (c) => collect(c.threads(any(null)))],
      ['threads before a number', 'before', (c) => collect(c.threads(any({ before: 5 })))],
      ['threads with a signal that is none', 'signal', (c) => collect(c.threads(any({ signal: {} })))],
      ['usage with a signal that is none', 'signal', (c) => c.usage(any({ signal: null }))],
      ['usage with a listener that is none', 'onProgress', (c) => c.usage(any({ onProgress: 1 }))],
      ['verify of null', 'options', (c) => c.verify(any(null))],
      ['verify with a signal that is none', 'signal', (c) => c.verify(any({ signal: null }))],
      ['verify with a listener that is none', 'onProgress', (c) => c.verify(any({ onProgress: 1 }))],
      ['thread with null', 'options', (c) => later(() => c.thread('x', any(null)))],
      ['subscribe of a number', 'listener', (c) => later(() => c.subscribe(any(5)))],
      ['holding back nothing', 'work.hurry', (c) => later(() => c.holdsBack(any({})))],
      ['holding back of null', 'work.hurry', (c) => later(() => c.holdsBack(any(null)))],
      ['holding back without flush', 'work.flush', (c) => later(() => c.holdsBack(any({ hurry() {} })))],
      ['run without its options', 'options', (_, t) => t.run(any(later), any(undefined))],
      ['prune older than a bigint', 'olderThan', (_, t) => t.prune({ olderThan: any(5n) })],
      ['prune with a word for dryRun', 'dryRun', (_, t) => t.prune({ keepLast: 1, dryRun: any('no') })],
      ['prune with null for dryRun', 'dryRun', (_, t) => t.prune({ keepLast: 1, dryRun: any(null) })],
      ['prune with a bigint of bytes', 'maxBytes', (_, t) => t.prune({ maxBytes: any(5n) })],
      [
        'history where a function',
        'where.node',
        (_, t) => later(() => t.history({ where: { node: any(() => 1) } })),
      ],
      ['history where null', 'where', (_, t) => later(() => t.history({ where: any(null) }))],
      [
        'history where a step is text',
        'where.step',
        (_, t) => later(() => t.history({ where: { step: any('1') } })),
      ],
      [
        'history with a function for states',
        'states',
        (_, t) => later(() => t.history(any({ states: () => 1 }))),
      ],
      ['save with a hole in next', 'next', (_, t) => t.save(good, { next: any(Array(1).concat('a')) })],
      ['save with a hole in path', 'path', (_, t) => t.save(good, { path: any(Array(1)) })],
      ['save with an empty run id', 'runId', (_, t) => t.save(good, { runId: '' })],
      ['save with a long run id', 'runId', (_, t) => t.save(good, { runId: 'x'.repeat(257) })],
      ['putWrites with a hole', 'writes[0]', (_, t) => t.putWrites(3, 'x', any(Array(1)))],
      ['deleteCheckpoints with a hole', 'refs[0]', (_, t) => t.deleteCheckpoints(any(Array(1)))],
      ['fork whose edit gives null', 'edit', (_, t) => t.fork({ as: 'new', edit: any(() => null) })],
      ['save with null for options', 'options', (_, t) => t.save(good, any(null))],
      ['save expecting a whole checkpoint', 'expect', (_, t) => t.save(good, { expect: any({ seq: 3 }) })],
      ['save after a whole checkpoint', 'parent', (_, t) => t.save(good, { parent: any({ seq: 3 }) })],
      ['fork to a number', 'as', (_, t) => t.fork({ as: any(1) })],
      ['putWrites of a task without a name', 'taskId', (_, t) => t.putWrites(3, '', [])],
      ['deleteRun without a name', 'runId', (_, t) => t.deleteRun('')],
    ])('%s (%s)', async (_, path, call) => {
      const { checkpointer, thread } = await filled(open)
      const error = await refused(checkpointer, 'INVALID', () => call(checkpointer, thread))
      expect(error.path).toBe(path)
    })

    it.each<[string, string, Call]>([
      ['options of save', 'label', (_, t) => t.save(good, trap('label'))],
      ['expect', 'expect', (_, t) => t.save(good, trap('expect'))],
      ['extra', 'extra.tools', (_, t) => t.save(good, { extra: any(trap('tools')) })],
      ['a filter', 'where.node', (_, t) => later(() => t.history({ where: trap('node') }))],
      ['rules of prune', 'keepLast', (_, t) => t.prune(trap('keepLast'))],
      ['a way to point', 'which', (_, t) => t.load(any(trap('seq')))],
      ['a list', 'next', (_, t) => t.save(good, { next: any(new Proxy(['a'], broken)) })],
    ])('a getter that throws, in %s', async (_, path, call) => {
      const { checkpointer, thread } = await filled(open)
      const error = await refused(checkpointer, 'INVALID', () => call(checkpointer, thread))
      expect(error).toMatchObject({ path, cause: { message: 'mine' } })
    })

    it('an edit may give null for a draft that is null', async () => {
      const { checkpointer } = await filled(open)
      const none = checkpointer.thread<null>('null')
      await none.save(null)
      expect((await (await none.fork({ edit: () => null })).load())?.state).toBeNull()
    })

    it('a state that is larger than a text can be', async () => {
      const { checkpointer } = await filled(open)
      const before = await everything(checkpointer)
      const part = 'x'.repeat(2 ** 25)
      const large = Array.from({ length: 17 }, () => part)
      const error = await refusal(() => checkpointer.thread('t').save(large))
      expect(error).toMatchObject({ code: 'TOO_LARGE' })
      expect(await everything(checkpointer)).toEqual(before)
    })
  })

  describe('rules of prune that say nothing, or nonsense', () => {
    it.each<[string, unknown]>([
      ['{}', {}],
      ['keepLast -1', { keepLast: -1 }],
      ['keepLast 1.5', { keepLast: 1.5 }],
      ['keepLast NaN', { keepLast: Number.NaN }],
      ['keepLast Infinity', { keepLast: Number.POSITIVE_INFINITY }],
      ['keepLast as text', { keepLast: '1' }],
      ['keepLast null', { keepLast: null }],
      ['keepEvery 0', { keepEvery: 0 }],
      ['keepEvery -1', { keepEvery: -1 }],
      ['keepEvery NaN', { keepEvery: Number.NaN }],
      ['maxBytes -1', { maxBytes: -1 }],
      ['maxBytes NaN', { maxBytes: Number.NaN }],
      ['olderThan -1', { olderThan: -1 }],
      ['olderThan NaN', { olderThan: Number.NaN }],
      ['olderThan no date', { olderThan: new Date(Number.NaN) }],
      ['olderThan as text', { olderThan: '2020-01-01' }],
      ['ancestors', { keepLast: 1, ancestors: 'some' }],
      ['branches', { keepLast: 1, branches: 'some' }],
      ['only what is kept', { keepLabelled: true }],
      ['only ancestors', { ancestors: 'keep' }],
      ['only branches to keep', { branches: 'keep' }],
      ['only a dry run', { dryRun: true }],
      ['a good rule and a bad one', { keepLast: 1, keepEvery: 0 }],
    ])('%s', async (_, rules) => {
      const { checkpointer, thread } = await filled(open)
      await refused(checkpointer, 'INVALID', () => thread.prune(untyped<PruneOptions>(rules)))
      await refused(checkpointer, 'INVALID', () =>
        checkpointer.thread('none').prune(untyped<PruneOptions>(rules)),
      )
    })
  })

  describe('after the end', () => {
    const calls: [string, (checkpointer: Checkpointer, thread: Thread<State>) => Promise<unknown>][] = [
      ['save', (_, thread) => thread.save({ n: 1, list: [] })],
      ['load', (_, thread) => thread.load()],
      ['load of a seq', (_, thread) => thread.load(1)],
      ['history', (_, thread) => collect(thread.history())],
      ['fork', (_, thread) => thread.fork()],
      ['fork with an edit', (_, thread) => thread.fork({ edit: () => {} })],
      ['copy', (_, thread) => thread.copy('new')],
      ['prune', (_, thread) => thread.prune({ keepLast: 1 })],
      ['deleteCheckpoints', (_, thread) => thread.deleteCheckpoints([1])],
      ['deleteRun', (_, thread) => thread.deleteRun('r')],
      ['delete', (_, thread) => thread.delete()],
      ['putWrites', (_, thread) => thread.putWrites(1, 'task', [{ channel: 'c', value: 1 }])],
      ['a new handle', (checkpointer) => checkpointer.thread('t').load()],
      ['threads', (checkpointer) => collect(checkpointer.threads())],
      ['usage', (checkpointer) => checkpointer.usage()],
      ['persist', (checkpointer) => checkpointer.persist()],
      ['flush', (checkpointer) => checkpointer.flush()],
      ['verify', (checkpointer) => checkpointer.verify()],
      ['destroy', (checkpointer) => checkpointer.destroy()],
    ]

    it.each(calls)('of close, %s is CLOSED', async (_, call) => {
      const { checkpointer, thread } = await filled(open)
      await checkpointer.close()
      expect(await refusal(() => call(checkpointer, thread))).toMatchObject({ code: 'CLOSED' })
    })

    it.each(calls)('of destroy, %s is CLOSED', async (_, call) => {
      const { checkpointer, thread } = await filled(open)
      await checkpointer.destroy()
      expect(await refusal(() => call(checkpointer, thread))).toMatchObject({ code: 'CLOSED' })
    })

    it.each(calls)('while it is closing, %s is CLOSED', async (_, call) => {
      const { checkpointer, thread } = await filled(open)
      const closing = checkpointer.close()
      expect(await refusal(() => call(checkpointer, thread))).toMatchObject({ code: 'CLOSED' })
      await closing
    })

    it('nobody can subscribe', async () => {
      const checkpointer = await open()
      await checkpointer.close()
      expect(thrown(() => checkpointer.subscribe(() => {}))).toMatchObject({ code: 'CLOSED' })
    })

    it('a history that was under way is CLOSED, not cut short', async () => {
      const { checkpointer } = await filled(open)
      const thread = checkpointer.thread<number>('long')
      for (let n = 0; n < 120; n++) await thread.save(n)
      const reading = thread.history()[Symbol.asyncIterator]()
      await reading.next()
      await checkpointer.close()
      const rest = async (): Promise<void> => {
        while (!(await reading.next()).done);
      }
      expect(await refusal(rest)).toMatchObject({ code: 'CLOSED' })
    })

    it('close may be called again, also after destroy', async () => {
      const one = await open()
      await Promise.all([one.close(), one.close()])
      await one.close()
      const other = await open()
      await other.destroy()
      await other.close()
    })

    it('what was called before close is finished by it', async () => {
      const checkpointer = await open()
      const thread = checkpointer.thread<number>('t')
      const saves = Array.from({ length: 10 }, (_, n) => thread.save(n))
      await checkpointer.close()
      expect((await Promise.all(saves)).map(({ seq }) => seq)).toEqual(
        Array.from({ length: 10 }, (_, i) => i + 1),
      )
    })
  })
})

describe('opening', () => {
  it.each<[string, unknown]>([
    ['empty', ''],
    ['too long', 'x'.repeat(257)],
    ['a number', 5],
    ['missing', undefined],
  ])('with a name that is %s', async (_, name) => {
    const options = untyped<OpenOptions>({ name, worker: false })
    expect(await refusal(() => openCheckpointer(options))).toMatchObject({ code: 'INVALID' })
  })

  it.each<[string, string, unknown, string]>([
    ['nothing', 'options', undefined, "{ name: 'my-app' }"],
    ['a name alone', 'options', 'x', "openCheckpointer({ name: 'x' })"],
    ['an unknown option', 'storages', { name: 'x', storages: 1 }, "did you mean 'storage'?"],
    ['a storage not made yet', 'storage', { name: 'x', storage: memoryStorage }, 'call it: memoryStorage()'],
    ['a word for a storage', 'storage', { name: 'x', storage: 'memory' }, 'memoryStorage()'],
    ['null for a storage', 'storage', { name: 'x', storage: null }, 'memoryStorage()'],
    ['a host that is none', 'host', { name: 'x', host: {} }, 'host'],
    ['no list of types', 'types', { name: 'x', types: {} }, 'types'],
    ['null for a type', 'types[0]', { name: 'x', types: [null] }, 'a name'],
    ['a warning to nobody', 'onWarning', { name: 'x', onWarning: 1 }, 'a function'],
    ['a worker that is none', 'worker', { name: 'x', worker: 1 }, "'auto'"],
    ['no name', 'name', {}, 'a string'],
  ])('with %s', async (_, path, options, hint) => {
    const error = await refusal(() => openCheckpointer(untyped<OpenOptions>(options)))
    expect(error).toMatchObject({ code: 'INVALID', path })
    expect(error.message).toContain(hint)
  })

  it.each(['strict', '', 'Async'])('with durability %j', async (durability) => {
    for (const more of [{ worker: false }, { storage: memoryStorage() }, {}]) {
      const options = untyped<OpenOptions>({ name: newName(), durability, ...more })
      const error = await refusal(() => openCheckpointer(options))
      expect(error).toMatchObject({ code: 'INVALID', path: 'durability' })
      expect(error.message).toContain("'sync', 'async' or 'exit'")
    }
    expect(
      (await indexedDB.databases()).filter(({ name }) => name?.includes(durability) && durability !== ''),
    ).toEqual([])
  })

  it('where there is no IndexedDB', async () => {
    vi.stubGlobal('indexedDB', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const error = await refusal(() => openCheckpointer({ name: newName() }))
    expect(error).toMatchObject({ code: 'UNSUPPORTED' })
    expect(error.message).toContain("`storage: memoryStorage()` from 'forkpoint/storage/memory'")
  })

  it('a database of a newer version', async () => {
    const name = newName()
    const newer = await openRaw(name, 999)
    newer.close()
    for (let again = 0; again < 2; again++) {
      const error = await refusal(() => openCheckpointer({ name, worker: false }))
      expect(error).toMatchObject({ code: 'FORMAT_TOO_NEW' })
    }
    const untouched = await openRaw(name, 999)
    expect(untouched.version).toBe(999)
    expect([...untouched.objectStoreNames]).toEqual([])
    untouched.close()
  })

  const rows: [string, ErrorCode, string][] = [
    [
      'of a newer format',
      'FORMAT_TOO_NEW',
      seal(DATABASE_PARTITION, 'meta', DATABASE_KEY, { format: CURRENT_FORMAT + 1 }),
    ],
    ['written in a newer form', 'FORMAT_TOO_NEW', `${CURRENT_FORMAT + 1}.00000000.whatever that holds`],
  ]

  it.each(rows)('over memory, a database %s', async (_, code, head) => {
    const storage = memoryStorage()
    await storage.commit(DATABASE_PARTITION, { puts: [{ table: 'meta', key: DATABASE_KEY, head }] })
    expect(await refusal(() => openCheckpointer({ name: newName(), storage }))).toMatchObject({ code })
    const [found] = await storage.read(DATABASE_PARTITION, [{ table: 'meta', keys: [DATABASE_KEY] }])
    expect(found).toMatchObject([{ head }])
  })

  it.each(rows)('over IndexedDB, a database %s', async (_, code, head) => {
    const name = newName()
    const made = await openCheckpointer({ name, worker: false })
    await made.thread('t').save({ n: 1 })
    await made.close()
    const good = await swapHead(name, head)
    expect(await refusal(() => openCheckpointer({ name, worker: false }))).toMatchObject({ code })
    expect(await swapHead(name, good)).toBe(head)
    const again = await opened({ name, worker: false })
    expect((await again.thread('t').load())?.state).toEqual({ n: 1 })
  })

  it('refused, it lets go of the database', async () => {
    const name = newName()
    await (await openCheckpointer({ name, worker: false })).close()
    await swapHead(name, rows[0]?.[2] ?? '')
    const closed = vi.spyOn(IDBDatabase.prototype, 'close')
    onTestFinished(() => closed.mockRestore())
    await refusal(() => openCheckpointer({ name, worker: false }))
    expect(closed).toHaveBeenCalled()
  })
})

describe('one database, two checkpointers', () => {
  it('destroyed by one, it is CLOSED for the other once, and then a new one', async () => {
    const name = newName()
    const [one, other] = [await opened({ name, worker: false }), await opened({ name, worker: false })]
    await one.thread('t').save({ n: 1 })
    expect((await other.thread('t').load())?.state).toEqual({ n: 1 })
    await one.destroy()
    expect(await refusal(() => other.thread('t').load())).toMatchObject({ code: 'CLOSED' })
    expect(await other.thread('t').load()).toBeUndefined()
    expect(await collect(other.threads())).toEqual([])
    expect((await other.thread('t').save({ n: 2 })).seq).toBe(1)
    const again = await opened({ name, worker: false })
    expect((await again.thread('t').load())?.state).toEqual({ n: 2 })
  })

  it('an id used again after it was deleted elsewhere never brings back the old state', async () => {
    const name = newName()
    const [one, other] = [await opened({ name, worker: false }), await opened({ name, worker: false })]
    const [mine, theirs] = [one.thread<State>('t'), other.thread<State>('t')]
    await mine.save({ n: 1, list: ['old'] }, { id: 'first' })
    await theirs.delete()
    await theirs.save({ n: 2, list: ['new', 'newer'] }, { id: 'first' })
    expect((await mine.load())?.state).toEqual({ n: 2, list: ['new', 'newer'] })
    expect((await mine.load('first'))?.state).toEqual({ n: 2, list: ['new', 'newer'] })
  })

  it('a save that builds on an id used again elsewhere stores what was given', async () => {
    const name = newName()
    const [one, other] = [await opened({ name, worker: false }), await opened({ name, worker: false })]
    const [mine, theirs] = [one.thread<State>('t'), other.thread<State>('t')]
    await mine.save({ n: 1, list: ['old'] }, { id: 'first' })
    await theirs.delete()
    await theirs.save({ n: 2, list: ['new', 'newer'] }, { id: 'first' })
    await mine.save({ n: 1, list: ['old', 'more'] })
    expect((await theirs.load())?.state).toEqual({ n: 1, list: ['old', 'more'] })
    expect((await theirs.load('first'))?.state).toEqual({ n: 2, list: ['new', 'newer'] })
  })

  it('an id used again after it was deleted by itself elsewhere', async () => {
    const name = newName()
    const [one, other] = [await opened({ name, worker: false }), await opened({ name, worker: false })]
    const [mine, theirs] = [one.thread<State>('t'), other.thread<State>('t')]
    await mine.save({ n: 0, list: [] }, { id: 'start' })
    await mine.save({ n: 1, list: ['old'] }, { id: 'next' })
    await theirs.deleteCheckpoints(['next'])
    await theirs.save({ n: 2, list: ['new'] }, { id: 'next' })
    expect((await mine.load('next'))?.state).toEqual({ n: 2, list: ['new'] })
  })

  it('a seq used again after the thread was deleted elsewhere never brings back the old state', async () => {
    const name = newName()
    const [one, other] = [await opened({ name, worker: false }), await opened({ name, worker: false })]
    const [mine, theirs] = [one.thread<State>('t'), other.thread<State>('t')]
    await mine.save({ n: 1, list: ['old'] })
    await mine.load(1)
    await theirs.delete()
    await theirs.save({ n: 2, list: ['new'] })
    expect((await mine.load(1))?.state).toEqual({ n: 2, list: ['new'] })
    await mine.save({ n: 3, list: ['newest'] }, { expect: 1 })
    expect((await theirs.load())?.state).toEqual({ n: 3, list: ['newest'] })
  })

  it('expecting what the other has overtaken', async () => {
    const name = newName()
    const [one, other] = [await opened({ name, worker: false }), await opened({ name, worker: false })]
    await one.thread('t').save({ n: 1 })
    await other.thread('t').save({ n: 2 })
    await refused(one, 'CONFLICT', () => one.thread('t').save({ n: 3 }, { expect: 1 }))
    expect((await one.thread('t').load())?.state).toEqual({ n: 2 })
  })
})

function openRaw(name: string, version?: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(`forkpoint:${name}`, version)
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('it could not be opened'))
  })
}

/** Replaces the head of the row that says what a database is; answers with the one that was there. */
async function swapHead(name: string, head: string): Promise<string> {
  const db = await openRaw(name)
  const store = db.transaction('meta', 'readwrite').objectStore('meta')
  const row = await settled<{ head: string }>(store.get([DATABASE_PARTITION, ...DATABASE_KEY]))
  await settled(store.put({ ...row, head }))
  db.close()
  return row.head
}

const settled = <T>(request: IDBRequest): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result as T)
    request.onerror = () => reject(request.error ?? new Error('the request failed'))
  })
