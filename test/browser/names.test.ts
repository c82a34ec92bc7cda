import { openCheckpointer, CheckpointerError, type Checkpointer, type OpenOptions } from 'forkpoint'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { cdp, server } from 'vitest/browser'

const run = Math.random().toString(36).slice(2)
let count = 0
const newName = (): string => `names-${run}-${++count}`

const MiB = 2 ** 20

interface StoredRow {
  readonly head: string
  readonly body?: Uint8Array
}

async function open(options: Partial<OpenOptions> = {}): Promise<Checkpointer> {
  // Some of these take the database away: witness.test.ts holds what is said then.
  const neverWarn = (warning: CheckpointerError): void => {
    if (warning.code !== 'DATA_LOSS') throw warning
  }
  const opened = await openCheckpointer({ name: newName(), onWarning: neverWarn, ...options })
  onTestFinished(() => opened.destroy().catch(() => undefined))
  return opened
}

function answerOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** A connection that knows nothing of the package. */
async function rawly(name: string): Promise<IDBDatabase> {
  const db = await answerOf(indexedDB.open(`forkpoint:${name}`))
  onTestFinished(() => db.close())
  return db
}

/** Does not compress, so that no engine stores it in less. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

async function failureOf(call: Promise<unknown>): Promise<CheckpointerError> {
  const error = await call.then(
    () => new Error('It did not fail.'),
    (reason: unknown) => reason,
  )
  if (!CheckpointerError.is(error)) throw error
  return error
}

describe('the database', () => {
  it('has these stores, keys and indexes', async () => {
    const name = newName()
    await open({ name })
    const db = await rawly(name)
    expect(db.version).toBe(1)
    const tx = db.transaction([...db.objectStoreNames])
    const layout = [...db.objectStoreNames].map((table) => {
      const store = tx.objectStore(table)
      const indexes = [...store.indexNames].map((index) => {
        const { keyPath, unique } = store.index(index)
        return [index, keyPath, unique]
      })
      return [table, store.keyPath, ...indexes]
    })
    expect(layout).toEqual([
      ['checkpoints', ['family', 'lane', 'seq'], ['id', ['family', 'lane', 'id'], true]],
      ['meta', ['family', 'name', 'of']],
      ['parts', ['family', 'lane', 'seq', 'owner', 'number']],
      ['session', ['session', 'number']],
      [
        'threads',
        ['family', 'thread', 'namespace'],
        ['latest', ['order', 'thread', 'namespace'], false],
        ['thread', ['thread', 'namespace'], true],
      ],
      ['writes', ['family', 'lane', 'seq', 'task', 'index']],
    ])
  })

  it('is written in strict transactions alone', async () => {
    const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
    onTestFinished(() => transaction.mockRestore())
    const checkpointer = await open({ worker: false })
    const thread = checkpointer.thread<{ n: number; noise?: Uint8Array }>('t')
    await thread.save({ n: 1, noise: noise(5 * MiB) })
    for (let n = 2; n < 8; n++) await thread.save({ n })
    await thread.putWrites(2, 'task', [{ channel: 'c', value: 1 }])
    const fork = await thread.fork({ edit: (draft) => void (draft.n = 0) })
    await thread.copy('copy')
    await thread.prune({ keepLast: 2 })
    await thread.deleteCheckpoints([6])
    await fork.delete()
    const modes = transaction.mock.calls.map(([, mode, options]) => `${mode} ${options?.durability}`)
    expect(modes.filter((mode) => mode.startsWith('readwrite')).length).toBeGreaterThan(10)
    expect([...new Set(modes)].filter((mode) => !mode.startsWith('readonly'))).toEqual(['readwrite strict'])
  })

  it('has no row over 1 MiB', async () => {
    const name = newName()
    const checkpointer = await open({ name })
    const thread = checkpointer.thread('t')
    await thread.save({ noise: noise(5 * MiB) })
    await thread.putWrites(1, 'task', [{ channel: 'c', value: noise(3 * MiB) }])
    const db = await rawly(name)
    const tables = [...db.objectStoreNames].filter((table) => table !== 'session')
    const rows = await Promise.all(
      tables.map((table) => answerOf<StoredRow[]>(db.transaction(table).objectStore(table).getAll())),
    )
    const sizes = rows.flat().map(({ head, body }) => head.length + (body?.length ?? 0))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(8 * MiB)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MiB)
  })
})

describe('a page that goes', () => {
  it.each([false, 'auto'] as const)('leaves no sign of a killed session: worker %s', async (worker) => {
    const name = newName()
    const checkpointer = await open({ name, worker })
    await checkpointer.thread('t').save({ n: 1 })
    const db = await rawly(name)
    const rows = (): Promise<number> => answerOf(db.transaction('session').objectStore('session').count())
    expect(await rows()).toBe(1)
    dispatchEvent(new Event('pagehide'))
    await expect.poll(rows).toBe(0)
    // It may come back out of the browser's cache.
    await checkpointer.thread('t').save({ n: 2 })
    expect(await rows()).toBe(1)
  })
})

describe('a database that others want', () => {
  it.each([false, 'auto'] as const)(
    'is let go of; one call is told, and the next makes a new one: worker %s',
    async (worker) => {
      const name = newName()
      const checkpointer = await open({ name, worker })
      const thread = checkpointer.thread('t')
      await thread.save({ n: 1 })
      const blocked = vi.fn<() => void>()
      const deletion = indexedDB.deleteDatabase(`forkpoint:${name}`)
      deletion.onblocked = blocked
      await answerOf(deletion)
      expect(blocked).not.toHaveBeenCalled()
      expect(await failureOf(thread.save({ n: 2 }))).toMatchObject({ code: 'CLOSED' })
      expect(await thread.load()).toBeUndefined()
      expect((await thread.save({ n: 3 })).seq).toBe(1)
      await checkpointer.close()
      const again = await open({ name })
      expect((await again.thread('t').load())?.state).toEqual({ n: 3 })
    },
  )

  it('is waited for with a limit', async () => {
    const { setTimeout: later } = globalThis
    const hurry = vi.spyOn(globalThis, 'setTimeout')
    hurry.mockImplementation(((run: () => void, time?: number) =>
      later(run, time === 10_000 ? 300 : time)) as typeof setTimeout)
    onTestFinished(() => hurry.mockRestore())
    const name = newName()
    const checkpointer = await open({ name, worker: false })
    await checkpointer.thread('t').save({ n: 1 })
    const holder = await rawly(name)
    expect(await failureOf(checkpointer.destroy())).toMatchObject({ code: 'BLOCKED' })
    // The deletion still waits for the holder, and whoever opens for the deletion.
    expect(await failureOf(open({ name, worker: false }))).toMatchObject({ code: 'BLOCKED' })
    holder.close()
    hurry.mockRestore()
    const later2 = await open({ name, worker: false })
    await later2.thread('t').save({ n: 2 })
    expect((await later2.thread('t').load())?.state).toEqual({ n: 2 })
  })
})

/** What of Chromium's protocol is used here. */
interface StorageProtocol {
  send(method: `Storage.${string}`, params: Readonly<Record<string, string | number>>): Promise<unknown>
}

