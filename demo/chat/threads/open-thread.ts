/** The thread that is open: what is seen of it, and what the user does with it. */
import type { Checkpointer } from 'forkpoint'
import { emptyChat, type Chat, type UserMessage } from '../agent/chat.ts'
import { accountOf, stepGone, type Account } from './accounts.ts'
import type { Branches, Ways } from './branches.ts'
import { follow, type Seen } from './follow.ts'
import { History } from './history.ts'
import { newId } from './ids.ts'
import type { Runs } from './runs.ts'
import { showAgain } from './show-again.ts'
import { Store } from './store.ts'
import { titleOf, writeTitle } from './titles.ts'

export class OpenThread {
  readonly id: string
  readonly seen = new Store<Seen>({})
  readonly branches = new Store<Branches | undefined>(undefined)
  /** How often something was said or asked for here: then its end is what one wants to see. */
  readonly asked = new Store(0)
  readonly #checkpointer: Checkpointer
  readonly #runs: Runs
  readonly #history: History
  readonly #tell: (account: Account) => void
  readonly #end = new AbortController()
  /** Whether there is anything yet is not known before it was looked for. */
  readonly #isKnown: Promise<void>

  constructor(id: string, checkpointer: Checkpointer, runs: Runs, tell: (account: Account) => void) {
    this.id = id
    this.#checkpointer = checkpointer
    this.#runs = runs
    this.#tell = tell
    this.#history = new History(checkpointer, id)
    const { signal } = this.#end
    const leave = checkpointer.subscribe((event) => {
      if (event.type !== 'pruned' || event.thread !== id) return
      this.#history.forget()
      this.#refreshBranches()
    })
    signal.addEventListener('abort', leave)
    this.#isKnown = new Promise((resolve, reject) => {
      const onSeen = (seen: Seen): void => {
        this.#show(seen)
        if (seen.chat) resolve()
      }
      follow(checkpointer, id, onSeen, signal).catch((error: unknown) => {
        if (signal.aborted) return
        tell(accountOf(error))
        reject(error)
      })
    })
    // Perhaps nobody waits for it.
    this.#isKnown.catch(() => {})
  }

  close(): void {
    this.#end.abort()
  }

  get isRunning(): boolean {
    const status = this.seen.value.run?.status
    return status === 'running' || status === 'waiting'
  }

  /**
   * What the user says begins a run, and the message has its id: so it is known which checkpoint brought it. False when
   * it could not be stored.
   */
  async send(text: string): Promise<boolean> {
    const runId = newId()
    try {
      await this.#isKnown
      if (this.seen.value.head === undefined) await this.#begin(text)
    } catch (error) {
      this.#tell(accountOf(error))
      return false
    }
    return this.#start({ runId, edit: saying(runId, text) })
  }

  /** The same message otherwise, on a branch of its own; false when that could not be stored. */
  async sayOtherwise(message: UserMessage, text: string): Promise<boolean> {
    const from = this.branches.value?.before(message)
    if (from === undefined) {
      this.#tell(stepGone)
      return false
    }
    const runId = newId()
    return this.#start({ runId, from, edit: saying(runId, text) })
  }

  /** Another answer to the same message, beside the one that is there. */
  async answerAnew(message: UserMessage): Promise<void> {
    const from = this.branches.value?.begin(message)
    if (from === undefined) this.#tell(stepGone)
    else await this.#start({ runId: newId(), from })
  }

  async show({ tips }: Ways, at: number): Promise<void> {
    const tip = tips[at]
    if (tip === undefined || this.isRunning) return
    await showAgain(this.#checkpointer, this.id, tip)
  }

  #start(options: Parameters<Runs['start']>[1]): Promise<boolean> {
    this.asked.set(this.asked.value + 1)
    return this.#runs.start(this.id, options)
  }

  /** There must be a checkpoint before the first message, or nobody could branch from there. */
  async #begin(text: string): Promise<void> {
    const thread = this.#checkpointer.thread<Chat>(this.id)
    // Never over what another tab has begun meanwhile.
    await thread.save(emptyChat(), { node: 'new', expect: null })
    await writeTitle(this.#checkpointer, this.id, titleOf(text))
  }

  #show(seen: Seen): void {
    const isOther = seen.head !== this.seen.value.head
    this.seen.set(seen)
    if (isOther) this.#refreshBranches()
  }

  #refreshBranches(): void {
    this.#history.branches().then(
      (branches) => this.branches.set(branches),
      (error: unknown) => {
        if (!this.#end.signal.aborted) this.#tell(accountOf(error))
      },
    )
  }
}

const saying =
  (runId: string, text: string) =>
  (draft: Chat): void =>
    void draft.messages.push({ role: 'user', id: runId, text })
