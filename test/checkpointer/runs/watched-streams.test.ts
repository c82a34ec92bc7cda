import type { Checkpointer, ChunksEvent, Host, StepEvent, WatchEvent } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import { StoredCheckpointer } from '../../../src/checkpointer/checkpointer.ts'
import { ATTEMPT, CHUNKS, INTENT, OUTCOME } from '../../../src/checkpointer/runs/journal/entries.ts'
import { createHost } from '../../../src/operations/create-host.ts'
import type { ReadWritesRequest, StoredRun } from '../../../src/operations/host.ts'
import { createCodec } from '../../../src/state/codec.ts'
import { toBytes } from '../../../src/state/json-bytes.ts'
import { beatClaims } from '../../../src/tabs/beat-claims.ts'
import { localEvents } from '../../../src/tabs/events.ts'

const place = { thread: 't', namespace: '' }
const run: StoredRun = { id: 'r', status: 'running', turn: '1', began: 1, at: 1 }
const intent = { runId: 'r', kind: 'stream', name: 'answer', nth: 1, order: 1, within: [], external: false }

interface Ground {
  readonly host: Host
  readonly checkpointer: Checkpointer
  /** What the checkpointer has asked for. */
  readonly reads: ReadWritesRequest[]
}

/** A thread with a run, and one who hears all of it. */
async function ground(): Promise<Ground> {
  const events = { ...localEvents(), hearsAll: true }
  const host = await createHost({ storage: memoryStorage(), publish: (event) => events.publish(event) })
  const reads: ReadWritesRequest[] = []
  const watched: Host = {
    ...host,
    readWrites: (request) => {
      reads.push(request)
      return host.readWrites(request)
    },
  }
  const onWarning = (warning: Error): void => {
    throw warning
  }
  const claims = beatClaims(host, onWarning)
  const parts = {
    host: watched,
    codec: createCodec(),
    events,
    claims: async () => claims,
    onWarning,
  } as const
  const checkpointer = new StoredCheckpointer(parts)
  onTestFinished(() => checkpointer.close())
  await save(host, 1)
  return { host, checkpointer, reads }
}

const save = (host: Host, n: number) =>
  host.save({ ...place, key: `k${n}`, createdAt: n, fields: {}, frame: { body: toBytes({ n }) }, run })

/** Some of the journal of the one stream, at once. */
function put(
  host: Host,
  entries: readonly (readonly [{ channel: string }, index: number, value: unknown])[],
  checkpoint = 1,
) {
  const codec = createCodec()
  const writes = entries.map(([{ channel }, index, value]) => ({
    taskId: 'key',
    index,
    channel,
    body: toBytes(codec.capture(value).state),
  }))
  return host.putWrites({ ...place, checkpoint, writes })
}

const batch = (index: number, from: number, chunks: unknown[], attempt = 1) =>
  [CHUNKS, index, { attempt, from, chunks }] as const

function watching(checkpointer: Checkpointer): WatchEvent[] {
  const told: WatchEvent[] = []
  void (async () => {
    for await (const event of checkpointer.thread('t').watch()) told.push(event)
  })()
  return told
}

const ofStream = (told: readonly WatchEvent[]): unknown[] =>
  told
    .filter((event): event is StepEvent | ChunksEvent => event.type === 'step' || event.type === 'chunks')
    .map((event) =>
      event.type === 'step'
        ? `${event.status} ${event.attempt}`
        : [event.attempt, event.from, event.chunks.join('')],
    )

it('chunks come in order as they are logged, and what was read is not read again', async () => {
  const { host, checkpointer, reads } = await ground()
  const told = watching(checkpointer)
  await put(host, [[INTENT, 0, intent]])
  await vi.waitFor(() => expect(ofStream(told)).toEqual(['started 1']))
  await put(host, [batch(2, 0, ['a', 'b'])])
  await vi.waitFor(() => expect(ofStream(told)).toHaveLength(2))
  await put(host, [batch(3, 2, ['c'])])
  await vi.waitFor(() => expect(ofStream(told)).toHaveLength(3))
  const before = reads.length
  await put(host, [batch(4, 3, ['d']), [OUTCOME, 1, { chunks: 4, isWhole: true }]])
  const all = ['started 1', [1, 0, 'ab'], [1, 2, 'c'], [1, 3, 'd'], 'done 1']
  await vi.waitFor(() => expect(ofStream(told)).toEqual(all))
  expect(reads.slice(before)).toEqual([{ ...place, checkpoint: 1, taskId: 'key', from: 4, before: 2 }])
  await save(host, 2)
  await vi.waitFor(() => expect(told.filter(({ type }) => type === 'state')).toHaveLength(2))
  await host.putWrites({ ...place, checkpoint: 2, writes: [], run: { ...run, status: 'failed' } })
  await vi.waitFor(() => expect(told.at(-1)).toMatchObject({ type: 'run', run: { status: 'failed' } }))
  expect(ofStream(told)).toEqual(all)
})

it('a new attempt begins again from the first chunk; one that goes on goes on', async () => {
  const { host, checkpointer } = await ground()
  await put(host, [[INTENT, 0, intent], batch(2, 0, ['a', 'b'])])
  const told = watching(checkpointer)
  await vi.waitFor(() => expect(ofStream(told)).toEqual(['started 1', [1, 0, 'ab']]))
  await put(host, [batch(3, 2, ['c'])])
  await put(host, [[ATTEMPT, -1, 2]])
  await vi.waitFor(() => expect(ofStream(told).at(-1)).toBe('started 2'))
  await put(host, [batch(4, 0, ['A'], 2)])
  await put(host, [batch(5, 1, ['B', 'C'], 2), [OUTCOME, 1, { error: new Error('cut') }]])
  await vi.waitFor(() => expect(ofStream(told).at(-1)).toBe('failed 2'))
  const second = ofStream(told).filter((each) => Array.isArray(each) && each[0] === 2) as [
    2,
    number,
    string,
  ][]
  expect(second.map(([, , chunks]) => chunks).join('')).toBe('ABC')
  expect(second[0]?.[1]).toBe(0)
})

it('a batch that is stored late holds up those behind it, and none is missed', async () => {
  const { host, checkpointer } = await ground()
  const told = watching(checkpointer)
  await put(host, [[INTENT, 0, intent], batch(2, 0, ['a'])])
  await put(host, [batch(4, 3, ['d'])])
  await vi.waitFor(() => expect(ofStream(told)).toEqual(['started 1', [1, 0, 'a']]))
  await put(host, [batch(3, 1, ['b', 'c'])])
  await vi.waitFor(() => expect(ofStream(told)).toEqual(['started 1', [1, 0, 'a'], [1, 1, 'bcd']]))
})

it('what comes while nobody asks comes together', async () => {
  const { host, checkpointer, reads } = await ground()
  const events = checkpointer.thread('t').watch()[Symbol.asyncIterator]()
  const take = async (): Promise<WatchEvent> => (await events.next()).value as WatchEvent
  expect((await take()).type).toBe('run')
  expect((await take()).type).toBe('state')
  await put(host, [[INTENT, 0, intent]])
  for (let n = 0; n < 200; n++) await put(host, [batch(2 + n, n, [n])])
  expect(await take()).toMatchObject({ type: 'step', status: 'started' })
  const before = reads.length
  const chunks: unknown[] = []
  while (chunks.length < 200) {
    const event = await take()
    if (event.type === 'chunks') chunks.push(...event.chunks)
  }
  expect(chunks).toEqual(Array.from({ length: 200 }, (_, n) => n))
  expect(reads.length - before).toBeLessThan(5)
  await events.return?.()
})
