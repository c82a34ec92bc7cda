import { openCheckpointer, type Checkpointer, type Loop } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { offBy } from '../../support/off-by.ts'

const HOUR = 3_600_000

/** A device that is opened again finds what it had: its storage outlives it. */
function device(name: string): () => Promise<Checkpointer> {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  return () => openCheckpointer({ name, storage })
}

const statusOn = async (store: Checkpointer): Promise<string | undefined> =>
  (await store.thread('t').latestRun())?.status

const asks = (loop: Loop<unknown>): Promise<string> => loop.ask<string>('Go?')

describe.each([
  ['is behind', -HOUR],
  ['is right', 0],
  ['is ahead', HOUR],
])('a run that is answered on a device whose clock %s', (_how, skew) => {
  it('waits no more on any of them once they have met, and is an orphan where nobody runs it', async () => {
    const openHere = device('here')
    const first = await openHere()
    const running = first.thread('t').run({}, asks)
    const over = expect(running).rejects.toMatchObject({ code: 'CLOSED' })
    await expect.poll(() => statusOn(first)).toBe('waiting')
    await first.close()
    await over

    const [here, there] = [await openHere(), await device('there')()]
    onTestFinished(() => Promise.all([here.close(), there.close()]).then(() => {}))
    await offBy(skew, async () => {
      await here.sync(there)
      await there.thread('t').answer('yes')
    })
    for (let times = 0; times < 2; times++) await here.sync(there)
    const orphans: string[] = []
    onTestFinished(here.onOrphan(({ runId }) => void orphans.push(runId)))
    await expect.poll(() => orphans.length, { timeout: 15_000 }).toBe(1)
    expect(await statusOn(here)).toBe('orphaned')
    expect(await statusOn(there)).toBe('orphaned')
    expect((await here.thread('t').run({}, asks)).result).toBe('yes')
  }, 30_000)

  it('has finished on all of them when its runner, who was there all along, has', async () => {
    const [here, there] = [await device('here')(), await device('there')()]
    onTestFinished(() => Promise.all([here.close(), there.close()]).then(() => {}))
    const running = here.thread('t').run({}, asks)
    await expect.poll(() => statusOn(here)).toBe('waiting')
    await here.sync(there)
    await offBy(skew, () => there.thread('t').answer('yes'))
    await here.sync(there)
    expect((await running).result).toBe('yes')
    await here.sync(there)
    expect([await statusOn(here), await statusOn(there)]).toEqual(['finished', 'finished'])
  })
})
