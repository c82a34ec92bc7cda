import 'fake-indexeddb/auto'
import { CheckpointerError, type Checkpointer, type Host, type RunInfo } from 'forkpoint'
import { indexedDbStorage } from 'forkpoint/storage/indexeddb'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StoredCheckpointer } from '../../../src/checkpointer/checkpointer.ts'
import { INTENT, OUTCOME } from '../../../src/checkpointer/runs/journal/entries.ts'
import { followOrphans } from '../../../src/checkpointer/runs/seen/follow-orphans.ts'
import { createHost } from '../../../src/operations/create-host.ts'
import type { StoredRun } from '../../../src/operations/host.ts'
import { createCodec } from '../../../src/state/codec.ts'
import { toBytes } from '../../../src/state/json-bytes.ts'
import { beatClaims } from '../../../src/tabs/beat-claims.ts'
import type { Claims } from '../../../src/tabs/claims.ts'
import { localEvents, type Events } from '../../../src/tabs/events.ts'
import { lockClaims } from '../../../src/tabs/lock-claims.ts'
import { listOf, rejection } from '../../../src/testing/checkpointer/ground.ts'

/** Signs of life, a hundred times as fast as users have them. */
const QUICK = { look: 10, silence: 20, beat: 20, beats: 1_000 }
const BRISK = { look: 20, often: 5, rarely: 60 }
/** Long enough for two looks, and for a scan. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 600))

interface Tab {
  readonly host: Host
  readonly checkpointer: Checkpointer
  readonly warnings: CheckpointerError[]
  /** Follows orphans, a fifty times as fast as users do. */
  follow(handler: (run: RunInfo) => unknown, signal?: AbortSignal): () => void
}

/** Each gives tabs on the same rows. */
const grounds: [string, () => () => Promise<Tab>][] = [
  [
    'signs of life on memory',
    () => {
      const storage = Object.assign(memoryStorage(), { close: async () => {} })
      return async () => {
        const events = localEvents()
        const host = await createHost({ storage, publish: (event) => events.publish(event) })
        const warn = (warning: CheckpointerError): void => {
          throw warning
        }
        return tabOf(host, beatClaims(host, warn, QUICK), events)
      }
    },
  ],
  [
    'locks on fake-indexeddb',
    () => {
      const name = crypto.randomUUID()
      return async () => {
        const events = localEvents()
        const publish = events.publish.bind(events)
        const host = await createHost({ storage: indexedDbStorage({ name }), publish })
        return tabOf(host, lockClaims(name, navigator.locks, host), events)
      }
    },
  ],
]

function tabOf(host: Host, claims: Claims, events: Events): Tab {
  const warnings: CheckpointerError[] = []
  const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
  const codec = createCodec()
  const parts = { host, codec, events, claims: async () => claims, onWarning } as const
  const checkpointer = new StoredCheckpointer(parts)
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  onTestFinished(() => checkpointer.close())
  const leases = { isHeld: (thread: string, options = {}) => claims.isHeld(thread, options) }
  const news = { ...events, onWarning }
  const sources = { host, codec, leases, news, closed: ended.signal }
  return {
    host,
    checkpointer,
    warnings,
    follow: (handler, signal) => followOrphans(sources, handler, { signal }, BRISK),
  }
}

let count = 0
const runOf = (status: StoredRun['status'], id = `run-${++count}`): StoredRun => ({
  id,
  status,
  turn: `turn-${++count}`,
  began: 1_000,
  at: 2_000,
})

async function begin(host: Host, thread: string, run: StoredRun, namespace = ''): Promise<StoredRun> {
  const key = `key-${++count}`
  await host.save({ thread, namespace, key, createdAt: 1, fields: {}, frame: { body: toBytes({}) }, run })
  return run
}

const statuses = async (checkpointer: Checkpointer): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await listOf(checkpointer.runs())).map(({ thread, namespace, status }) => [thread + namespace, status]),
  )

const soon = { timeout: 10_000 }

describe.each(grounds)('runs, by %s', (_, place) => {
  it('are listed as they stand, also those of other namespaces, with who holds them', async () => {
    const open = place()
    const [one, two] = [await open(), await open()]
    const run = await begin(one.host, 'held', runOf('running'))
    await begin(one.host, 'orphan', runOf('running'))
    await begin(one.host, 'done', runOf('finished'))
    await begin(one.host, 'done', runOf('failed'), '/sub')
    await one.checkpointer.thread('no run').save(1)
    const lease = await one.checkpointer.thread('held').lease()
    const all = {
      held: 'running',
      orphan: 'orphaned',
      done: 'finished',
      'done/sub': 'failed',
    }
    expect(await statuses(two.checkpointer)).toEqual(all)
    expect(await statuses(one.checkpointer)).toEqual(all)
    const [info] = await listOf(two.checkpointer.runs({ status: 'running' }))
    expect(info).toEqual({
      thread: 'held',
      namespace: '',
      runId: run.id,
      status: 'running',
      startedAt: new Date(1_000),
      updatedAt: new Date(2_000),
    })
    await lease.release()
    const gone = await listOf(two.checkpointer.runs({ status: ['orphaned', 'running'] }))
    expect(new Map(gone.map(({ thread, status }) => [thread, status]))).toEqual(
      new Map([
        ['held', 'orphaned'],
        ['orphan', 'orphaned'],
      ]),
    )
  })

  it('are found beyond one page, and not asked for when they are not wanted', async () => {
    const { host, checkpointer } = await place()()
    for (let n = 0; n < 130; n++) await begin(host, `t${n}`, runOf(n % 2 ? 'stopped' : 'running'))
    expect(await listOf(checkpointer.runs({ status: 'stopped' }))).toHaveLength(65)
    expect(await listOf(checkpointer.runs({ status: 'orphaned' }))).toHaveLength(65)
    const stop = new AbortController()
    stop.abort(new Error('enough'))
    await expect(listOf(checkpointer.runs({ signal: stop.signal }))).rejects.toThrow('enough')
    for (const options of [{ status: 'lost' }, { status: [1] }, { stauts: 'running' }, { signal: 1 }])
      await rejection(listOf(checkpointer.runs(options as never)), 'INVALID')
  })

  it('that wait come with what they wait for', async () => {
    const { host, checkpointer } = await place()()
    const run = await begin(host, 't', runOf('waiting'))
    const codec = createCodec()
    const intent = (name: string, more = {}) => ({
      runId: run.id,
      kind: 'question',
      name,
      nth: 1,
      order: 1,
      within: [],
      external: false,
      ...more,
    })
    const put = (taskId: string, { index, channel }: typeof INTENT | typeof OUTCOME, value: unknown) =>
      host.putWrites({
        thread: 't',
        namespace: '',
        checkpoint: 1,
        writes: [{ taskId, index, channel, body: toBytes(codec.capture(value).state) }],
      })
    await put('k1', INTENT, intent('go on?', { question: new Map([['price', 12n]]) }))
    await put('k2', INTENT, intent('answered'))
    await put('k2', OUTCOME, { value: 'yes' })
    await put('k3', INTENT, intent('search', { kind: 'step' }))
    await put('k4', INTENT, intent('of another', { runId: 'another' }))
    const [info] = await listOf(checkpointer.runs({ status: 'waiting' }))
    expect(info?.questions).toEqual([{ key: 'k1', name: 'go on?', question: new Map([['price', 12n]]) }])
  })
})

