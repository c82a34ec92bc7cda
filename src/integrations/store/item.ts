import type { CheckpointerEvent, CheckpointInfo, Snapshot } from '../../checkpoint.ts'
import type { HistoryOptions } from '../../checkpointer/threads/history.ts'
import type { Which } from '../../checkpointer/threads/types.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'
import { Latest } from '../shared/latest.ts'
import { copyOf, isSame, valueOf } from '../shared/copy.ts'
import { OwnCheckpoints } from '../shared/own-checkpoints.ts'
import { contentOf, marksOf, storedContent, type Content } from './form.ts'
import { Rounds } from './rounds.ts'
import { redone, undone } from './turning.ts'

/** What an item stands in. */
export interface ItemSurroundings {
  readonly every: number
  readonly most: number
  readonly onRemove: 'keep' | 'delete'
  readonly onError: (error: CheckpointerError) => void
  readonly onWarning: (warning: CheckpointerError) => void
  /** Whatever others set is heard of: then what is known needs no look. */
  readonly hearsAll: boolean
}

const CHANGES: readonly CheckpointerEvent['type'][] = ['saved', 'deleted', 'forked', 'destroyed']
const GONE: Content = { gone: true }

/** One item: a thread of that name, of which each checkpoint is a whole value. */
export class Item {
  readonly #thread: Thread
  readonly #around: ItemSurroundings
  readonly #latest: Latest<Content>
  readonly #rounds: Rounds
  /** What was put or read last, in a copy that nobody else has; absent when it may be another by now. */
  #known: Content | undefined
  /** The same of what was read or written last, with the head that holds it: others may have set another since, unheard. */
  #stored: { readonly content: Content; readonly head: string | null } | undefined
  /** The head that was read or written here last; `null`: there was none. */
  #head: string | null | undefined
  readonly #own = new OwnCheckpoints()
  /** Deletions of the thread by this item, of which no event was heard yet. */
  #deletions = 0
  /** How many erasures were asked for, and how many of these are done: a value set behind one does not take its place. */
  #erasures = { asked: 0, done: 0 }
  #puts = 0
  /** How many writes were begun. */
  #writes = 0
  /** What it has become by somebody else's hand, as was heard last. */
  #news: { readonly head: string | undefined } | undefined
  /** Undos and redos under way: what the item is behind them is not known. */
  #turns = 0

