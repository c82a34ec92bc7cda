/** Where a conversation has been gone on with in more than one way, as its checkpoints tell. */
import type { CheckpointInfo } from 'forkpoint'
import type { Message } from '../agent/chat.ts'

/** The ways from one point; each is named by the last checkpoint on it. */
export interface Ways {
  readonly tips: readonly number[]
  /** Which of them is shown. */
  readonly at: number
}

type Node = Pick<CheckpointInfo, 'seq' | 'id' | 'parentId' | 'runId' | 'node' | 'source'>

/** What it is called when a way is shown again: a checkpoint that only leads back there. */
export const SHOWN_AGAIN = 'shown again'

export class Branches {
  readonly #byId = new Map<string, Node>()
  readonly #children = new Map<string | undefined, Node[]>()
  readonly #begins = new Map<string, Node>()
  /** The ids of those that lead to the head, and itself. */
  readonly #path = new Set<string>()

  /** Of a history, in any order. */
  constructor(history: Iterable<Node>) {
    const nodes = [...history].sort((a, b) => a.seq - b.seq)
    for (const node of nodes) this.#add(node)
    for (let node = nodes.at(-1); node; node = this.#parentOf(node)) this.#path.add(node.id)
  }

  /** The checkpoint before this user's message, to branch from; and that with which the run of it began. */
  before(message: Message): number | undefined {
    const begin = this.#begins.get(message.id)
    return begin && this.#parentOf(begin)?.seq
  }

  /** Where the answer to this user's message begins, to have it given anew. */
  begin(message: Message): number | undefined {
    return this.#begins.get(message.id)?.seq
  }

  /** Other ways to say what this user's message says. */
  waysOfSaying(message: Message): Ways | undefined {
    const begin = this.#begins.get(message.id)
    return begin && this.#ways(begin.parentId === undefined ? undefined : this.#meant(begin.parentId))
  }

  /** Other answers to this user's message. */
  waysOfAnswering(message: Message): Ways | undefined {
    const begin = this.#begins.get(message.id)
    return begin && this.#ways(begin.id)
  }

  #add(node: Node): void {
    this.#byId.set(node.id, node)
    if (node.node === SHOWN_AGAIN) return
    const parent = node.parentId === undefined ? undefined : this.#meant(node.parentId)
    this.#children.set(parent, [...(this.#children.get(parent) ?? []), node])
    // The later steps of a run are no beginning, though what they have begun with may be gone.
    const isBegin = node.source === 'input' || node.source === 'fork'
    if (node.runId !== undefined && isBegin) this.#begins.set(node.runId, node)
  }

  #ways(from: string | undefined): Ways | undefined {
    const ways = this.#children.get(from) ?? []
    const at = ways.findIndex((way) => this.#path.has(way.id))
    return ways.length < 2 || at < 0 ? undefined : { tips: ways.map((way) => this.#tipOf(way)), at }
  }

  /** The latest on this way. */
  #tipOf(way: Node): number {
    let latest = way.seq
    const open = [way.id]
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const at = this.#byId.get(id)
      if (at && at.seq > latest) latest = at.seq
      for (const child of this.#children.get(id) ?? []) open.push(child.id)
    }
    return latest
  }

  /** One that was only shown again stands for what was shown. */
  #meant(id: string): string {
    const node = this.#byId.get(id)
    return node?.node === SHOWN_AGAIN && node.parentId !== undefined ? this.#meant(node.parentId) : id
  }

  #parentOf({ parentId }: Node): Node | undefined {
    return parentId === undefined ? undefined : this.#byId.get(parentId)
  }
}
