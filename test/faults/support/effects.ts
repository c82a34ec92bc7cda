import type { StepContext, UnknownDecision, UnknownStep } from '../../../src/index.ts'

type Call = Pick<StepContext, 'key' | 'attempt' | 'token'> & { readonly what: string; readonly told?: string }

/** How the world answers a call. */
export type Reply =
  | { readonly receipt: string }
  /** Nothing was done: the one who called was replaced, or the world was busy. */
  | { readonly refused: 'late' | 'busy' }

const BUSY_AT_FIRST = 'call'

/**
 * The witness of what is done outside, for one run: it is told by those who do it, with the key of the step, the
 * attempt and the token of their lease, and of all that is decided about steps of which nobody knew.
 */
export class Effects {
  /** What was done, in order. */
  readonly done: Call[] = []
  readonly late: Call[] = []
  /** What must never be. */
  readonly wrong: string[] = []
  /** Calls made again because a policy, or a person, has said so. */
  again = 0
  decided = 0
  readonly #attempts = new Set<string>()
  /** Attempts after which another one may follow. */
  readonly #mayFollow = new Set<string>()
  readonly #keys = new Map<string, string>()
  #token = 0

  do(call: Call): Reply {
    const { what, key, attempt, token } = call
    if (token < this.#token) {
      this.late.push(call)
      return { refused: 'late' }
    }
    this.#token = token
    const known = this.#keys.get(what)
    if (known !== undefined && known !== key) this.wrong.push(`${what} has two keys, ${known} and ${key}`)
    this.#keys.set(what, key)
    if (this.#attempts.has(nameOf(call))) this.wrong.push(`${what}: attempt ${attempt} came twice`)
    this.#attempts.add(nameOf(call))
    const isAllowed = attempt === 1 || this.#mayFollow.has(nameOf({ key, attempt: attempt - 1 }))
    if (!isAllowed) this.wrong.push(`${what}: attempt ${attempt}, and nobody has said so`)
    if (what === BUSY_AT_FIRST && attempt === 1) {
      this.#mayFollow.add(nameOf(call))
      return { refused: 'busy' }
    }
    if (this.receiptOf(key) !== undefined) this.again++
    this.done.push(call)
    return { receipt: receiptOf(what) }
  }

  /** Says how it went, when that is known here; else it is to be tried again, and who had it before `token` is late. */
  decide({ key, attempt }: UnknownStep, token = 0): UnknownDecision<string> {
    this.#token = Math.max(this.#token, token)
    this.decided++
    const receipt = this.receiptOf(key)
    if (receipt !== undefined) return { value: receipt }
    this.#mayFollow.add(nameOf({ key, attempt }))
    return 'retry'
  }

  receiptOf(key: string): string | undefined {
    const call = this.done.find((each) => each.key === key)
    return call && receiptOf(call.what)
  }

  /** What was written on what was done last of this. */
  toldBy(what: string): string | undefined {
    return this.done.findLast((call) => call.what === what)?.told
  }
}

const nameOf = ({ key, attempt }: Pick<Call, 'key' | 'attempt'>): string => `${attempt} ${key}`
const receiptOf = (what: string): string => `receipt of ${what}`

/** What the caller of the world makes of its reply. */
export function receiptIn(reply: Reply): string {
  if ('receipt' in reply) return reply.receipt
  throw new Error(`the world has refused: ${reply.refused}`)
}
