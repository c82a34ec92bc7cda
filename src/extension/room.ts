import type { Sender } from './runtime.ts'
import { originOf } from './sender.ts'

/** How many bytes may be kept of messages that have not come whole. */
export class Room {
  readonly most: number
  #taken = 0

  constructor(most: number) {
    this.most = most
  }

  /** Whether there was room for so many more. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.most) return false
    this.#taken += bytes
    return true
  }

  give(bytes: number): void {
    this.#taken -= bytes
  }
}

/** One room for all ports of a sender: whoever opens many of them has no more of it. */
export class Rooms {
  readonly #most: number
  readonly #rooms = new Map<string, { readonly room: Room; ports: number }>()

  constructor(most: number) {
    this.#most = most
  }

  /** To be left when the port is closed. */
  enter({ id, origin, url }: Sender): { readonly room: Room; readonly leave: () => void } {
    const name = JSON.stringify([id, origin ?? originOf(url)])
    const kept = this.#rooms.get(name) ?? { room: new Room(this.#most), ports: 0 }
    this.#rooms.set(name, kept)
    kept.ports++
    return {
      room: kept.room,
      leave: () => {
        if (--kept.ports === 0) this.#rooms.delete(name)
      },
    }
  }
}
