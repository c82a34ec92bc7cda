import { CheckpointerError } from '../../../errors.ts'
import { newId } from '../../new-id.ts'
import type { Intent, JournalStep, Outcome, StepKind } from './entries.ts'
import { isAboutStep, type AboutStep } from './unknown.ts'

/** How long a step that is not in the journal waits for one that is to be asked for first. */
const GRACE = 1_000

/** One step that the loop has begun; `found` when the journal knows it. */
export interface Claim {
  readonly key: string
  readonly intent: Intent
  readonly found: JournalStep | undefined
}

/** The attempt at a step that others are part of. */
export interface Parent {
  readonly key: string
  readonly attempt: number
  /** Aborted when its time is over, or the run's. */
  readonly signal: AbortSignal
  /** Aborted when it has failed: nothing more is part of it then. */
  readonly failed: AbortSignal
}

interface Open {
  readonly name: string
  readonly kind: StepKind
  readonly parent: string | undefined
  /** How often it was begun, by this runner. */
  begun: number
}

/**
 * The steps since a checkpoint: those that the journal knows, and those that the loop has begun now. A step is known
 * by its name, and by which of that name it is, since steps that run side by side begin in any order.
 */
export class Book {
  readonly #runId: string
  readonly #known: readonly JournalStep[]
  readonly #about: readonly JournalStep[]
  readonly #claimed = new Set<JournalStep>()
  readonly #counts = new Map<string | undefined, Map<string, number>>()
  readonly #open = new Map<number, Open>()
  readonly #waiting = new Set<() => void>()
  readonly #atRest = new Set<() => void>()
  /** What was begun here, by the key of what it is part of, for when that is tried again. */
  readonly #parts = new Map<string, JournalStep[]>()
  /** The external steps that were begun here and are part of none. */
  readonly #external: Intent[] = []
  readonly #doneOutside = new Set<string>()
  #last: number

  constructor(runId: string, known: readonly JournalStep[]) {
    this.#runId = runId
    this.#known = known.filter((step) => !isAboutStep(step.question))
    this.#about = known.filter((step) => isAboutStep(step.question))
    for (const step of known) this.#noteDone(step, step.outcome)
    this.#last = known.reduce((last, { order }) => Math.max(last, order), 0)
  }

