import { openCheckpointer, type Checkpointer, type Loop } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

interface Log {
  done: string[]
}

function device(name: string): () => Promise<Checkpointer> {
  const storage = Object.assign(memoryStorage(), { close: async () => {} })
  return async () => {
    const store = await openCheckpointer({ name, storage })
    onTestFinished(() => store.close())
    return store
  }
}

/** Two that hold one run, which was under way in the first when its page went. */
async function orphaned(): Promise<{ here: Checkpointer; there: Checkpointer }> {
  const openHere = device('here')
  const [first, there] = [await openHere(), await device('there')()]
  const running = first
    .thread<Log>('t')
    .run({ runId: 'r', initial: { done: [] } }, ({ step }) => step('wait', () => new Promise(() => {})))
  const over = expect(running).rejects.toMatchObject({ code: 'CLOSED' })
  await expect.poll(() => first.thread('t').latestRun()).toMatchObject({ status: 'running' })
  await expect.poll(async () => (await first.thread('t').load())?.pendingWrites.length).toBe(1)
  await first.sync(there)
  await first.close()
  await over
  const here = await openHere()
  expect(await here.thread('t').latestRun()).toMatchObject({ status: 'orphaned' })
  return { here, there }
}

const loops: Record<string, (loop: Loop<Log>) => Promise<string>> = {
  'without a change': async ({ step }) => step('wait', () => 'done'),
  'with another state': async (loop) => {
    loop.state.done.push(await loop.step('wait', () => 'done'))
    return 'done'
  },
}

it.each(Object.keys(loops))(
  'a run whose runner is gone here, and that has finished elsewhere, %s, has finished here',
  async (how) => {
    for (const isPushed of [false, true]) {
      const { here, there } = await orphaned()
      const loop = loops[how] ?? expect.unreachable()
      expect((await there.thread<Log>('t').run({ runId: 'r' }, loop)).result).toBe('done')
      for (let times = 0; times < 2; times++) await (isPushed ? there.sync(here) : here.sync(there))
      expect(await here.thread('t').latestRun()).toMatchObject({ runId: 'r', status: 'finished' })
      expect(await here.thread('t').heads()).toHaveLength(1)
      const again = await here.thread<Log>('t').run({ runId: 'r' }, () => expect.unreachable())
      expect(again).toMatchObject({ result: 'done' })
    }
  },
)

it('a run that is under way here goes on, also when it was taken up and has finished elsewhere', async () => {
  const [here, there] = [await device('here')(), await device('there')()]
  let goOn = (): void => {}
  const waiting = new Promise<void>((resolve) => (goOn = resolve))
  const running = here.thread<Log>('t').run({ runId: 'r', initial: { done: [] } }, async (loop) => {
    await loop.step('wait', () => waiting)
    loop.state.done.push('here')
    return 'here'
  })
  await expect.poll(async () => (await here.thread('t').load())?.pendingWrites.length).toBe(1)
  await here.sync(there)
  await there.thread<Log>('t').run({ runId: 'r' }, async ({ state, step }) => {
    await step('wait', () => {})
    state.done.push('there')
  })
  await here.sync(there)
  expect(await here.thread('t').latestRun()).toMatchObject({ status: 'running' })
  goOn()
  expect((await running).result).toBe('here')
  await here.sync(there)
  expect(await here.thread('t').heads()).toHaveLength(2)
})