const chromium = server.browser === 'chromium' || server.browser === 'chrome'

describe.skipIf(!chromium)(
  'a full disk, and cleared site data (only Chromium lets a test cause them)',
  () => {
    const { origin } = location
    const tell = async (
      method: `Storage.${string}`,
      params: Record<string, string | number>,
    ): Promise<void> => {
      await (cdp() as unknown as StorageProtocol).send(method, { origin, ...params })
    }

    it.each([false, 'auto'] as const)(
      'refuses a save whole, goes on when there is room: worker %s',
      async (worker) => {
        onTestFinished(() => tell('Storage.overrideQuotaForOrigin', {}))
        // Chromium remembers for half a minute how much room it saw, unless all is closed by force.
        await tell('Storage.clearDataForOrigin', { storageTypes: 'indexeddb' })
        const quotaSize = 2 * MiB
        await tell('Storage.overrideQuotaForOrigin', { quotaSize })
        const checkpointer = await open({ worker })
        const thread = checkpointer.thread<{ n: number; noise?: Uint8Array }>('t')
        await thread.save({ n: 1 })
        const { bytes, checkpoints, threads } = await checkpointer.usage()

        const large = { n: 2, noise: noise(8 * MiB) }
        const quota = { code: 'QUOTA', outcome: 'none' }
        expect(await failureOf(thread.save(large))).toMatchObject(quota)
        expect(await failureOf(checkpointer.thread('new').save(large))).toMatchObject(quota)
        expect(await failureOf(thread.fork({ as: 'fork', edit: () => large }))).toMatchObject(quota)
        const writes = [{ channel: 'c', value: large.noise }]
        expect(await failureOf(thread.putWrites(1, 'task', writes))).toMatchObject(quota)
        expect(await checkpointer.usage()).toMatchObject({ bytes, checkpoints, threads })
        expect((await checkpointer.verify()).problems).toEqual([])
        expect(await thread.load()).toMatchObject({ seq: 1, state: { n: 1 }, pendingWrites: [] })
        for (const id of ['new', 'fork']) expect(await checkpointer.thread(id).load()).toBeUndefined()
        // What is small still fits.
        expect((await thread.save({ n: 2 })).seq).toBe(2)

        await tell('Storage.overrideQuotaForOrigin', {})
        expect((await thread.save(large)).seq).toBe(3)
        expect((await thread.load())?.state.noise?.length).toBe(8 * MiB)
        await thread.putWrites(3, 'task', writes)
        expect((await thread.save({ n: 4 })).seq).toBe(4)
        expect((await checkpointer.verify()).problems).toEqual([])
      },
    )

    it.each([false, 'auto'] as const)(
      'tells when the browser takes the database away, and starts anew: worker %s',
      async (worker) => {
        const name = newName()
        const checkpointer = await open({ name, worker })
        const thread = checkpointer.thread<{ n: number }>('t')
        await thread.save({ n: 1 })
        await tell('Storage.clearDataForOrigin', { storageTypes: 'indexeddb' })
        await expect
          .poll(() => thread.load().catch((error: unknown) => error))
          .toMatchObject({ code: 'EVICTED' })
        expect(await thread.load()).toBeUndefined()
        expect((await thread.save({ n: 2 })).seq).toBe(1)
        const again = await open({ name, worker })
        expect((await again.thread('t').load())?.state).toEqual({ n: 2 })
      },
    )
  },
)
