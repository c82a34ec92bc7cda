import { CheckpointerError } from '../errors.ts'
import type { SaveManyRequest, SaveRequest } from '../operations/host.ts'
import { isAskedAgain, onlyReads, type Verb } from '../operations/verbs.ts'
import { fromWire, type WireError } from '../worker/wire.ts'

/** A call that is not answered yet. */
export interface Call {
  readonly id: number
  readonly verb: Verb
  readonly request: unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: CheckpointerError) => void
  /** How often it was sent. */
  sent: number
  /** How often in a row it may have been what the service worker died of. */
  deaths: number
}

export interface Answer {
  readonly value?: unknown
  readonly error?: WireError
}

/** What a service worker dies of so often is not tried for ever. */
const MOST_DEATHS = 5

/** What may be done twice, as its key or its very nature makes it one. */
const AGAIN: ReadonlySet<Verb> = new Set<Verb>([
  'save',
  'saveMany',
  'fork',
  'copy',
  'keepLease',
  'dropLease',
  'flush',
  'endCarry',
])
const isSafeAgain = (verb: Verb): boolean => isAskedAgain(verb) || AGAIN.has(verb)

/** All calls that are out or wait to be sent, in their order. */
export class Calls {
  readonly #calls = new Map<number, Call>()
  #ids = 0
  /** Whether any that only reads was answered since the last death, and any other: reads overtake. */
  readonly #answered = new Set<boolean>()

  get isEmpty(): boolean {
    return this.#calls.size === 0
  }

  add(verb: Verb, request: unknown, settle: Pick<Call, 'resolve' | 'reject'>): Call {
    const call: Call = { id: ++this.#ids, verb, request, ...settle, sent: 0, deaths: 0 }
    this.#calls.set(call.id, call)
    return call
  }

  inOrder(): readonly Call[] {
    return [...this.#calls.values()]
  }

  answered(id: number, { value, error }: Answer): void {
    const call = this.#calls.get(id)
    if (!call) return
    this.#answered.add(onlyReads(call.verb))
    this.#calls.delete(id)
    if (error) call.reject(call.sent > 1 ? refusedLate(call, error) : fromWire(error))
    else call.resolve(value)
  }

  /** The service worker has died: only what may be done twice stays, unless that may be what it dies of. */
  died(): void {
    for (const isRead of [true, false]) {
      const out = this.inOrder().filter(({ verb, sent }) => sent > 0 && onlyReads(verb) === isRead)
      // Those of a kind are begun in their order: once any of them was answered, the first is the suspect.
      const isAnySuspect = !this.#answered.has(isRead)
      out.forEach((call, index) => {
        call.deaths = isAnySuspect || index === 0 ? call.deaths + 1 : 0
        if (isSafeAgain(call.verb) && call.deaths < MOST_DEATHS) return
        this.#calls.delete(call.id)
        call.reject(lost(call, 'The service worker was stopped before it had answered.'))
      })
    }
    this.#answered.clear()
  }

  /** Nobody can be reached. */
  giveUp(message: string, cause?: unknown): void {
    this.#rejectAll((call) => lost(call, message, cause))
  }

  /** What was sent before may have been done before. */
  refused(error: WireError): void {
    this.#rejectAll((call) => (call.sent > 0 ? refusedLate(call, error) : fromWire(error)))
  }

  close(error: CheckpointerError): void {
    this.#rejectAll(() => error)
  }

  #rejectAll(make: (call: Call) => CheckpointerError): void {
    const calls = this.inOrder()
    this.#calls.clear()
    for (const call of calls) call.reject(make(call))
  }
}

/** As it is to be sent now: a save that is sent anew is looked up first. */
export function requestOf({ verb, request, sent }: Call): unknown {
  if (sent === 0) return request
  if (verb === 'save') return { ...(request as SaveRequest), retry: true }
  if (verb !== 'saveMany') return request
  const { saves, ...rest } = request as SaveManyRequest
  return { ...rest, saves: saves.map((save) => ({ ...save, retry: true })) }
}

/** Who is refused is not looked for: so nothing is said of what was sent before. */
function refusedLate(call: Call, error: WireError): CheckpointerError {
  const isRefused = error.code === 'FORBIDDEN' || error.code === 'UNSUPPORTED'
  const details = isRefused ? { ...error.details, outcome: outcomeOf(call) } : error.details
  return fromWire({ ...error, details })
}

const outcomeOf = ({ verb, sent }: Call): 'none' | 'unknown' =>
  onlyReads(verb) || sent === 0 ? 'none' : 'unknown'

const lost = (call: Call, message: string, cause?: unknown): CheckpointerError =>
  new CheckpointerError('WORKER_LOST', message, { outcome: outcomeOf(call), cause })
