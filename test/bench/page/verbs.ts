import { tokens, type Message } from '../agent-loop.ts'
import { asItComes, type Answer } from './answer.ts'
import type { BenchPage, SavesAsked, SeedAsked, StreamAsked } from './api.ts'
import type { Contender, Step } from './contender.ts'
import { uncounted, weigh } from './handed.ts'
import { askHanded, files, memory } from './surroundings.ts'
import { Threads } from './threads.ts'
import { pause, timed, type Timing } from './timing.ts'

/** Steps that are seeded in one go. */
const TOGETHER = 200

/** Everything that is done with one contender. */
export function verbs(contender: Contender): BenchPage {
  const threads = new Threads()
  let turn = 0

  const finish = (step: Step): Promise<void> => uncounted(() => contender.finish?.(step))

  const wall = async (call: () => Promise<unknown>): Promise<number> => (await timed(call)).wall

  async function saves({ thread, shape, count, frozen, pause: between, watched, budget }: SavesAsked) {
    const timings: Timing[] = []
    let spent = 0
    for (let i = 0; i < count && spent < budget; i++) {
      const step = threads.next(thread, shape, frozen)
      const timing = await timed(() => contender.save(step), ++turn % watched === 0)
      weigh()
      timings.push(timing)
      spent += timing.wall
      if (between > 0) await pause(between)
      if (i === count - 1 || spent >= budget) await finish(step)
    }
    return { timings, spent }
  }

  async function seed({ prefix, threads: count, steps, shape, budget }: SeedAsked): Promise<number> {
    const start = performance.now()
    const waiting: Step[] = []
    const store = async (): Promise<void> => {
      const some = waiting.splice(0)
      if (contender.seed) await contender.seed(some)
      else for (const step of some) await contender.save(step)
      weigh()
      for (const step of some) if (step.seq === steps) await finish(step)
    }
    let begun = 0
    while (begun < count && performance.now() - start <= budget) {
      const thread = `${prefix}${begun++}`
      threads.begin(thread, shape)
      for (let step = 1; step <= steps; step++) {
        waiting.push(threads.next(thread, shape, true))
        if (waiting.length === TOGETHER) await store()
      }
    }
    await store()
    await contender.seeded?.()
    return begun
  }

  async function stream({ thread, count, watched }: StreamAsked): Promise<Timing> {
    const answer = threads.answer(thread, tokens(count))
    const timing = await timed(() => contender.stream?.(answer) ?? streamed(answer), watched)
    weigh()
    const step = answer.step()
    threads.take(step)
    await finish(step)
    return timing
  }

  /** As an application does it that stores whole states: in place, so that at most 50 ms of it are lost. */
  async function streamed(answer: Answer): Promise<void> {
    let save = (step: Step): Promise<unknown> => {
      save = (again) => (contender.resave ?? contender.save)(again)
      return contender.save(step)
    }
    await asItComes(answer.tokens(), () => save(answer.step()))
    await save(answer.step())
  }

  async function check(thread: string): Promise<void> {
    const found = JSON.stringify(ordered(await contender.load(thread)))
    if (found !== JSON.stringify(ordered(threads.state(thread))))
      throw new Error(`what was saved to ${thread} did not come back`)
  }

  async function listed(found: Promise<number> | undefined): Promise<void> {
    if ((await found) === 0) throw new Error('nothing was listed')
  }

  return {
    open: () => wall(() => contender.open()),
    async begin({ thread, shape }) {
      threads.begin(thread, shape)
      if (threads.state(thread).messages.length > 0) {
        const step = threads.next(thread, shape, false)
        await contender.save({ ...step, change: { added: step.state.messages } })
        weigh()
      }
    },
    saves,
    seed,
    stream,
    async jump({ thread, shape, to }) {
      let step: Step | undefined
      const added: Message[] = []
      while (threads.seq(thread) < to) {
        step = threads.next(thread, shape, false)
        added.push(...(step.change.added ?? []))
      }
      if (!step) return
      await contender.save({ ...step, change: { added } })
      await finish(step)
      weigh()
    },
    async load({ thread, check: isChecked = false }) {
      const { wall } = await timed(() => contender.load(thread))
      if (isChecked) await check(thread)
      return wall
    },
    list: () => wall(() => listed(contender.list?.())),
    page: ({ thread, most }) => wall(() => listed(contender.page?.(thread, most))),
    async fork({ thread, at, as, shape }) {
      const time = await wall(async () => contender.fork?.(thread, at, as))
      if (shape && at !== undefined) threads.branch(thread, at, as, shape)
      return time
    },
    prune: ({ thread, keep }) => wall(async () => contender.prune?.(thread, keep)),
    memory,
    handed: askHanded,
    files,
    close: async () => void (await contender.close()),
  }
}

/** Databases bring the fields of objects back in orders of their own. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, part]) => [name, ordered(part)]),
  )
}
