import { CheckpointerError } from '../../../src/errors.ts'
import type { Limits, Storage } from '../../../src/storage/storage.ts'
import { fromWire } from '../../../src/worker/wire.ts'
import type { Answer, Call } from './serving.ts'
import { decode, encode } from './wire.ts'

/** A storage in another process: what it is asked for, and what it answers, goes over loopback and nothing else is done. */
export async function remoteStorage(url: string, database: string): Promise<Storage> {
  const connection = crypto.randomUUID()
  const call = async <T>(method: Call['method'], ...args: readonly unknown[]): Promise<T> => {
    const asked: Call = { database, connection, method, args }
    const { value, error } = await send(url, asked)
    if (error) throw fromWire(error)
    return value as T
  }
  return {
    limits: await call<Limits>('limits'),
    read: (...args) => call('read', ...args),
    commit: (...args) => call('commit', ...args),
    locate: (...args) => call('locate', ...args),
    list: (...args) => call('list', ...args),
    partitions: (...args) => call('partitions', ...args),
    destroy: () => call('destroy'),
    close: () => call('close'),
  }
}

async function send(url: string, call: Call): Promise<Answer> {
  try {
    // workerd closes connections that are kept, also under a request that is on its way.
    const response = await fetch(url, {
      method: 'POST',
      body: encode(call),
      headers: { connection: 'close' },
    })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return decode(new Uint8Array(await response.arrayBuffer())) as Answer
  } catch (cause) {
    throw new CheckpointerError('FAILED', `The engine's process has not answered: ${String(cause)}`, {
      cause,
      outcome: 'unknown',
    })
  }
}
