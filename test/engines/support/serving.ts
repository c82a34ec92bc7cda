import type { Storage } from '../../../src/storage/storage.ts'
import { toWire, type WireError } from '../../../src/worker/wire.ts'
import { decode, encode } from './wire.ts'

/** The port and nothing else. */
type Method = 'read' | 'commit' | 'locate' | 'list' | 'partitions' | 'destroy' | 'close'

export interface Call {
  readonly database: string
  /** Names a connection of the caller's; the first call opens it. */
  readonly connection: string
  readonly method: Method | 'limits'
  readonly args: readonly unknown[]
}

export interface Answer {
  readonly value?: unknown
  readonly error?: WireError
}

/** Answers calls with the storages of an engine, in the process that has it. */
export function serving(
  open: (database: string) => Storage | Promise<Storage>,
): (message: Uint8Array) => Promise<Uint8Array<ArrayBuffer>> {
  const connections = new Map<string, Promise<Storage>>()
  return async (message) => {
    const { database, connection, method, args } = decode(message) as Call
    try {
      const opened = connections.get(connection) ?? Promise.resolve(open(database))
      connections.set(connection, opened)
      const storage = await opened
      if (method === 'limits') return encode({ value: storage.limits } satisfies Answer)
      const work = storage[method] as (...args: readonly unknown[]) => Promise<unknown>
      return encode({ value: await work.apply(storage, [...args]) } satisfies Answer)
    } catch (error) {
      return encode({ error: toWire(error) } satisfies Answer)
    }
  }
}
