import type { ThreadSummary } from '../index.ts'
import { askDeleteThread } from './acts/delete-dialog.ts'
import { askExport } from './acts/export-dialog.ts'
import { askPrune } from './acts/prune-dialog.ts'
import type { Desk, Place } from './desk.ts'
import { button } from './dom/h.ts'
import { NamespacePicker } from './graph/namespace-picker.ts'

interface Ears {
  readonly onNamespace: (namespace: string) => void
  readonly forksOf: (thread: string) => readonly ThreadSummary[]
}

/** What can be done with the thread that is open. */
export class ThreadTools {
  readonly buttons: readonly HTMLButtonElement[]
  /** Stands with the count of checkpoints, which is that of one namespace. */
  readonly namespaces: HTMLElement
  readonly #picker: NamespacePicker
  #place: Place | undefined

  constructor(desk: Desk, { onNamespace, forksOf }: Ears) {
    this.#picker = new NamespacePicker(desk, onNamespace)
    this.namespaces = this.#picker.element
    const does = (work: (place: Place) => void) => (): void => {
      if (this.#place) work(this.#place)
    }
    const remove = ({ thread }: Place): void => askDeleteThread(desk, thread, forksOf(thread))
    const carry = ({ thread }: Place): void => askExport(desk, thread)
    const prune = (place: Place): void => askPrune(desk, place)
    this.buttons = [
      button('Export …', does(carry)),
      button('Prune …', does(prune)),
      button('Delete …', does(remove), { class: 'danger' }),
    ]
    this.show(undefined)
  }

  show(place: Place | undefined): void {
    this.#place = place
    for (const each of this.buttons) each.disabled = place === undefined
    this.#picker.show(place)
  }
}
