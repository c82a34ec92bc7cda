import { describe, expect, it, vi } from 'vitest'
import type { StreamCall, StreamCut } from '../../../src/checkpointer/runs/streams/options.ts'
import { listOf, rejection } from '../../../src/testing/checkpointer/ground.ts'
import { FakeJournal } from './fake-journal.ts'

async function* from<T>(...chunks: T[]): AsyncGenerator<T> {
  yield* chunks
}

/** Gives these, and then nothing more, for ever. */
async function* hangingAfter<T>(...chunks: T[]): AsyncGenerator<T> {
  yield* chunks
  await new Promise(() => {})
}

/** Runs until so many chunks were read, and is then cut off: what was passed on is stored, and nothing after it. */
async function cutAfter(journal: FakeJournal, count: number, ...chunks: string[]): Promise<void> {
  const stream = journal.run().stream(() => hangingAfter(...chunks))
  for (let i = 0; i < count; i++) await stream.next()
  await journal.logs.flush()
}

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('a stream that was never read before', () => {
  it('passes on what the source gives, and keeps it with its end', async () => {
    const journal = new FakeJournal()
    expect(await listOf(journal.run().stream(() => from('a', 'b', 'c')))).toEqual(['a', 'b', 'c'])
    expect(journal.step()).toMatchObject({ attempt: 1, outcome: { chunks: 3, isWhole: true } })
    expect(journal.step()?.batches.flatMap(({ chunks }) => chunks)).toEqual(['a', 'b', 'c'])
    expect(journal.commits.at(-1)).toEqual({ count: 2, isLog: false })
  })

  it('has told its source whose it is', async () => {
    const journal = new FakeJournal()
    let call: StreamCall | undefined
    await listOf(journal.run().stream<string>((given) => ((call = given), from('a'))))
    expect(call).toMatchObject({ key: 'key of answer', attempt: 1, chunks: [], token: 7 })
    expect(call?.signal.aborted).toBe(false)
  })

  it('passes chunks on before any is stored', async () => {
    const journal = new FakeJournal()
    journal.hangs = true
    const stream = journal.run().stream(() => hangingAfter('a', 'b'))
    expect((await stream.next()).value).toBe('a')
    expect((await stream.next()).value).toBe('b')
    expect(journal.step()?.batches).toEqual([])
  })

  it.each([
    ['a ReadableStream', () => new ReadableStream({ start: (it) => (it.enqueue('a'), it.close()) })],
    ['an AI SDK result', () => ({ fullStream: from('a'), textStream: from('b') })],
    ['an AI SDK result of text alone', () => ({ textStream: from('a') })],
    ['a function of a promise', () => async () => from('a')],
  ])('takes %s', async (_, source) => {
    const given = source() as unknown as () => AsyncIterable<string>
    expect(await listOf(new FakeJournal().run().stream(given))).toEqual(['a'])
  })

  it('keeps every kind of value, as it was when it came', async () => {
    const journal = new FakeJournal()
    const chunk = { at: new Date(3), bytes: new Uint8Array([1]), of: new Map([[1, 2n]]) }
    const me: { self?: unknown } = {}
    me.self = me
    for await (const each of journal.run().stream<object>(() => from<object>(chunk, me)))
      if (each === chunk) chunk.at.setTime(9)
    const [first, second] = (await listOf(journal.run().stream(() => from()))) as [typeof chunk, typeof me]
    expect(first).toEqual({ ...chunk, at: new Date(3) })
    expect(second.self).toBe(second)
  })
})

