import type { Port, Runtime, Sender } from 'forkpoint/extension'

const OWN = 'chrome-extension://own/'

type Listener<T> = (value: T) => void

class Listeners<T> {
  readonly all = new Set<Listener<T>>()
  addListener = (listener: Listener<T>): void => void this.all.add(listener)
  removeListener = (listener: Listener<T>): void => void this.all.delete(listener)
  tell(value: T): void {
    for (const listener of this.all) listener(value)
  }
}

interface End extends Port {
  readonly onMessage: Listeners<unknown>
  readonly onDisconnect: Listeners<never>
  drop(): void
  other?: End
}

function end(name: string, sender?: Sender): End {
  let isOpen = true
  const made: End = {
    name,
    sender,
    onMessage: new Listeners<unknown>(),
    onDisconnect: new Listeners<never>(),
    postMessage(message) {
      if (!isOpen) throw new Error('Attempting to use a disconnected port object')
      // As JSON, which is all that ports carry, and later.
      const text = JSON.stringify(message)
      setTimeout(() => made.other?.onMessage.tell(JSON.parse(text)))
    },
    disconnect() {
      if (!isOpen) return
      isOpen = false
      setTimeout(() => made.other?.drop())
    },
    drop() {
      if (!isOpen) return
      isOpen = false
      made.onDisconnect.tell(made as never)
    },
  }
  return made
}

/** Ports as Chrome has them, between a service worker that may be killed and its pages. */
export class FakeExtension {
  #connected = new Set<End>()
  #isRemoved = false
  #onConnect = new Listeners<never>()
  #onExternal = new Listeners<never>()
  /** Starts the service worker when somebody connects, as the browser does. */
  wake: () => void = () => {}

  /** What `chrome.runtime` is in a page with this sender. */
  runtime(sender: Sender = { id: 'own', url: `${OWN}panel.html`, origin: OWN.slice(0, -1) }): Runtime {
    return {
      id: 'own',
      getURL: (path) => OWN + path,
      connect: (first: string | { name: string }, second?: { name: string }) => {
        if (this.#isRemoved) throw new Error('Extension context invalidated.')
        const { name } = typeof first === 'string' ? (second ?? { name: '' }) : first
        const [page, worker] = [end(name), end(name, sender)]
        page.other = worker
        worker.other = page
        setTimeout(() => {
          this.wake()
          const source = sender.id === 'own' ? this.#onConnect : this.#onExternal
          if (source.all.size === 0) return page.drop()
          this.#connected.add(worker)
          source.tell(worker as never)
        })
        return page
      },
      onConnect: this.#onConnect,
      onConnectExternal: this.#onExternal,
    }
  }

  /** All that was in the service worker's memory is gone, its listeners too: nothing is told to it any more. */
  kill(): void {
    this.#onConnect.all.clear()
    this.#onExternal.all.clear()
    for (const worker of this.#connected) {
      const { other } = worker
      worker.onMessage.all.clear()
      worker.onDisconnect.all.clear()
      // Nor does anybody hear what is left running of it here.
      delete worker.other
      other?.drop()
    }
    this.#connected.clear()
  }

  /** The extension was reloaded or removed: its pages and scripts that are still there belong to nothing. */
  remove(): void {
    this.#isRemoved = true
    this.kill()
  }
}
