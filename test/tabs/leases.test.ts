import 'fake-indexeddb/auto'
import type { Checkpointer, CheckpointerError, Host, Storage } from 'forkpoint'
import { indexedDbStorage } from 'forkpoint/storage/indexeddb'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StoredCheckpointer } from '../../src/checkpointer/checkpointer.ts'
import { createHost } from '../../src/operations/create-host.ts'
import { createCodec } from '../../src/state/codec.ts'
import { beatClaims } from '../../src/tabs/beat-claims.ts'
import type { Claims } from '../../src/tabs/claims.ts'
import { lockClaims } from '../../src/tabs/lock-claims.ts'
import { locksOf } from '../../src/tabs/locks-of.ts'
import { localEvents } from '../../src/tabs/events.ts'
import { withLocksShown } from '../../src/tabs/shown-locks.ts'
import { rejection } from '../../src/testing/checkpointer/ground.ts'
import { fullable } from '../support/fullable.ts'

/** A hundred times as fast as users have it, or so. */
const QUICK = { look: 10, silence: 20, beat: 20, beats: 1_000 }
const never = new Promise<never>(() => {})
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Each gives the storage of another tab on the same rows. */
const storages: [string, () => () => Storage][] = [
  [
    'memory',
    () => {
      const shared = Object.assign(memoryStorage(), { close: async () => {} })
      return () => shared
    },
  ],
  [
    'fake-indexeddb',
    () => {
      const name = crypto.randomUUID()
      return () => indexedDbStorage({ name })
    },
  ],
]

type Warn = (warning: CheckpointerError) => void

function checkpointerOver(host: Host, claims: Claims, onWarning: Warn = () => {}): Checkpointer {
  const [codec, events] = [createCodec(), localEvents()]
  return new StoredCheckpointer({ host, codec, events, claims: async () => claims, onWarning })
}

function tabOn(host: Host, pace: Partial<typeof QUICK> = {}, onWarning: Warn = () => {}): Checkpointer {
  const claims = beatClaims(host, onWarning, { ...QUICK, ...pace })
  const tab = checkpointerOver(host, claims, onWarning)
  onTestFinished(() => tab.close())
  return tab
}

const silent = (host: Host): Host => ({ ...host, keepLease: () => never })