describe('a stream that was read to its end', () => {
  it('comes again without its source', async () => {
    const journal = new FakeJournal()
    await listOf(journal.run().stream(() => from('a', 'b')))
    const source = vi.fn<() => AsyncIterable<string>>()
    expect(await listOf(journal.run().stream(source))).toEqual(['a', 'b'])
    expect(source).not.toHaveBeenCalled()
  })

  it('has a source that is there already cancelled unread', async () => {
    const journal = new FakeJournal()
    await listOf(journal.run().stream(() => from('a')))
    const [pull, cancel] = [vi.fn(), vi.fn()]
    const source = new ReadableStream<string>({ pull, cancel }, { highWaterMark: 0 })
    expect(await listOf(journal.run().stream(source))).toEqual(['a'])
    expect(pull).not.toHaveBeenCalled()
    expect(cancel).toHaveBeenCalledOnce()
  })

  it('fails again when its source had failed, after the same chunks', async () => {
    const journal = new FakeJournal()
    async function* failing(): AsyncGenerator<string> {
      yield 'a'
      throw new TypeError('gone', { cause: { code: 7 } })
    }
    for (const source of [failing, vi.fn<() => AsyncIterable<string>>()]) {
      const got: string[] = []
      const error = await failure(
        (async () => {
          for await (const chunk of journal.run().stream<string>(source)) got.push(chunk)
        })(),
      )
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({ message: 'gone', cause: { code: 7 } })
      expect(got).toEqual(['a'])
      expect(journal.blamed.at(-1)).toBe(error)
    }
  })

  it('fails with the words of an error that cannot be kept', async () => {
    const journal = new FakeJournal()
    const error = Object.assign(new Error('no more'), { retry: () => {} })
    const source = async (): Promise<never> => Promise.reject(error)
    expect(await failure(journal.run().stream(source).next())).toBe(error)
    expect(await failure(journal.run().stream(vi.fn<() => AsyncIterable<string>>()).next())).toMatchObject({
      message: 'no more',
    })
  })

  it('ends where its reader had broken off, with the source cancelled and told so', async () => {
    const journal = new FakeJournal()
    let [isEnded, signal] = [false, undefined as AbortSignal | undefined]
    async function* source(call: StreamCall<string>): AsyncGenerator<string> {
      signal = call.signal
      try {
        yield* ['a', 'b', 'c']
      } finally {
        isEnded = true
      }
    }
    for await (const chunk of journal.run().stream(source)) if (chunk === 'b') break
    expect(journal.step()?.outcome).toBeUndefined()
    journal.goOn()
    expect([isEnded, signal?.aborted]).toEqual([true, true])
    expect(journal.step()?.outcome).toEqual({ chunks: 2, isWhole: false })
    expect(await listOf(journal.run().stream<string>(vi.fn<() => AsyncIterable<string>>()))).toEqual([
      'a',
      'b',
    ])
  })
})

describe('a loop that throws while it reads', () => {
  it('has broken off nothing: the stream is as one that was cut off', async () => {
    const journal = new FakeJournal()
    const reading = async (): Promise<void> => {
      for await (const chunk of journal.run().stream(() => from('a', 'b', 'c')))
        if (chunk === 'b') throw new Error('mine')
    }
    expect(await failure(reading())).toMatchObject({ message: 'mine' })
    expect(journal.step()?.batches.flatMap(({ chunks }) => chunks)).toEqual(['a', 'b'])
    expect(journal.step()?.outcome).toBeUndefined()
  })
})

