import type { Thread } from '../../checkpointer/thread.ts'
import { nameOf, type Place } from './places.ts'
import { factsIn } from './stored.ts'

/** What of a place must be known to put one more checkpoint into it. */
export interface Head {
  readonly id: string
  /** The greatest id so far, where the ids have not come in their order. */
  readonly latest?: string
}

const MOST = 64

/**
 * The head of each place, as last seen from here: a save says which head it expects, so one that is out of date is
 * noticed, and costs another look. LangGraph's latest checkpoint is the one with the greatest id, and ours is the one
 * saved last. As ids hold the time, these are the same, but for clocks that differ; then the head says which it is. What
 * another store has put, and a sync has brought, counts once its head has been chosen.
 */
export class Heads {
  readonly #heads = new Map<string, Head>()

  async of(thread: Thread): Promise<Head | undefined> {
    const known = this.#heads.get(nameOf(placeIn(thread)))
    if (known) return known
    const [head] = await thread.heads()
    const latest = head && factsIn(head)?.latest
    return head && { id: head.id, ...(latest === undefined ? {} : { latest }) }
  }

  set(thread: Thread, head: Head): void {
    const name = nameOf(placeIn(thread))
    this.#heads.delete(name)
    this.#heads.set(name, head)
    if (this.#heads.size > MOST) this.#heads.delete(this.#heads.keys().next().value as string)
  }

  forget(thread: Thread): void {
    this.#heads.delete(nameOf(placeIn(thread)))
  }
}

const placeIn = ({ id, namespace }: Thread): Place => ({ thread: id, namespace })

/** The head that a place has once this id is in it. */
export function headAfter(head: Head | undefined, id: string): Head {
  const greatest = head?.latest ?? head?.id
  if (greatest === undefined || (head?.latest === undefined && id > greatest)) return { id }
  return { id, latest: id > greatest ? id : greatest }
}