  constructor(thread: Thread, around: ItemSurroundings) {
    this.#thread = thread
    this.#around = around
    this.#rounds = new Rounds(around.every)
    this.#latest = new Latest({
      ...around,
      write: (content) => this.#write(content),
      // A save that comes behind an erasure brings the thread back.
      isAlone: (content) => this.#isErasure(content) || this.#owesErasure,
    })
  }

  /** What is set while it is read waits, so that a read gives what was there when it was asked for. */
  async get(): Promise<unknown> {
    const unsettled = this.#latest.unsettled
    if (unsettled) return given(unsettled.value)
    const [puts, writes, news] = [this.#puts, this.#writes, this.#news]
    this.#latest.hold()
    try {
      const found = await this.#thread.load()
      const content = found ? contentOf({ state: found.state, marks: marksOf(found) }) : GONE
      this.#head = found?.id ?? null
      this.#rounds.read()
      // News may overtake what is read.
      const isLatest = this.#news === news || this.#news?.head === found?.id
      if (this.#writes === writes) this.#stored = { content, head: this.#head }
      if (this.#puts === puts) this.#known = isLatest ? content : undefined
      else if (found) this.#warn('was set before it had been read', 'what had been stored')
      return given(content)
    } finally {
      this.#latest.release()
    }
  }

  /** Takes the value in before it returns; rejects with a failure that no call was rejected with yet. */
  async set(value: unknown): Promise<void> {
    const content: Content = typeof value === 'string' ? { text: value } : { value: this.#copy(value) }
    if ((!this.#isKnown(content) && this.#isTaken(content)) || this.#latest.isFailing) this.#put(content)
    const untold = this.#latest.takeUntold()
    if (untold) throw untold
  }

  async remove(): Promise<void> {
    if (!this.#isKnown(GONE)) {
      // What was set before it is seen in the history, if that stays.
      if (this.#isErasure(GONE)) this.#erasures.asked++
      else this.#latest.write()
      this.#put(GONE)
    }
    await this.flush()
  }

  async flush(): Promise<void> {
    const untold = await this.#latest.flush()
    if (untold) throw untold
  }

  /** Begins to write what there is, before it returns: the page may be gone any moment. */
  hurry(): void {
    this.#latest.hurry()
  }

  async *history(options: HistoryOptions): AsyncGenerator<CheckpointInfo> {
    await this.flush()
    for await (const info of this.#thread.history(options)) {
      if (!('state' in info)) yield info
      else yield withValue(info as Snapshot)
    }
  }

  async fork(as: string, at: Which | undefined): Promise<void> {
    await this.flush()
    await this.#thread.fork({ as, at })
  }

  undo(): Promise<boolean> {
    return this.#turn(undone)
  }

  redo(): Promise<boolean> {
    return this.#turn(redone)
  }

  /** Whether it has become another, by somebody else's hand. */
  async hears(event: CheckpointerEvent): Promise<boolean> {
    if (!CHANGES.includes(event.type)) return false
    if ('namespace' in event && event.namespace !== this.#thread.namespace) return false
    // An event comes before the reply that says what was written here.
    await this.#latest.settled()
    if (event.type === 'saved' && this.#own.has(event.id)) return false
    if (event.type === 'deleted' && this.#deletions > 0) {
      this.#deletions--
      return false
    }
    this.#known = undefined
    this.#stored = undefined
    this.#news = { head: event.type === 'saved' ? event.id : undefined }
    this.#rounds.heard()
    return true
  }

  /** Lets go of its copy: what is set next is written also when it is the same. */
  forget(): void {
    this.doubt()
    this.#stored = undefined
  }

  /** Something may not have been heard: what is set next is held against what is there by then. */
  doubt(): void {
    if (!this.#latest.unsettled) this.#known = undefined
  }

  /** What is set meanwhile is written behind it, also when it is what the item was. */
  async #turn(turn: typeof undone): Promise<boolean> {
    const puts = this.#puts
    this.#turns++
    this.#latest.hold()
    try {
      await this.flush()
      const hasTurned = await this.#turned(turn)
      if (hasTurned && this.#puts === puts) this.#known = undefined
      return hasTurned
    } finally {
      this.#turns--
      this.#latest.release()
    }
  }

  async #turned(turn: typeof undone): Promise<boolean> {
    const head = await this.#thread.load()
    const found = head && (await turn(this.#thread, head))
    if (!head || !found) return false
    const { to, source, marks } = found
    this.#begins()
    const { id } = await this.#thread.save(to.state, {
      parent: to.id,
      expect: head.id,
      source,
      extra: { item: marks },
    })
    this.#head = id
    return true
  }

  #copy(value: unknown): unknown {
    const known = this.#known ?? this.#stored?.content
    return copyOf(known && 'value' in known ? known.value : undefined, value)
  }

  #isKnown(content: Content): boolean {
    const isSure = this.#around.hearsAll && this.#turns === 0
    return isSure && this.#known !== undefined && isSaid(this.#known, content)
  }

  /** Whether the head says so; or something was set since, whose place this would take behind it. */
  async #isNeedless(says: (head: CheckpointInfo | undefined) => boolean): Promise<boolean> {
    const puts = this.#puts
    let head: CheckpointInfo | undefined
    for await (const info of this.#thread.history({ limit: 1 })) head = info
    return says(head) || puts !== this.#puts
  }

  /** Nobody knows here what is stored, and nothing is on its way there but what is asked about. */
  get #isUnseen(): boolean {
    return !this.#stored && this.#turns === 0 && !this.#latest.unsettled
  }

  /** Not what two tabs set in turn, over and over. */
  #isTaken(content: Content): boolean {
    const rounds = this.#rounds.set(content)
    if (rounds === 'last')
      this.#warn(
        'is set by two tabs in turn, each time the other has set it: is one of them of another version? It is set here no more for that',
        'what was to be set',
      )
    return rounds === 'few'
  }

  #put(content: Content): void {
    this.#puts++
    this.#known = content
    this.#latest.put(content)
  }

  #isErasure(content: Content): boolean {
    return 'gone' in content && this.#around.onRemove === 'delete'
  }

  get #owesErasure(): boolean {
    return this.#erasures.done < this.#erasures.asked
  }

  /** What is stored is not known until what begins here is done, if it is the last by then. */
  #begins(): number {
    this.#stored = undefined
    return ++this.#writes
  }

  async #erase(): Promise<void> {
    this.#begins()
    const { asked } = this.#erasures
    if (await this.#thread.delete()) this.#deletions++
    this.#erasures.done = asked
    this.#head = null
  }

  async #write(content: Content): Promise<void> {
    if (this.#isErasure(content)) return this.#erase()
    const stored = this.#stored
    const isAgain = stored && !this.#owesErasure && isSaid(stored.content, content)
    if (isAgain && (await this.#isNeedless((head) => (head?.id ?? null) === stored.head))) return
    // Nothing is there to remove, and so nothing that an undo could bring back.
    const isGone = (head: CheckpointInfo | undefined): boolean => !head || marksOf(head).as === 'gone'
    if ('gone' in content && this.#isUnseen && (await this.#isNeedless(isGone))) return
    const { state, marks } = storedContent(content)
    const erasing = this.#owesErasure ? this.#erase() : undefined
    const write = this.#begins()
    const head = this.#head
    const fields = Object.keys(marks).length > 0 ? { extra: { item: marks } } : {}
    // Sent at once, too: the page may be gone before the reply.
    const saving = this.#thread.save(valueOf(state), fields)
    await Promise.allSettled([erasing, saving])
    await erasing
    const { id, parentId = null } = await saving
    this.#own.add(id)
    this.#head = id
    if (write === this.#writes) this.#stored = { content, head: id }
    const isOthers = parentId !== null && parentId !== head && !this.#own.has(parentId)
    if (head !== undefined && isOthers)
      this.#warn('was set over what another has set meanwhile, without a look at it', 'that')
  }

  #warn(what: string, which: string): void {
    const { id } = this.#thread
    const message = `Item '${id}' ${what}; ${which} is in its history, and an undo brings it back.`
    const warning = new CheckpointerError('CONFLICT', message, { thread: id })
    queueMicrotask(() => this.#around.onWarning(warning))
  }
}

/** Whether a content, copied with this one in view, says that nothing has changed. */
function isSaid(known: Content, content: Content): boolean {
  if ('gone' in content) return 'gone' in known
  if ('text' in content) return 'text' in known && known.text === content.text
  return 'value' in content && 'value' in known && isSame(known.value, content.value)
}

/** A copy for the caller, who may change it. */
function given(content: Content): unknown {
  if ('gone' in content) return null
  return 'text' in content ? content.text : valueOf(copyOf(undefined, valueOf(content.value)))
}

const withValue = (found: Snapshot): Snapshot => ({
  ...found,
  state: given(contentOf({ state: found.state, marks: marksOf(found) })),
})
