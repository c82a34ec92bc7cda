/** What the page is made of, and what leads from one thing to the other; the views draw it. */
import type { Checkpointer, CheckpointerError } from 'forkpoint'
import { accountOf, accountOfWarning, type Account } from './threads/accounts.ts'
import { hashOf, idInHash, newName } from './threads/ids.ts'
import { OpenThread } from './threads/open-thread.ts'
import { Runs } from './threads/runs.ts'
import type { Found } from './threads/search.ts'
import { Store } from './threads/store.ts'
import { showAgain } from './threads/show-again.ts'
import { ThreadList } from './threads/thread-list.ts'

/** Something to be asked before it is done. */
export interface Asked {
  readonly question: string
  readonly yes: string
  readonly act: () => Promise<unknown>
}

export class App {
  readonly checkpointer: Checkpointer
  readonly runs: Runs
  readonly list: ThreadList
  readonly thread: Store<OpenThread>
  /** By thread; under '' what concerns all. */
  readonly accounts = new Store<Readonly<Record<string, Account>>>({})
  readonly asked = new Store<Asked | undefined>(undefined)
  /** What was looked for and opened: shown and marked, until something else is. */
  readonly found = new Store<Found | undefined>(undefined)
  /** Somebody is about to choose a model. */
  readonly choosesModel = new Store(false)

  constructor(checkpointer: Checkpointer) {
    this.checkpointer = checkpointer
    const onError = (error: unknown): void => this.tell('', accountOf(error))
    this.runs = new Runs({ checkpointer, tell: (id, account) => this.tell(id, account) })
    this.list = new ThreadList(checkpointer, onError)
    this.thread = new Store(this.#opened(idInHash() ?? newName()))
    checkpointer.subscribe((event) => {
      if (event.type === 'deleted' && event.thread === this.thread.value.id) this.open(newName())
    })
    addEventListener('hashchange', () => this.#show(idInHash() ?? newName()))
    this.runs.followOrphans()
  }

  open(id: string): void {
    location.hash = hashOf(id)
  }

  /** Opens what was found, at its place. */
  show(found: Found): void {
    this.found.set({ ...found })
    this.open(found.thread)
  }

  askDelete(): void {
    const { id } = this.thread.value
    this.asked.set({
      question: 'Delete this conversation? It cannot be brought back.',
      yes: 'Delete',
      act: () => this.checkpointer.thread(id).delete(),
    })
  }

  /** There is no room: of each thread what is not shown goes, the current answers stay. */
  async makeRoom(id: string): Promise<void> {
    const { dropOldSteps } = await import('./threads/make-room.ts')
    this.tell(id, await dropOldSteps(this.checkpointer))
  }

  /** A checkpoint that was chosen in the inspector is what is shown from now on, and gone on from. */
  async goBack({
    thread,
    namespace,
    seq,
  }: {
    readonly thread: string
    readonly namespace: string
    readonly seq: number
  }): Promise<void> {
    if (namespace !== '') return
    this.open(thread)
    await showAgain(this.checkpointer, thread, seq)
  }

  tell(id: string, account: Account | undefined): void {
    const { [id]: _before, ...others } = this.accounts.value
    this.accounts.set(account ? { ...others, [id]: account } : others)
  }

  warn(warning: CheckpointerError): void {
    this.tell(warning.thread ?? '', accountOfWarning(warning))
  }

  /** What fails is told, and nothing is left to the console. */
  attempt(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.tell(this.thread.value.id, accountOf(error)))
  }

  #show(id: string): void {
    if (id === this.thread.value.id) return
    if (this.found.value?.thread !== id) this.found.set(undefined)
    this.thread.value.close()
    this.thread.set(this.#opened(id))
  }

  /** An address may say anything; one that can name no thread is told, and a new one takes its place. */
  #opened(id: string): OpenThread {
    try {
      const opened = new OpenThread(id, this.checkpointer, this.runs, (account) => this.tell(id, account))
      history.replaceState(null, '', hashOf(id))
      return opened
    } catch (error) {
      this.tell('', accountOf(error))
      return this.#opened(newName())
    }
  }
}