  /** The steps that are under way. */
  get open(): readonly string[] {
    return Array.from(this.#open.values(), ({ name }) => name)
  }

  /** The names of the external steps that were done. */
  get doneOutside(): ReadonlySet<string> {
    return this.#doneOutside
  }

  /** Begins a step, without a pause; it is under way until it is closed. */
  claim(kind: StepKind, name: string, more: Pick<Intent, 'external' | 'question'>, parent?: Parent): Claim {
    const nth = this.#count(parent?.key, name)
    const isIt = (step: JournalStep): boolean =>
      step.name === name && step.nth === nth && step.parent === parent?.key
    const known = this.#known.find(isIt)
    const found = (parent && this.#parts.get(parent.key)?.find(isIt)) ?? known
    if (found && found.kind !== kind) throw mismatch(`${found.kind} '${name}'`, `${kind} '${name}'`)
    if (known) {
      this.#claimed.add(known)
      for (const wake of this.#waiting) wake()
    }
    if (!found && more.external && !parent) this.#refuseRepetition(name)
    const within = [...this.#open.keys()]
    const order = found?.order ?? ++this.#last
    this.#open.set(order, { name, kind, parent: parent?.key, begun: 0 })
    const of = parent ? { parent: parent.key } : {}
    const intent: Intent = found ?? { runId: this.#runId, kind, name, nth, order, within, ...of, ...more }
    return { key: found?.key ?? newId(), intent, found }
  }

  /** What a person is asked about a step of which nobody knows whether it was done. */
  claimAbout(question: AboutStep): Claim {
    const found = this.#about.find(
      ({ question: known }) =>
        isAboutStep(known) && known.key === question.key && known.attempt === question.attempt,
    )
    const order = found?.order ?? ++this.#last
    const fresh = {
      kind: 'question',
      name: question.name,
      nth: 0,
      order,
      within: [],
      external: false,
    } as const
    return { key: found?.key ?? newId(), intent: found ?? { ...fresh, runId: this.#runId, question }, found }
  }

  /** It is begun, perhaps again: then its parts are counted from the first. */
  begin(claim: Claim, attempt: number): void {
    const { key, intent } = claim
    this.#counts.delete(key)
    const open = this.#open.get(intent.order)
    if (open) open.begun++
    if (intent.parent === undefined && intent.external && open?.begun === 1) this.#external.push(intent)
    this.#note(claim, { attempt })
  }

  end(claim: Claim, attempt: number, outcome: Outcome): void {
    this.#noteDone(claim.intent, outcome)
    this.#note(claim, { attempt, outcome })
  }

  /** One that has failed may well be tried again. */
  #noteDone({ external, name }: Intent, outcome: Outcome | undefined): void {
    if (external && outcome && 'value' in outcome) this.#doneOutside.add(name)
  }

  #note({ key, intent }: Claim, how: Pick<JournalStep, 'attempt' | 'outcome'>): void {
    if (intent.parent === undefined) return
    const others = (this.#parts.get(intent.parent) ?? []).filter((part) => part.key !== key)
    const { outcome: _before, ...as } = { outcome: undefined, ...intent }
    this.#parts.set(intent.parent, [...others, { ...as, key, batches: [], ...how }])
  }

  close({ intent }: Claim): void {
    this.#open.delete(intent.order)
    for (const tell of this.#atRest) tell()
  }

  /** Resolves when nothing that is part of this step is under way. */
  async partsRest(key: string): Promise<void> {
    const isAtRest = (): boolean => [...this.#open.values()].every(({ parent }) => parent !== key)
    if (isAtRest()) return
    await new Promise<void>((resolve) => this.#whenAtRest(isAtRest, resolve))
  }

  /** Calls it once, when that is so after something has ended. */
  #whenAtRest(isAtRest: () => boolean, tell: () => void): () => void {
    const look = (): void => {
      if (isAtRest() && this.#atRest.delete(look)) tell()
    }
    this.#atRest.add(look)
    return () => void this.#atRest.delete(look)
  }

  /** Resolves when nothing is under way but questions, or after so many milliseconds. */
  async rests(most: number): Promise<void> {
    if (!this.#isWorking) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, most)
      this.#whenAtRest(
        () => !this.#isWorking,
        () => {
          clearTimeout(timer)
          resolve()
        },
      )
    })
  }

  get #isWorking(): boolean {
    return [...this.#open.values()].some(({ kind }) => kind !== 'question')
  }

  /**
   * Before a step that the journal does not know is run: one that it knows, and that was begun with nothing else under
   * way, must come first. Another branch of the loop may be about to ask for it; if none does, the loop has changed.
   */
  async inOrder({ found, intent }: Claim): Promise<void> {
    if (found || !this.#missed()) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GRACE)
      const wake = (): void => {
        if (this.#missed()) return
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
    })
    const missed = this.#missed()
    if (missed) throw mismatch(`'${missed.name}'`, `'${intent.name}'`)
  }

  /** Before the journal is left behind: refuses when a step in it was not asked for. */
  refuseUnclaimed(doing: string): void {
    const unclaimed = this.#known.find((step) => !this.#claimed.has(step) && !this.#isPartOfAnother(step))
    if (unclaimed) throw mismatch(`'${unclaimed.name}'`, doing)
  }

  #count(parent: string | undefined, name: string): number {
    const counts = this.#counts.get(parent) ?? new Map<string, number>()
    const nth = (counts.get(name) ?? 0) + 1
    this.#counts.set(parent, counts.set(name, nth))
    return nth
  }

  /** A step is tried again, and one that was begun beside or within it was begun already: it must not be done twice. */
  #refuseRepetition(name: string): void {
    const again = [...this.#open].filter(([, { begun }]) => begun > 1)
    const done = again.find(([order]) =>
      this.#external.some((step) => step.name === name && step.within.includes(order)),
    )
    if (done) throw repeated(name, done[1].name)
  }

  #missed(): JournalStep | undefined {
    return this.#known.find((step) => !this.#claimed.has(step) && step.within.length === 0)
  }

  /** It may have been begun by one that is not run again, or not for the first time: so it is with all that are known. */
  #isPartOfAnother({ within }: JournalStep): boolean {
    return this.#known.some(({ order, kind }) => within.includes(order) && kind !== 'question')
  }
}

const mismatch = (journaled: string, asked: string): CheckpointerError =>
  new CheckpointerError(
    'INVALID',
    `The journal has the step ${journaled} where the loop comes to ${asked}. The loop has changed, or does again what it did before its last save, as loop.state does not say so. Nothing was run. Begin anew from the checkpoint with { from }, which leaves the journal behind.`,
  )

const repeated = (name: string, within: string): CheckpointerError =>
  new CheckpointerError(
    'INVALID',
    `'${within}' is tried again, and '${name}' was begun already while it was under way. Begin it with the \`step\` that the function of '${within}' is given; or if it is no part of it, give it another name.`,
  )
