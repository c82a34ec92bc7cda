import { CheckpointerError, openCheckpointer, type Checkpointer, type Host, type Loop } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it } from 'vitest'
import { OUTCOME } from '../../../src/checkpointer/runs/journal/entries.ts'
import { createHost } from '../../../src/operations/create-host.ts'
import { mapHost } from '../../../src/operations/verbs.ts'
import { localEvents } from '../../../src/tabs/events.ts'

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A moment that is waited for. */
function moment() {
  let come = (): void => {}
  const until = new Promise<void>((resolve) => {
    come = resolve
  })
  return { until, come }
}

/** Runners of one store, each with calls of its own. */
async function opened() {
  const events = localEvents()
  const host = await createHost({ storage: memoryStorage(), publish: (event) => events.publish(event) })
  const open = (calls: Host = host): Promise<Checkpointer> =>
    openCheckpointer({ name: 'runner', host: { ...calls, events } })
  return { host, open }
}

/** The first outcome is stored at once, and said to be so 300 ms later. `slow` resolves in between. */
function slowed(host: Host) {
  const slow = moment()
  let isFirst = true
  const putWrites: Host['putWrites'] = async (request) => {
    const reply = await host.putWrites(request)
    if (!isFirst || !request.writes.some(({ channel }) => channel === OUTCOME.channel)) return reply
    isFirst = false
    slow.come()
    await rest(300)
    return reply
  }
  return { calls: { ...host, putWrites }, slow: slow.until }
}

it('a run that is answered while it is about to wait goes on with its lease, and is said to run', async () => {
  const { host, open } = await opened()
  const { calls, slow } = slowed(host)
  const [runner, other] = [await open(calls), await open()]
  const paid = moment()
  const running = runner.thread('t').run({}, async (loop) => {
    await Promise.all([loop.ask('Go?'), loop.step('beside', () => rest(20))])
    await loop.step('pay', () => paid.until)
  })
  await slow
  await rest(50)
  await other.thread('t').answer('yes')
  await rest(500)
  expect((await other.thread('t').latestRun())?.status).toBe('running')
  await expect(other.thread('t').lease({ wait: false })).rejects.toMatchObject({ code: 'BLOCKED' })
  paid.come()
  expect((await running).status).toBe('finished')
})

it('a run that begins a step while it is about to wait keeps its lease as long as that is under way', async () => {
  const { host, open } = await opened()
  const { calls, slow } = slowed(host)
  const [runner, other] = [await open(calls), await open()]
  const paid = moment()
  const running = runner.thread('t').run({}, async (loop) => {
    const asked = loop.ask('Go?')
    await loop.step('first', () => rest(20))
    await rest(50)
    await loop.step('pay', () => paid.until)
    await asked
  })
  await slow
  await rest(500)
  await expect(other.thread('t').lease({ wait: false })).rejects.toMatchObject({ code: 'BLOCKED' })
  paid.come()
  await expect.poll(async () => (await other.thread('t').latestRun())?.status).toBe('waiting')
  await other.thread('t').answer('yes')
  expect((await running).status).toBe('finished')
})

it('a stream that goes on beside a question is not read before the run has its thread again', async () => {
  const { open } = await opened()
  const [runner, other] = [await open(), await open()]
  const [cut, resumed, read] = [new AbortController(), moment(), moment()]
  const readWhileHeld: boolean[] = []
  let isHeld = false
  const loop = async (own: Loop<unknown>): Promise<string> => {
    const asked = own.ask<string>('Go?')
    asked.catch(() => {})
    if (own.began === 'resumed') await resumed.until
    const words = own.stream('words', ({ chunks }) => source(chunks.length), { whenCut: 'continue' })
    for await (const word of words) if (own.began === 'fresh') cut.abort(new Error(`cut off at ${word}`))
    read.come()
    return asked
  }
  async function* source(from: number): AsyncGenerator<string> {
    readWhileHeld.push(isHeld)
    for (const word of ['one', 'two'].slice(from)) {
      yield word
      await rest(20)
    }
  }
  const first = runner.thread('t').run({ signal: cut.signal }, loop)
  await expect(first).rejects.toThrow('cut off')
  const running = runner.thread('t').run({}, loop)
  await expect.poll(async () => (await other.thread('t').latestRun())?.status).toBe('waiting')
  const lease = await other.thread('t').lease()
  isHeld = true
  resumed.come()
  await rest(200)
  isHeld = false
  await lease.release()
  await read.until
  expect(readWhileHeld).toEqual([false, false])
  await other.thread('t').answer('yes')
  expect((await running).result).toBe('yes')
}, 20_000)

