/** A page whose workers are killed under it, and that does no more about it than to call again. */
import { CheckpointerError, openCheckpointer, type Checkpointer, type Thread } from 'forkpoint'
import { lastingHost } from '../../../src/worker/lasting.ts'
import type { State } from './loads.ts'

interface Killed {
  readonly acknowledged: number
  readonly calledAgain: number
  /** Calls whose answer was lost, though what they asked for was done. */
  readonly hadLanded: number
  /** Kills after which this thread did the work. */
  readonly inThisThread: number
  readonly wrong: readonly string[]
}

type Saved = Map<string, Map<number, string>>

/** So many kills, each after so many milliseconds of work, then a look at all that was done. */
export async function killWorkers(load: {
  readonly name: string
  readonly moments: readonly number[]
}): Promise<Killed> {
  const work = new Work()
  let worker: Worker | undefined
  let inThisThread = 0
  const others: string[] = []
  const host = await lastingHost({
    message: { name: load.name },
    start: () => (worker = startWorker()),
    orHere: false,
    onWarning(warning) {
      if (warning.code === 'WORKER_LOST') inThisThread++
      else others.push(warning.message)
    },
    // Soon noticed; a worker that is only slow is then now and then taken for dead, which must do no harm.
    patience: { hello: 10_000, answer: 300, overdue: 200 },
  })
  const checkpointer = await openCheckpointer({ name: load.name, host })
  const loops = [work.saveMany(checkpointer), work.fork(checkpointer), work.prune(checkpointer)]
  for (const moment of load.moments) {
    // By now there is another one.
    await work.untilAnswered(() => checkpointer.thread('idle').load())
    await pause(moment)
    worker?.terminate()
    await work.another()
  }
  work.isOver = true
  await Promise.all(loops)
  const wrong = await work.untilAnswered(() => work.check(checkpointer))
  await checkpointer.close()
  const { calledAgain, hadLanded, acknowledged } = work
  return { acknowledged, calledAgain, hadLanded, inThisThread, wrong: [...wrong, ...others] }
}

const startWorker = (): Worker =>
  new Worker(new URL('../../../src/worker/worker.ts', import.meta.url), { type: 'module' })

class Work {
  isOver = false
  acknowledged = 0
  calledAgain = 0
  hadLanded = 0
  readonly #saved: Saved = new Map()
  readonly #pruned = new Map<string, number>()
  #count = 0
  #waiting: (() => void)[] = []

  /** Three at a time, without waiting for one another. */
  async saveMany(checkpointer: Checkpointer): Promise<void> {
    const thread = checkpointer.thread<State>('many')
    let messages: string[] = []
    while (!this.isOver) {
      const states = [1, 2, 3].map((): State => {
        messages = [...messages.slice(-60), `${this.#count} `.repeat(this.#count % 50)]
        return { mark: `many ${++this.#count}`, messages }
      })
      await Promise.all(states.map((state) => this.#save(thread, state)))
    }
  }

  async fork(checkpointer: Checkpointer): Promise<void> {
    const thread = checkpointer.thread<State>('forked')
    let head = await this.#save(thread, { mark: 'first', messages: [] })
    while (!this.isOver) {
      head = await this.#save(thread, { mark: `forked ${++this.#count}`, messages: [] }, { expect: head })
      if (head % 10 > 0) continue
      const fork = await this.untilAnswered(() => thread.fork({ as: `fork ${this.#count}` }))
      await this.#save(fork, { mark: `aside ${++this.#count}`, messages: [] })
    }
  }

  async prune(checkpointer: Checkpointer): Promise<void> {
    const thread = checkpointer.thread<State>('pruned')
    while (!this.isOver) {
      let seq = 0
      for (let i = 0; i < 5; i++)
        seq = await this.#save(thread, {
          mark: `pruned ${++this.#count}`,
          messages: ['word '.repeat(i * 300)],
        })
      this.#pruned.set(thread.id, seq - 2)
      await this.untilAnswered(() => thread.prune({ keepLast: 3 }))
    }
  }

  async #save(thread: Thread<State>, state: State, options: { expect?: number } = {}): Promise<number> {
    let again = 0
    const { seq, createdAt } = await this.untilAnswered(
      () => thread.save(state, options),
      () => (again = Date.now()),
    )
    if (createdAt.getTime() < again) this.hadLanded++
    const seqs = this.#saved.get(thread.id) ?? new Map<number, string>()
    this.#saved.set(thread.id, seqs.set(seq, state.mark))
    this.acknowledged++
    for (const resolve of this.#waiting.splice(0)) resolve()
    return seq
  }

  async untilAnswered<T>(call: () => Promise<T>, before?: () => void): Promise<T> {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (!CheckpointerError.is(error, 'WORKER_LOST')) throw error
        this.calledAgain++
        before?.()
      }
    }
  }

  /** Resolves with the next save that is acknowledged. */
  another(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Each save where it was said to be, once, and nothing beside. */
  async check(checkpointer: Checkpointer): Promise<string[]> {
    const wrong: string[] = []
    for (const [id, seqs] of this.#saved) {
      const wanted = new Map([...seqs].filter(([seq]) => seq >= (this.#pruned.get(id) ?? 0)))
      const own = checkpointer.thread<State>(id)
      for await (const { seq, state, source } of own.history({ states: true })) {
        const mark = wanted.get(seq)
        wanted.delete(seq)
        // A fork shows what its origin saved, too.
        const isBorrowed = id.startsWith('fork ') && mark === undefined && source === undefined
        if (isBorrowed ? state.mark.startsWith('aside') : state.mark !== mark)
          wrong.push(`${id} ${seq}: ${state.mark}, not ${mark ?? 'there at all'}`)
      }
      for (const [seq, mark] of wanted) wrong.push(`${id} ${seq}: ${mark} is missing`)
    }
    const { problems } = await checkpointer.verify()
    return [...wrong, ...problems.map((each) => JSON.stringify(each))]
  }
}

const pause = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time))