describe('a stream that was cut off', () => {
  it('is begun anew unless something else is asked for', async () => {
    const journal = new FakeJournal()
    await cutAfter(journal, 2, 'a', 'b')
    const source = vi.fn((call: StreamCall<string>) =>
      from(`new ${call.attempt}`, String(call.chunks.length)),
    )
    expect(await listOf(journal.run().stream(source))).toEqual(['new 2', '0'])
    expect(journal.step()).toMatchObject({ attempt: 2, outcome: { chunks: 2, isWhole: true } })
    expect(await listOf(journal.run().stream(source))).toEqual(['new 2', '0'])
    expect(source).toHaveBeenCalledOnce()
  })

  it('goes on from what is there', async () => {
    const journal = new FakeJournal()
    await cutAfter(journal, 2, 'a', 'b')
    const source = vi.fn(({ chunks, attempt }: StreamCall<string>) => from(chunks.join('') + attempt))
    const options = { whenCut: 'continue' } as const
    expect(await listOf(journal.run().stream(source, options))).toEqual(['a', 'b', 'ab1'])
    expect(await listOf(journal.run().stream(source, options))).toEqual(['a', 'b', 'ab1'])
    expect(source).toHaveBeenCalledOnce()
  })

  it('goes on after several cuts, and begins anew after them', async () => {
    const journal = new FakeJournal()
    await cutAfter(journal, 1, 'a')
    for (const next of ['b', 'c']) {
      const stream = journal.run().stream<string>(() => hangingAfter(next), { whenCut: 'continue' })
      let got = ''
      while (!got.endsWith(next)) got += (await stream.next()).value
      await journal.logs.flush()
    }
    const cuts: StreamCut<string>[] = []
    const whenCut = (cut: StreamCut<string>) => (cuts.push(cut), 'restart' as const)
    expect(await listOf(journal.run().stream(() => from('d'), { whenCut }))).toEqual(['d'])
    expect(cuts).toEqual([{ name: 'answer', key: 'key of answer', attempt: 1, chunks: ['a', 'b', 'c'] }])
    expect(await listOf(journal.run().stream<string>(vi.fn<() => AsyncIterable<string>>()))).toEqual(['d'])
  })

  it('is all there is when it is kept', async () => {
    const journal = new FakeJournal()
    await cutAfter(journal, 2, 'a', 'b')
    const source = vi.fn<() => AsyncIterable<string>>()
    for (const whenCut of [async () => 'keep' as const, 'restart' as const])
      expect(await listOf(journal.run().stream(source, { whenCut }))).toEqual(['a', 'b'])
    expect(source).not.toHaveBeenCalled()
    expect(journal.step()?.outcome).toEqual({ chunks: 2, isWhole: false })
    // The one that was cut off.
    expect(journal.open).toBe(1)
  })

  it('is not cut off when it has given nothing: then it is begun, whatever was asked for', async () => {
    const journal = new FakeJournal()
    await cutAfter(journal, 0)
    void journal
      .run()
      .stream(() => hangingAfter())
      .next()
    const whenCut = vi.fn()
    for (const policy of ['keep', whenCut] as const)
      expect(await listOf(journal.run().stream(() => from('a'), { whenCut: policy }))).toEqual(['a'])
    expect(whenCut).not.toHaveBeenCalled()
    expect(journal.step()?.attempt).toBe(1)
  })

  it('counts only up to a batch that is missing', async () => {
    const journal = new FakeJournal()
    await cutAfter(journal, 3, 'a', 'b', 'c')
    const batch = journal.writes.findIndex(({ index }) => index === 3)
    const value = journal.writes[batch]?.value as object
    journal.writes[batch] = { ...journal.writes[batch]!, index: 4, value: { ...value, from: 2 } }
    const given = journal.run().stream(({ chunks }) => from(`+${chunks.length}`), { whenCut: 'continue' })
    expect(await listOf(given)).toEqual(['a', '+1'])
    expect(await listOf(journal.run().stream<string>(vi.fn<() => AsyncIterable<string>>()))).toEqual([
      'a',
      '+1',
    ])
  })

  it('is cut off again when its reader breaks off before the source is asked', async () => {
    const journal = new FakeJournal()
    await cutAfter(journal, 2, 'a', 'b')
    const source = vi.fn<() => AsyncIterable<string>>()
    for await (const chunk of journal.run().stream<string>(source, { whenCut: 'continue' })) if (chunk) break
    journal.goOn()
    expect(journal.step()?.outcome).toEqual({ chunks: 1, isWhole: false })
    expect(await listOf(journal.run().stream<string>(source))).toEqual(['a'])
    expect(source).not.toHaveBeenCalled()
  })
})

describe('a stream whose run is stopped', () => {
  it('ends at once with the reason, whatever its source does, and has no outcome', async () => {
    const journal = new FakeJournal()
    const run = journal.run()
    let signal: AbortSignal | undefined
    const stream = run.stream<string>((call) => ((signal = call.signal), hangingAfter('a')))
    await stream.next()
    const next = failure(stream.next())
    const reason = new Error('stolen')
    run.stop(reason)
    expect(await next).toBe(reason)
    expect(signal?.reason).toBe(reason)
    await Promise.resolve()
    expect(journal.step()?.outcome).toBeUndefined()
    expect(journal.step()?.batches.flatMap(({ chunks }) => chunks)).toEqual(['a'])
  })

  it('has its source cancelled, and what was passed on stored, also when nobody reads just then', async () => {
    const journal = new FakeJournal()
    const run = journal.run()
    const cancel = vi.fn()
    const source = new ReadableStream<string>({ start: (it) => (it.enqueue('a'), it.enqueue('b')), cancel })
    const stream = run.stream(source)
    await stream.next()
    await stream.next()
    run.stop('no')
    expect(cancel).toHaveBeenCalledWith('no')
    await vi.waitFor(() =>
      expect(journal.step()?.batches.flatMap(({ chunks }) => chunks)).toEqual(['a', 'b']),
    )
    expect(await failure(stream.next())).toBe('no')
  })

  it('cancels a source that is made too late', async () => {
    const journal = new FakeJournal()
    const run = journal.run()
    const cancel = vi.fn()
    let make: ((source: ReadableStream<string>) => void) | undefined
    const made = new Promise<ReadableStream<string>>((resolve) => (make = resolve))
    const source = vi.fn<() => Promise<ReadableStream<string>>>(() => made)
    const next = failure(run.stream(source).next())
    await vi.waitFor(() => expect(source).toHaveBeenCalled())
    run.stop('no')
    expect(await next).toBe('no')
    make?.(new ReadableStream({ cancel }))
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledWith('no'))
  })

  it('takes the failure of a source that was stopped for the stop', async () => {
    const journal = new FakeJournal()
    const run = journal.run()
    async function* source({ signal }: StreamCall<string>): AsyncGenerator<string> {
      yield 'a'
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('fetch'))))
    }
    const stream = run.stream(source)
    await stream.next()
    const next = failure(stream.next())
    run.stop('no')
    expect(await next).toBe('no')
    expect(journal.step()?.outcome).toBeUndefined()
  })
})

