import type { Place } from '../../operations/host.ts'
import { UnsureChanges, type Unsure } from './unsure.ts'

/** By verb: what may be called for again without being made twice, until the same call means something new. */
export class UnsureCalls {
  readonly save = new UnsureChanges()
  readonly fork = new UnsureChanges<Unsure & { readonly as: string }>()
  readonly copy = new UnsureChanges()

  /** A change of this place: what is forked or copied from now on is another state. A copy is of all namespaces. */
  changed(place: Place): void {
    this.fork.forget(place)
    this.copy.forgetThread(place.thread)
  }

  /** A removal may reach over all places of a thread. */
  removed(thread: string): void {
    this.fork.forgetThread(thread)
    this.copy.forgetThread(thread)
  }

  deleted(thread: string): void {
    this.save.forgetThread(thread)
    this.removed(thread)
  }

  /** A look at the head begins; what it returns is to be told which head there is. */
  looking(place: Place, known: string | undefined): (head: string | undefined) => void {
    const before = this.save.at(place)
    return (head) => {
      this.save.shown(place, before, head)
      if (head !== known) this.changed(place)
    }
  }
}
