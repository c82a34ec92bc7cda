import type { CheckpointInfo, Snapshot } from '../../checkpoint.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { CheckpointerError } from '../../errors.ts'
import { randomId } from '../../ids.ts'
import { OwnCheckpoints } from '../shared/own-checkpoints.ts'
import { same } from '../shared/same.ts'
import { oneByOne } from '../shared/turns.ts'
import { tipsOf, treeOf, type Tree } from './branches.ts'
import {
  fieldsOf,
  isConversation,
  messageOf,
  revisionIn,
  WORKFLOW,
  type Change,
  type Conversation,
  type Entry,
} from './stored.ts'

type End = Pick<Snapshot<Conversation>, 'id' | 'state'>

/** Enough to keep a worker busy. */
const AT_ONCE = 8

/**
 * A conversation in a thread: a message is a checkpoint, on that of the message it follows, and its state is all from the
 * first message on; so a branch of the one is a branch of the other, and what is written is the message.
 */
export class ConversationThread {
  readonly #thread: Thread<Conversation>
  /** Where an answer is kept that is no message yet, if a transport keeps it. */
  readonly chat: Thread | undefined
  readonly #inTurn = oneByOne()
  /** By message, the latest checkpoint that ends with it: what comes behind it goes on from that. */
  #ends: Map<string, string> | undefined
  /** What was saved last, which the next message will most likely follow; so it need not be read. */
  #last: End | undefined
  readonly #own = new OwnCheckpoints()
  #isDeleted = false

  constructor(thread: Thread<Conversation>, chat?: Thread) {
    this.#thread = thread
    this.chat = chat
  }

  get id(): string {
    return this.#thread.id
  }

  /** It was deleted here, or is being deleted. */
  get isDeleted(): boolean {
    return this.#isDeleted
  }

  /** Whether it is so still: an import may have brought it back. */
  async isGone(): Promise<boolean> {
    return this.#isDeleted && this.#inTurn(() => this.#isGoneNow())
  }

  /** Whether a checkpoint was made by this tab; asked once for each. */
  isOwn(id: string): boolean {
    return this.#own.delete(id)
  }