describe('what cannot be streamed', () => {
  it.each<[string, unknown, unknown]>([
    ['no source', undefined, {}],
    ['a text', 'text', {}],
    ['a list', ['a'], {}],
    ['an unknown policy', () => from('a'), { whenCut: 'again' }],
    ['an unknown option', () => from('a'), { whencut: 'keep' }],
    ['no number of bytes', () => from('a'), { maxBytes: '1' }],
    ['a source that is there, to be continued', from('a'), { whenCut: 'continue' }],
  ])('is refused: %s', async (_, source, options) => {
    const run = new FakeJournal().run()
    const make = async (): Promise<unknown> =>
      run.stream(source as () => AsyncIterable<string>, options as object)
    await rejection(make(), 'INVALID')
  })

  it('is a function of nothing that can, and that is no outcome', async () => {
    const journal = new FakeJournal()
    const source = (() => 7) as unknown as () => AsyncIterable<string>
    await rejection(journal.run().stream(source).next(), 'INVALID')
    expect(journal.step()?.outcome).toBeUndefined()
  })

  it('is a stream that another reads', async () => {
    const source = new ReadableStream<string>()
    source.getReader()
    await rejection(new FakeJournal().run().stream(source).next(), 'INVALID')
  })

  it('is a chunk that cannot be kept: where, is said, and the source is cancelled', async () => {
    const journal = new FakeJournal()
    let isEnded = false
    async function* source(): AsyncGenerator<unknown> {
      try {
        yield 'a'
        yield { tools: [{ run: () => {} }] }
      } finally {
        isEnded = true
      }
    }
    const stream = journal.run().stream(source)
    expect((await stream.next()).value).toBe('a')
    const error = await rejection(stream.next(), 'INVALID')
    expect(error.path).toBe('$.tools[0].run')
    await vi.waitFor(() => expect(isEnded).toBe(true))
    expect(journal.step()?.outcome).toBeUndefined()
  })

  it('is a policy that a function makes up', async () => {
    const journal = new FakeJournal()
    await cutAfter(journal, 1, 'a')
    const whenCut = (() => 'again') as unknown as () => 'keep'
    await rejection(
      journal
        .run()
        .stream(() => from('b'), { whenCut })
        .next(),
      'INVALID',
    )
  })
})

describe('a log without room', () => {
  it('is told of once; all is passed on, and afterwards the stream is as one that was cut off', async () => {
    const journal = new FakeJournal()
    const long = ['aaaa', 'bbbb', 'cccc', 'dddd']
    expect(await listOf(journal.run().stream(() => from(...long), { maxBytes: 13 }))).toEqual(long)
    expect(journal.warnings.map(({ code }) => code)).toEqual(['TOO_LARGE'])
    expect(journal.step()?.outcome).toBeUndefined()
    const again = journal.run().stream(({ chunks }) => from(...long.slice(chunks.length)), {
      whenCut: 'continue',
      maxBytes: 100,
    })
    expect(await listOf(again)).toEqual(long)
    expect(journal.step()?.outcome).toEqual({ chunks: 4, isWhole: true })
  })
})

describe('a store that fails', () => {
  it('holds up nothing, and is told at the end: then nothing may stand on the stream', async () => {
    const journal = new FakeJournal()
    const stream = journal.run().stream(() => from('a', 'b'))
    expect((await stream.next()).value).toBe('a')
    journal.fails = true
    expect((await stream.next()).value).toBe('b')
    expect(await failure(stream.next())).toMatchObject({ message: 'disk' })
    journal.fails = false
    expect(journal.step()?.outcome).toBeUndefined()
  })

  it('does not hide what the source has failed with', async () => {
    const journal = new FakeJournal()
    const stream = journal.run().stream(async function* () {
      yield 'a'
      throw new Error('mine')
    })
    await stream.next()
    journal.fails = true
    expect(await failure(stream.next())).toMatchObject({ message: 'mine' })
    expect(journal.warnings).toHaveLength(1)
  })
})
