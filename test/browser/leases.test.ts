/** Leases where the browser gives no locks, as over plain http, and where workers die; all else is in the suite. */
import { openCheckpointer, type Checkpointer, type Host } from 'forkpoint'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StoredCheckpointer } from '../../src/checkpointer/checkpointer.ts'
import { createCodec } from '../../src/state/codec.ts'
import { beatClaims } from '../../src/tabs/beat-claims.ts'
import type { Claims } from '../../src/tabs/claims.ts'
import { localEvents } from '../../src/tabs/events.ts'
import { lockClaims } from '../../src/tabs/lock-claims.ts'
import { rejection } from '../../src/testing/checkpointer/ground.ts'
import { leaseLaws } from '../../src/testing/checkpointer/leases/leases.ts'
import { lostLeaseLaws } from '../../src/testing/checkpointer/leases/lost.ts'
import { connect } from '../../src/worker/connect.ts'
import { lastingHost } from '../../src/worker/lasting.ts'
import { newName, ownWorker } from '../support/workers.ts'

const { locks } = navigator
Object.defineProperty(navigator, 'locks', { value: undefined })
Object.defineProperty(crypto, 'randomUUID', { value: undefined })

/** Of workers that die; users wait longer. */
const patience = { hello: 2_000, answer: 150, overdue: 100 }
const onWarning = (): void => {}
const soon = { timeout: 10_000 }

const tabOn = (host: Host, claims: Claims): Checkpointer =>
  new StoredCheckpointer({
    host,
    codec: createCodec(),
    events: localEvents(),
    claims: async () => claims,
    onWarning,
  })

async function other(name: string): Promise<Checkpointer> {
  const checkpointer = await openCheckpointer({ name })
  onTestFinished(() => checkpointer.destroy())
  return checkpointer
}

describe('without locks, behind the worker', () => {
  for (const laws of [leaseLaws, lostLeaseLaws])
    laws(async () => {
      const name = newName()
      const open = (more = {}): Promise<Checkpointer> => openCheckpointer({ name, ...more })
      return { open, clear: async () => (await open()).destroy() }
    })

  it('a runner that has died is replaced after some seconds, and one that lives is not', async () => {
    const name = newName()
    const worker = ownWorker()
    // Nothing here waits for it: a machine that is busy must not look like a worker that has died.
    const host = await connect(worker, { name }, { onWarning })
    const dying = tabOn(host, beatClaims(host, onWarning))
    const thread = dying.thread<{ n: number }>('t')
    const lease = await thread.lease()
    await thread.save({ n: 1 })
    const two = await other(name)
    await rejection(two.thread('t').lease({ wait: 8_000 }), 'BLOCKED')
    worker.terminate()
    const next = await two.thread<{ n: number }>('t').lease()
    expect(next.token).toBeGreaterThan(lease.token)
    await two.thread<{ n: number }>('t').save({ n: 2 })
    await dying.close()
  })
})

describe.each(['with locks', 'without locks'])('%s, a lease outlives its worker', (kind) => {
  it('and is as good as before with the next one', async () => {
    const name = newName()
    const started: Worker[] = []
    const start = (): Worker => {
      const worker = ownWorker()
      started.push(worker)
      return worker
    }
    const host = await lastingHost({ message: { name }, start, orHere: false, onWarning, patience })
    const claims = kind === 'with locks' ? lockClaims(name, locks, host) : beatClaims(host, onWarning)
    const one = tabOn(host, claims)
    const thread = one.thread<{ n: number }>('t')
    const lease = await thread.lease()
    await thread.save({ n: 1 })
    const two = await other(name)
    const theirs = two.thread<{ n: number }>('t')
    started[0]?.terminate()
    // One or two calls find that the worker is gone, and go to the next one when they are repeated.
    await expect.poll(() => thread.load().then((head) => head?.seq, String), soon).toBe(1)
    expect(started.length).toBeGreaterThan(1)
    await thread.save({ n: 2 })
    expect(lease.signal.aborted).toBe(false)
    if (kind === 'without locks') await rejection(theirs.lease({ wait: false }), 'BLOCKED')
    await theirs.lease({ steal: true })
    started.at(-1)?.terminate()
    await expect.poll(() => thread.load().then((head) => head?.seq, String), soon).toBe(2)
    await rejection(thread.save({ n: 3 }), 'LEASE_LOST')
    expect((await theirs.load())?.state).toEqual({ n: 2 })
    await one.close()
  })
})