  /** Lets go of what can be read again. */
  forget(): void {
    void this.#inTurn(async () => {
      this.#ends = undefined
      this.#last = undefined
    })
  }

  read(isWanted: (entry: Entry) => boolean): Promise<Tree> {
    return this.#inTurn(async () => {
      const infos = await this.#look()
      const tips: Snapshot<Conversation>[] = []
      const wanted = tipsOf(infos)
      for (let i = 0; i < wanted.length; i += AT_ONCE) {
        const loads = wanted.slice(i, i + AT_ONCE).map(({ id }) => this.#load(id))
        for (const tip of await Promise.all(loads)) if (tip) tips.push(tip)
      }
      return treeOf(infos, tips, isWanted)
    })
  }

  /** A message whose id is there already takes the place of that one. */
  append(entry: Entry, parentId: string | null): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#append(entry, parentId)
      } catch (error) {
        // What it was to follow may have been pruned since it was saved here.
        if (!CheckpointerError.is(error, 'NOT_FOUND') || !this.#last) throw error
        this.#last = undefined
        await this.#append(entry, parentId)
      }
    })
  }

  /** Appends those that come behind the last of them that is here. */
  takeIn(entries: readonly Entry[]): Promise<void> {
    return this.#inTurn(async () => {
      await this.#look()
      const known = entries.findLastIndex(({ id }) => this.#ends?.has(id))
      for (const [index, entry] of entries.entries())
        if (index > known) await this.#append(entry, entries[index - 1]?.id ?? null)
    })
  }

  async #append(entry: Entry, parentId: string | null): Promise<void> {
    const base = parentId === null ? undefined : await this.#endOf(parentId)
    if (parentId !== null && !base)
      throw new CheckpointerError(
        'NOT_FOUND',
        `Message '${entry.id}' follows '${parentId}', which is not in thread '${this.id}'.`,
        { thread: this.id },
      )
    const state = { messages: [...(base?.state.messages ?? []), entry] }
    try {
      await this.#save('append', state, { id: entry.id, parent: base?.id ?? null })
    } catch (error) {
      if (!CheckpointerError.is(error, 'CONFLICT') || !(await this.#change(entry))) throw error
    }
  }

  /** A message that is not there is appended. */
  async update(entry: Entry, parentId: string | null): Promise<void> {
    if (!(await this.#inTurn(() => this.#change(entry)))) await this.append(entry, parentId)
  }

  /** All of it. What a runtime has still to store of it is refused from now on: that would bring it back. */
  async deleteThread(): Promise<void> {
    this.#isDeleted = true
    try {
      await this.#inTurn(() => this.#thread.delete())
    } catch (error) {
      this.#isDeleted = false
      throw error
    }
    this.forget()
  }

  /** What follows it goes on from what was before it. */
  delete(id: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#change({ id, format: '', content: null, gone: true })
    })
  }

  /** Another thread, with what was said up to a message, or up to the head. */
  fork(message: string | undefined): Promise<Thread<Conversation>> {
    return this.#inTurn(async () => {
      const end = message === undefined ? await this.#load() : await this.#endOf(message)
      if (!end)
        throw new CheckpointerError('NOT_FOUND', `Thread '${this.id}' has no message '${message}'.`, {
          thread: this.id,
        })
      // An edit that changes nothing makes a checkpoint of its own, and with it the head of the fork.
      return this.#thread.fork({ at: end.id, edit: () => {} })
    })
  }

  /** Gives whether there is such a message. */
  async #change(entry: Entry): Promise<boolean> {
    const infos = await this.#look()
    // On the head where it is part of that, so that the head is still all that was said.
    const head = await this.#load()
    const isIn = (each: End | undefined): boolean =>
      each?.state.messages.some(({ id }) => id === entry.id) ?? false
    const base = isIn(head) ? head : await this.#endOf(entry.id)
    const old = base?.state.messages.find(({ id }) => id === entry.id)
    if (!base || !old) return false
    const { revision = 0, ...rest } = old
    // It may have been changed on another branch, of which this one knows nothing.
    const latest = infos.reduce((most, info) => Math.max(most, revisionIn(info, entry.id)), revision)
    if (latest === revision && same(rest, entry)) return true
    const changed = { ...entry, revision: latest + 1 }
    const messages = base.state.messages.map((each) => (each === old ? changed : each))
    const change = entry.gone ? 'delete' : 'update'
    await this.#save(change, { messages }, { id: randomId(), parent: base.id }, changed)
    return true
  }

  async #save(
    change: Change,
    state: Conversation,
    where: { readonly id: string; readonly parent: string | null },
    changed?: Entry,
  ): Promise<void> {
    if (this.#isDeleted && (await this.#isGoneNow())) throw noThread(this.id)
    this.#own.add(where.id)
    try {
      await this.#thread.save(state, { ...fieldsOf(change, state, changed), ...where })
      const end = state.messages.at(-1)
      if (end) this.#ends?.set(end.id, where.id)
      this.#last = { id: where.id, state }
    } catch (error) {
      this.#own.delete(where.id)
      throw error
    }
  }

  async #endOf(message: string): Promise<End | undefined> {
    const known = this.#ends?.get(message)
    const found = known === this.#last?.id ? this.#last : known && (await this.#load(known))
    if (found) return found
    // It may come from another tab, or its checkpoint may be gone.
    await this.#look()
    const end = this.#ends?.get(message)
    return end === undefined ? undefined : this.#load(end)
  }

  async #isGoneNow(): Promise<boolean> {
    if ((await this.#thread.namespaces()).length > 0) this.#isDeleted = false
    return this.#isDeleted
  }

  async #load(id?: string): Promise<Snapshot<Conversation> | undefined> {
    const found = await this.#thread.load(id)
    if (!found || isConversation(found.state)) return found
    throw new CheckpointerError(
      'UNSUPPORTED',
      `Thread '${this.id}' has a checkpoint that is no conversation: give a chat a thread of its own.`,
      { thread: this.id, seq: found.seq },
    )
  }

  async #look(): Promise<readonly CheckpointInfo[]> {
    const infos: CheckpointInfo[] = []
    for await (const info of this.#thread.history({ order: 'oldest' })) infos.push(info)
    this.#ends = new Map()
    for (const info of infos) {
      const message = messageOf(info) ?? (await this.#messageOfAnother(info))
      if (message !== undefined) this.#ends.set(message, info.id)
    }
    return infos
  }

  /** What somebody else has saved, as a fork with an edit does, says only in its state what it ends with. */
  async #messageOfAnother({ id, workflow }: CheckpointInfo): Promise<string | undefined> {
    const found = workflow === WORKFLOW ? undefined : await this.#load(id)
    return found?.state.messages.at(-1)?.id
  }
}

export const noThread = (id: string): CheckpointerError =>
  new CheckpointerError('NOT_FOUND', `There is no thread '${id}'.`, { thread: id })
