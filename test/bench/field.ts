import type { BenchBrowser, ContenderPage } from './browser.ts'
import { mulberry32 } from './agent-loop.ts'
import { contenderNames, described, type ContenderName, type Measure } from './contenders.ts'
import type { ContenderFigures, Stopped } from './figures.ts'
import { spread } from './statistics.ts'
import type { WorkloadName } from './workloads.ts'

/** Everyone who runs one workload. Who fails is out, with the reason, and the others go on. */
export class Field {
  readonly #workload: WorkloadName
  readonly #among: readonly ContenderName[]
  readonly #say: (what: string) => void
  readonly #times = new Map<ContenderName, Map<Measure, number[]>>()
  readonly #failed = new Map<ContenderName, string>()
  readonly #stopped = new Map<ContenderName, Stopped[]>()
  /** How many threads are there to be pruned. */
  readonly prunable = new Map<ContenderName, number>()
  #pages = new Map<ContenderName, ContenderPage>()
  readonly #random = mulberry32(1)

  constructor(workload: WorkloadName, among: readonly ContenderName[], say: (what: string) => void) {
    this.#workload = workload
    this.#among = among
    this.#say = say
  }

  /** Those that are in it, in their order. */
  get names(): ContenderName[] {
    return this.#among.filter((name) => {
      return described(name).skips?.[this.#workload] === undefined && !this.#failed.has(name)
    })
  }

  /** A page for each, in a browser that was just started; `without` has none. */
  async enter(browser: BenchBrowser, asleep: boolean, without: readonly ContenderName[] = []): Promise<void> {
    this.#pages = new Map()
    for (const name of this.names) {
      if (without.includes(name)) continue
      await this.#guarded(name, async () => this.#pages.set(name, await browser.page(name, asleep)))
    }
  }

  /**
   * Something that each does in turn, in an order that is another one each time: what somebody leaves to the browser to
   * do is not always at the cost of the same one. The orders are the same in each run.
   */
  async each(
    work: (page: ContenderPage, name: ContenderName) => Promise<unknown>,
    measure?: Measure,
  ): Promise<void> {
    const names = this.names.filter((name) => this.#pages.has(name) && this.can(name, measure))
    for (const name of shuffled(names, this.#random)) {
      const page = this.#pages.get(name) as ContenderPage
      await this.#guarded(name, async () => {
        await page.toFront()
        await work(page, name)
      })
    }
  }

  can(name: ContenderName, measure: Measure | undefined): boolean {
    return measure === undefined || described(name).cannot?.[measure] === undefined
  }

  add(name: ContenderName, measure: Measure, ...values: readonly number[]): void {
    const times = this.#times.get(name) ?? new Map<Measure, number[]>()
    this.#times.set(name, times)
    times.set(measure, [...(times.get(measure) ?? []), ...values])
  }

  /** Adds to what was measured last. */
  more(name: ContenderName, measure: Measure, value: number): void {
    const last = this.#times.get(name)?.get(measure)?.pop() ?? 0
    this.add(name, measure, last + value)
  }

  stop(name: ContenderName, stopped: Stopped): void {
    this.#say(`${name} was stopped after ${stopped.at} of ${stopped.of} ${stopped.what}: it took too long`)
    this.#stopped.set(name, [...(this.#stopped.get(name) ?? []), stopped])
  }

  figures(): Partial<Record<ContenderName, ContenderFigures>> {
    return Object.fromEntries(
      contenderNames.flatMap((name) => {
        const times = [...(this.#times.get(name) ?? [])]
        const failed = this.#failed.get(name)
        const stopped = this.#stopped.get(name)
        if (times.length === 0 && failed === undefined) return []
        const measures = Object.fromEntries(times.map(([measure, values]) => [measure, spread(values)]))
        return [[name, { measures, ...(stopped ? { stopped } : {}), ...(failed ? { failed } : {}) }]]
      }),
    )
  }

  async #guarded(name: ContenderName, work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
      this.#say(`${name} is out: ${reason}`)
      this.#failed.set(name, reason)
      await this.#pages
        .get(name)
        ?.close()
        .catch(() => {})
      this.#pages.delete(name)
    }
  }
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  const mixed = [...all]
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[mixed[i], mixed[j]] = [mixed[j] as T, mixed[i] as T]
  }
  return mixed
}