describe.each(storages)('signs of life on %s', (_, place) => {
  async function twoTabs(
    change: (host: Host) => Host = (host) => host,
    pace?: Partial<typeof QUICK>,
    onWarning?: Warn,
  ) {
    const open = place()
    const one = tabOn(change(await createHost({ storage: open() })), pace, onWarning)
    return { open, one, two: tabOn(await createHost({ storage: open() })) }
  }

  it('one that gives none is replaced, and writes nothing when it wakes', async () => {
    const { one, two } = await twoTabs(silent)
    const thread = one.thread<{ n: number }>('t')
    const lease = await thread.lease()
    await thread.save({ n: 1 })
    const next = await two.thread<{ n: number }>('t').lease()
    expect(next.token).toBeGreaterThan(lease.token)
    await rejection(thread.save({ n: 2 }), 'LEASE_LOST')
    expect(lease.signal.aborted).toBe(true)
    expect((await two.thread('t').load())?.state).toEqual({ n: 1 })
  })

  it('one that gives them keeps its lease, busy or not', async () => {
    const { one, two } = await twoTabs()
    const lease = await one.thread('t').lease()
    await rejection(two.thread('t').lease({ wait: 800 }), 'BLOCKED')
    expect(lease.signal.aborted).toBe(false)
  })

  it('the store gives them on its own for a while, when the page is slow to ask, and no longer', async () => {
    let calls = 0
    const once = (host: Host): Host => ({
      ...host,
      keepLease: (request) => (calls++ === 0 ? host.keepLease(request) : never),
    })
    const { one, two } = await twoTabs(once, { beats: 30 })
    await one.thread('t').lease()
    await rejection(two.thread('t').lease({ wait: 500 }), 'BLOCKED')
    await two.thread('t').lease()
    expect(calls).toBe(2)
  })

  it('are told from silence without a touch, for several at once', async () => {
    const { open, one } = await twoTabs()
    const host = await createHost({ storage: open() })
    const claims = beatClaims(host, () => {}, QUICK)
    const dead = tabOn(silent(host))
    const lease = await one.thread('held').lease()
    const lost = await dead.thread('silent').lease()
    const held = (): Promise<boolean[]> =>
      Promise.all(['held', 'silent', 'never'].map((thread) => claims.isHeld(thread, {})))
    expect(await held()).toEqual([true, false, false])
    expect(await held()).toEqual([true, false, false])
    await dead.thread('silent').save({ n: 1 })
    expect(lost.signal.aborted).toBe(false)
    await lease.release()
    expect(await claims.isHeld('held', {})).toBe(false)
    const stop = new AbortController()
    const look = claims.isHeld('silent', { signal: stop.signal })
    stop.abort(new Error('enough'))
    expect(await look).toBe(false)
    const follower = checkpointerOver(host, claims)
    await (await follower.thread('silent').lease({ wait: false })).release()
    await one.thread('silent').lease()
    expect(await claims.isHeld('silent', {})).toBe(true)
    await rejection(follower.thread('silent').lease({ wait: false }), 'BLOCKED')
    await expect(claims.isHeld('silent', { signal: stop.signal })).rejects.toThrow('enough')
  })

  it('who was replaced while idle is told', async () => {
    const { one, two } = await twoTabs()
    const lease = await one.thread('t').lease()
    await two.thread('t').lease({ steal: true })
    await vi.waitFor(() => expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST' }))
  })

  it('a lease outlives the host under it', async () => {
    const open = place()
    const first = await createHost({ storage: open() })
    let host = first
    const verbs = Object.keys(first) as (keyof Host)[]
    const replaceable = Object.fromEntries(
      verbs.map((verb) => [verb, (request: never) => host[verb](request)]),
    ) as unknown as Host
    const one = tabOn(replaceable)
    const two = tabOn(await createHost({ storage: open() }))
    const thread = one.thread<{ n: number }>('t')
    await thread.lease()
    await thread.save({ n: 1 })
    host = await createHost({ storage: open() })
    await first.close()
    await thread.save({ n: 2 })
    await rejection(two.thread('t').lease({ wait: 500 }), 'BLOCKED')
    await two.thread('t').lease({ steal: true })
    host = await createHost({ storage: open() })
    await rejection(thread.save({ n: 3 }), 'LEASE_LOST')
    expect((await two.thread('t').load())?.state).toEqual({ n: 2 })
  })

  it('when they fail it is said once, and they go on', async () => {
    let calls = 0
    const failing = (host: Host): Host => ({
      ...host,
      keepLease: (request) =>
        calls++ % 10 < 3 ? Promise.reject(new Error('not now')) : host.keepLease(request),
    })
    const onWarning = vi.fn<Warn>()
    const { one, two } = await twoTabs(failing, {}, onWarning)
    const lease = await one.thread('t').lease()
    await vi.waitFor(() => expect(calls).toBeGreaterThan(5))
    expect(onWarning).toHaveBeenCalledOnce()
    expect(onWarning.mock.calls[0]?.[0]).toMatchObject({ code: 'FAILED', thread: 't' })
    await rejection(two.thread('t').lease({ wait: 200 }), 'BLOCKED')
    expect(lease.signal.aborted).toBe(false)
  })

  it('leave no rows behind when the lease is over', async () => {
    const { open, one } = await twoTabs()
    const storage = open()
    for (const id of ['kept', 'never saved']) {
      const thread = one.thread(id)
      const lease = await thread.lease()
      await sleep(50)
      if (id === 'kept') await thread.save({ n: 1 })
      await lease.release()
    }
    await sleep(50)
    const [rows] = await storage.read('kept', [{ table: 'meta', from: ['lease'], to: ['lease~'] }])
    expect(rows).toEqual([])
    expect(await storage.partitions({ limit: 10 })).toEqual(['', 'kept'])
  })
})

describe('a lease that could not be let go of, as the disk was full', () => {
  async function fullWhileReleased() {
    const disk = fullable()
    const host = await createHost({ storage: disk.storage })
    const [one, two] = [tabOn(host), tabOn(host)]
    const lease = await one.thread('t').lease()
    disk.fill()
    await rejection(lease.release(), 'QUOTA')
    disk.empty()
    return { disk, lease, one, two }
  }

  it('can be let go of again', async () => {
    const { lease, two } = await fullWhileReleased()
    await lease.release()
    await (await two.thread('t').lease({ wait: false })).release()
  })

  it('is not waited for by who comes next in its tab', async () => {
    const { disk, lease, one } = await fullWhileReleased()
    disk.fill()
    await rejection(one.thread('t').lease({ wait: false }), 'BLOCKED')
    disk.empty()
    const next = await one.thread('t').lease({ wait: false })
    // It is another's by now.
    await lease.release()
    await one.thread('t', { lease: next }).save({ n: 1 })
  })

  it('goes to others, though none of them waits for as long as it takes to see that it is silent', async () => {
    const { two } = await fullWhileReleased()
    await vi.waitFor(() => two.thread('t').lease({ wait: false }), { timeout: 3_000 })
  })
})

describe('a store that does not answer', () => {
  it('holds up no one who steals: he is told, and what comes late is given back', async () => {
    const host = await createHost({ storage: memoryStorage() })
    let answer = (): void => {}
    const asked = new Promise<void>((resolve) => (answer = resolve))
    const slow: Host = { ...host, takeLease: (request) => asked.then(() => host.takeLease(request)) }
    const [tab, other] = [tabOn(slow), tabOn(host)]
    const error = await rejection(tab.thread('t').lease({ steal: true, wait: 50 }), 'BLOCKED')
    expect(error.thread).toBe('t')
    answer()
    await vi.waitFor(async () => (await other.thread('t').lease({ wait: false })).release())
  })
})

describe('locks', () => {
  it('are not kept when the row cannot be put, and go to the next when the lease is over', async () => {
    const host = await createHost({ storage: memoryStorage() })
    let fails = true
    const failing: Host = {
      ...host,
      takeLease: (request) => (fails ? Promise.reject(new Error('not now')) : host.takeLease(request)),
    }
    const claims = lockClaims(crypto.randomUUID(), navigator.locks, failing)
    const tab = checkpointerOver(failing, claims)
    await expect(tab.thread('t').lease()).rejects.toThrow('not now')
    fails = false
    const lease = await tab.thread('t').lease({ wait: false })
    const next = tab.thread('t').lease()
    await lease.release()
    expect((await next).token).toBeGreaterThan(lease.token)
    await tab.close()
  })

  it('that come with no lease are let go of', async () => {
    const host = await createHost({ storage: memoryStorage() })
    let isRefused = true
    const refusing: Host = {
      ...host,
      takeLease: async (request) => (isRefused ? { sign: 'of another' } : host.takeLease(request)),
    }
    const tab = checkpointerOver(refusing, lockClaims(crypto.randomUUID(), navigator.locks, refusing))
    await rejection(tab.thread('t').lease({ wait: false }), 'BLOCKED')
    isRefused = false
    await (await tab.thread('t').lease({ wait: false })).release()
    await tab.close()
  })

  it('that are stolen abort the signal, before anything is written', async () => {
    const host = await createHost({ storage: memoryStorage() })
    const claims = lockClaims(crypto.randomUUID(), navigator.locks, host)
    const tab = checkpointerOver(host, claims)
    const lease = await tab.thread('t').lease()
    const other = await tab.thread('t').lease({ steal: true })
    await vi.waitFor(() => expect(lease.signal.aborted).toBe(true))
    await lease.release()
    await rejection(tab.thread('t').lease({ wait: false }), 'BLOCKED')
    expect(other.signal.aborted).toBe(false)
    await tab.close()
  })
})

describe('those with locks beside those whom no lock reaches, as a port has let them in', () => {
  async function both(change: (host: Host) => Host = (host) => host) {
    const [host, name] = [await createHost({ storage: memoryStorage() }), crypto.randomUUID()]
    const locked = () => {
      const tab = checkpointerOver(host, lockClaims(name, navigator.locks, host, QUICK))
      onTestFinished(() => tab.close())
      return tab
    }
    return { locked, far: tabOn(change(withLocksShown(host, locksOf(name, navigator.locks)))) }
  }
  it('who has the lock keeps it, however long the others look', async () => {
    const { locked, far } = await both()
    const lease = await locked().thread('t').lease()
    await rejection(far.thread('t').lease({ wait: false }), 'BLOCKED')
    await rejection(far.thread('t').lease({ wait: QUICK.look * QUICK.silence * 3 }), 'BLOCKED')
    await lease.release()
    await (await far.thread('t').lease({ wait: false })).release()
  })

  it('who gives signs of life keeps it, however long those with locks wait', async () => {
    const { locked, far } = await both()
    const tab = locked()
    const lease = await far.thread('t').lease()
    await rejection(tab.thread('t').lease({ wait: false }), 'BLOCKED')
    await rejection(tab.thread('t').lease({ wait: QUICK.look * QUICK.silence * 3 }), 'BLOCKED')
    expect(lease.signal.aborted).toBe(false)
    await lease.release()
    await (await tab.thread('t').lease({ wait: false })).release()
  })

  it('from one who gives no more of them it is taken, and may be stolen before', async () => {
    const { locked, far } = await both((host) => ({
      ...host,
      keepLease: (request) => host.keepLease({ ...request, times: 1 }).then(() => never),
    }))
    const tab = locked()
    const lease = await far.thread('t').lease()
    await far.thread('t', { lease }).save(1)
    await (await tab.thread('t').lease()).release()
    await rejection(far.thread('t', { lease }).save(2), 'LEASE_LOST')
    await far.thread('u').lease()
    await tab.thread('u').lease({ steal: true })
  })

  it('a run is no orphan to either while its runner lives', async () => {
    const { locked, far } = await both()
    const [one, two] = [locked(), locked()]
    void one
      .thread('by lock')
      .run({ initial: 0 }, () => never)
      .catch(() => {})
    void far
      .thread('by signs')
      .run({ initial: 0 }, () => never)
      .catch(() => {})
    for (const each of [two, far])
      await vi.waitFor(async () => {
        const seen: string[] = []
        for await (const { thread, status } of each.runs()) seen.push(`${thread}: ${status}`)
        expect(seen.toSorted()).toEqual(['by lock: running', 'by signs: running'])
      })
  })
})