describe.each(grounds)('orphans, by %s', (_, place) => {
  const heard = (tab: Tab) => {
    const told: RunInfo[] = []
    const stop = tab.follow((run) => void told.push(run))
    return { told, stop }
  }

  it('that are there already are told once, and again only after another turn', async () => {
    const open = place()
    const [one, two] = [await open(), await open()]
    const run = await begin(one.host, 't', runOf('running'))
    await begin(one.host, 'waits', runOf('waiting'))
    const first = heard(two)
    const second = heard(two)
    await vi.waitFor(() => expect([...first.told, ...second.told]).toHaveLength(2), soon)
    expect(first.told[0]).toMatchObject({ thread: 't', runId: run.id, status: 'orphaned' })
    second.stop()
    const next = { ...run, turn: 'next' }
    await two.host.putWrites({ thread: 't', namespace: '', checkpoint: 1, writes: [], run: next })
    await vi.waitFor(() => expect(first.told).toHaveLength(2), soon)
    await aWhile()
    expect(first.told).toHaveLength(2)
    expect(second.told).toHaveLength(1)
  })

  it('are not runs that somebody holds, nor those that are taken up between two looks', async () => {
    const open = place()
    const [one, two] = [await open(), await open()]
    const lease = await one.checkpointer.thread('t').lease()
    const run = await begin(one.host, 't', runOf('running'))
    const { told } = heard(two)
    await aWhile()
    expect(told).toEqual([])
    await begin(one.host, 't', { ...run, status: 'finished' })
    await lease.release()
    await aWhile()
    expect(told).toEqual([])
    await begin(two.host, 't', { ...run, turn: 'another' })
    await vi.waitFor(() => expect(told).toHaveLength(1), soon)
  })

  it('a handler that lost the race is not told of, one that failed is', async () => {
    const tab = await place()()
    await begin(tab.host, 'a', runOf('running'))
    tab.follow(() => Promise.reject(new CheckpointerError('BLOCKED', 'another has it')))
    tab.follow(() => {
      throw new CheckpointerError('LEASE_LOST', 'another has it')
    })
    tab.follow(() => Promise.reject(new Error('no network')))
    await vi.waitFor(() => expect(tab.warnings).toHaveLength(1), soon)
    expect(tab.warnings[0]).toMatchObject({ code: 'FAILED', thread: 'a' })
    expect(tab.warnings[0]?.cause).toMatchObject({ message: 'no network' })
  })

  it('are told again when the one who won the race is gone before it has begun', async () => {
    const tab = await place()()
    await begin(tab.host, 'a', runOf('running'))
    let told = 0
    tab.follow(() => {
      told++
      if (told < 3) throw new CheckpointerError('BLOCKED', 'another has it')
    })
    await vi.waitFor(() => expect(told).toBe(3), soon)
    await aWhile()
    expect(told).toBe(3)
    expect(tab.warnings).toEqual([])
  })

  it('are no longer told when it is stopped, by hand, by a signal or by the end', async () => {
    const open = place()
    const [one, two] = [await open(), await open()]
    const stop = new AbortController()
    const byHand = heard(one)
    const told: RunInfo[] = []
    one.follow((run) => void told.push(run), stop.signal)
    byHand.stop()
    byHand.stop()
    stop.abort()
    const closed: RunInfo[] = []
    two.checkpointer.onOrphan((run) => void closed.push(run))
    await two.checkpointer.close()
    await begin(one.host, 't', runOf('running'))
    await aWhile()
    expect([...byHand.told, ...told, ...closed]).toEqual([])
    expect(() => two.checkpointer.onOrphan(() => {})).toThrow(expect.objectContaining({ code: 'CLOSED' }))
    for (const [handler, options] of [[1], [() => {}, { singal: 1 }], [() => {}, { signal: 1 }]] as const)
      expect(() => one.checkpointer.onOrphan(handler as never, options as never)).toThrow(
        expect.objectContaining({ code: 'INVALID' }),
      )
    expect(two.warnings).toEqual([])
  })
})