/** From 0 to 1, always the same for a seed. */
function chance(seed: number): () => number {
  let last = seed * 7919
  return () => {
    last = (last * 1_664_525 + 1_013_904_223) >>> 0
    return last / 2 ** 32
  }
}

interface Round {
  round: number
}

const ROUNDS = 3

/** Two runners of one run, whose calls are late, and a person who answers whatever is asked. */
async function world(seed: number): Promise<readonly string[]> {
  const random = chance(seed)
  const maybe = async (): Promise<void> => void (random() < 0.3 && (await rest(random() * 60)))
  const { host, open } = await opened()
  const late = mapHost(host, (call) => async (request) => {
    await maybe()
    const reply = await call(request)
    await maybe()
    return reply
  })
  const did: string[] = []
  const plan = Array.from({ length: ROUNDS }, random)
  const loop = async (own: Loop<Round>): Promise<void> => {
    const step = (name: string): Promise<void> =>
      own.step(name, () => {
        did.push(name)
        return rest(20 + random() * 60)
      })
    for (let { round } = own.state; round < ROUNDS; round++) {
      const chosen = plan[round] ?? 0
      const works = async (): Promise<void> => {
        await step(`first ${round}`)
        await rest(chosen * 60)
        await step(`second ${round}`)
      }
      const asks = async (): Promise<void> => {
        await own.ask(round, { name: `question ${round}` })
        await step(`third ${round}`)
      }
      await Promise.all([works(), asks()])
      own.state = { round: round + 1 }
      if (chosen < 0.3) await own.save()
    }
  }
  const runs = async (checkpointer: Checkpointer): Promise<void> => {
    for (;;)
      try {
        await checkpointer.thread<Round>('t').run({ runId: 'r', initial: { round: 0 } }, loop)
        return
      } catch (error) {
        if (!CheckpointerError.is(error, 'LEASE_LOST')) throw error
        await rest(10)
      }
  }
  let isOver = false
  const answers = async (panel: Checkpointer): Promise<void> => {
    while (!isOver) {
      await rest(random() * 80)
      await panel
        .thread('t')
        .answer('yes')
        .catch(() => {})
    }
  }
  const answering = answers(await open(late))
  const [one, two] = [runs(await open(late)), rest(random() * 400).then(async () => runs(await open(late)))]
  await Promise.all([one, two])
  isOver = true
  await answering
  return did
}

it('an answer that comes while the run lets go of its thread leaves it running: were it killed now, it could be found', async () => {
  const { host, open } = await opened()
  const [parking, answered] = [moment(), moment()]
  let refused = 0
  const putWrites: Host['putWrites'] = async (request) => {
    if (request.run?.status !== 'waiting') return host.putWrites(request)
    parking.come()
    await answered.until
    try {
      return await host.putWrites(request)
    } catch (error) {
      refused++
      expect((await host.head({ thread: 't', namespace: '' })).run?.status).toBe('running')
      throw error
    }
  }
  const runner = await open({ ...host, putWrites })
  const running = runner.thread<object>('t').run({ initial: {} }, (loop) => loop.ask('may it?'))
  await parking.until
  await (await open()).thread('t').answer('it may')
  answered.come()
  expect((await running).result).toBe('it may')
  expect(refused).toBe(1)
})

it.each(['close', 'flush'] as const)(
  '%s() does not wait for the one who has the thread of a run that waits',
  async (verb) => {
    const { open } = await opened()
    const [one, two] = [await open(), await open()]
    const thread = one.thread<object>('t')
    const goOn = moment()
    const running = thread.run({ initial: {} }, async (loop) => {
      const asking = loop.ask('may it?')
      asking.catch(() => {})
      await goOn.until
      await loop.step('other', () => rest(5))
      return asking
    })
    running.catch(() => {})
    await expect.poll(async () => (await thread.latestRun())?.status).toBe('waiting')
    const lease = await two.thread('t').lease()
    goOn.come()
    await rest(20)
    await one[verb]()
    if (verb === 'close') return
    await lease.release()
    await two.thread('t').answer('it may')
    expect((await running).result).toBe('it may')
  },
)

it('no step is done twice by two runners that live, however late their calls are', async () => {
  const seeds = Array.from({ length: 60 }, (_, n) => n + 1)
  const worlds = await Promise.all(seeds.map(world))
  for (const did of worlds) expect(did.toSorted()).toEqual([...new Set(did)].toSorted())
}, 60_000)
