import type {
  AgentInputItem,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents-core'
import type { RunText } from './run.ts'
import { same } from '../shared/same.ts'

type Aware = SessionHistoryTransactionAwareSession & SessionHistoryRewriteAwareSession

export interface Kept extends Aware {
  replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void>
  saveRun(run: RunText): Promise<void>
  dropRun(): Promise<void>
}

/** Adds what is not there yet of these items, behind the first so many. */
type AddBehind = (length: number, items: readonly AgentInputItem[]) => Promise<void>

/** What a run changes. */
export interface RunSession {
  readonly session: Kept
  readonly addBehind: AddBehind
}

interface Seen extends RunSession {
  /** How many items there were when the run began. */
  readonly before: number
  /** The run takes its history from the session, and not from a run that had waited. */
  readonly isFresh: boolean
}

/**
 * A session as a run sees it that may be played again: with what it held when the run began, and with each item once. What
 * the run adds is known by what it is, since the SDK adds it in other portions when a model has failed.
 */
export class JournaledSession implements Aware {
  readonly #session: Kept
  readonly #addBehind: AddBehind
  readonly #before: number
  #isFresh: boolean

  constructor({ session, addBehind, before, isFresh }: Seen) {
    this.#session = session
    this.#addBehind = addBehind
    this.#before = before
    this.#isFresh = isFresh
  }

  getSessionId(): Promise<string> {
    return this.#session.getSessionId()
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (!this.#isFresh) return this.#session.getItems(limit)
    this.#isFresh = false
    const items = (await this.#session.getItems()).slice(0, this.#before)
    if (limit === undefined) return items
    return limit > 0 ? items.slice(-limit) : []
  }

  addItems(items: AgentInputItem[]): Promise<void> {
    return this.#addBehind(this.#before, items)
  }

  async applyHistoryTransaction(args: SessionHistoryTransactionArgs): Promise<void> {
    const { transaction } = args
    if (transaction.type === 'append_items') return this.addItems(transaction.items)
    // Its id is another one than in the page before.
    if (
      !(await this.#endsWith(transaction.expectedSuffix)) &&
      (await this.#endsWith(transaction.replacement))
    )
      return undefined
    return this.#session.applyHistoryTransaction(args)
  }

  async applyHistoryMutations(args: SessionHistoryRewriteArgs): Promise<void> {
    await this.#session.applyHistoryMutations(args)
  }

  popItem(): Promise<AgentInputItem | undefined> {
    return this.#session.popItem()
  }

  clearSession(): Promise<void> {
    return this.#session.clearSession()
  }

  replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    return this.#session.replaceHistoryWithCompaction(items)
  }

  async #endsWith(items: readonly AgentInputItem[]): Promise<boolean> {
    return same(await this.#session.getItems(items.length), items)
  }
}
