import { openDB } from 'idb'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CheckpointerError } from '../../src/errors.ts'
import { indexedDbStorage } from '../../src/storage/indexeddb.ts'
import { SCHEMA_VERSION } from '../../src/storage/indexeddb/schema.ts'
import type { Key, Put, Query, Storage } from '../../src/storage/storage.ts'

const run = Math.random().toString(36).slice(2)
let count = 0

function open(name = `engine-${run}-${++count}`): { storage: Storage; name: string } {
  const storage = indexedDbStorage({ name })
  onTestFinished(async () => {
    await storage.destroy().catch(() => undefined)
    await storage.close()
  })
  return { storage, name }
}

const meta = (of: string, body?: Uint8Array): Put => ({
  table: 'meta',
  key: ['law', of],
  head: `head of ${of}`,
  ...(body ? { body } : {}),
})
const all: Query = { table: 'meta', from: [], to: ['~'] }
const heads = async (storage: Storage): Promise<string[]> =>
  ((await storage.read('p', [all]))[0] ?? []).map(({ head }) => head)

/** Puts another function in place of a method of the engine, until the test ends. */
function instead<T extends object, K extends keyof T>(of: T, name: K, make: (real: T[K]) => T[K]): void {
  const real = of[name]
  onTestFinished(() => void (of[name] = real))
  of[name] = make(real)
}

/** As over plain http. */
function withoutLocks(): void {
  const { navigator } = globalThis
  if (!(navigator as Partial<Navigator> | undefined)?.locks) return
  Object.defineProperty(navigator, 'locks', { configurable: true, value: undefined })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'locks'))
}

/** As in a frame that may not have any. */
function withLocksRefused(): void {
  const refuse = (): Promise<never> => Promise.reject(new DOMException('Not here.', 'SecurityError'))
  Object.defineProperty(navigator, 'locks', {
    configurable: true,
    value: { request: refuse, query: refuse },
  })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'locks'))
}

/** A marker is put, and not a row of ours, which locks this store too. */
const isOfSessions = ({ objectStoreNames }: IDBTransaction): boolean =>
  objectStoreNames.length === 1 && objectStoreNames.contains('session')

/** Finds no room for a marker, as long as the switch says so. */
function withoutRoomForMarkers(): { isThere: boolean } {
  const room = { isThere: false }
  instead(IDBTransaction.prototype, 'commit', (real) => {
    return function (this: IDBTransaction) {
      if (room.isThere || !isOfSessions(this)) return real.call(this)
      this.abort()
      throw new DOMException('There is no room.', 'QuotaExceededError')
    }
  })
  return room
}

/** As Chromium says when it has made a database anew. */
function withDataLoss(message: string): void {
  for (const [name, value] of [
    ['dataLoss', 'total'],
    ['dataLossMessage', message],
  ] as const) {
    const real = Object.getOwnPropertyDescriptor(IDBVersionChangeEvent.prototype, name)
    Object.defineProperty(IDBVersionChangeEvent.prototype, name, { configurable: true, get: () => value })
    onTestFinished(() => {
      if (real) Object.defineProperty(IDBVersionChangeEvent.prototype, name, real)
      else Reflect.deleteProperty(IDBVersionChangeEvent.prototype, name)
    })
  }
}

function withSessionsUnreadable(): void {
  instead(IDBObjectStore.prototype, 'getAllKeys', (real) => {
    return function (this: IDBObjectStore, ...args) {
      if (this.name === 'session') throw lost()
      return real.apply(this, args)
    }
  })
}

const lost = (): DOMException =>
  new DOMException(
    'Connection to Indexed Database server lost. Refresh the page to try again',
    'UnknownError',
  )

/** What the adapter does when its engine fails, or another tab or the browser takes the database away. */
export function indexedDbEngineLaws(evict: (db: IDBDatabase) => void): void {
  describe('taken away', () => takenAway(evict))
  describe('an engine that fails', failing)
  describe('rows that cannot be read', unreadable)
  describe('sessions', sessions)
}

function takenAway(evict: (db: IDBDatabase) => void): void {
  it('tells one call of a destroy elsewhere, then makes a new database', async () => {
    const { storage, name } = open()
    await storage.commit('p', { puts: [meta('old')] })
    await open(name).storage.destroy()
    await expect(storage.commit('p', { puts: [meta('unheard')] })).rejects.toMatchObject({
      code: 'CLOSED',
      message: expect.stringContaining('destroyed') as string,
    })
    expect(await heads(storage)).toEqual([])
    expect((await storage.commit('p', { puts: [meta('new')] })).ok).toBe(true)
    expect(await heads(storage)).toEqual(['head of new'])
  })

  it('tells one call of an upgrade elsewhere, and then that it is too new', async () => {
    const { storage, name } = open()
    await storage.commit('p', { puts: [meta('old')] })
    const newer = await openDB(`forkpoint:${name}`, SCHEMA_VERSION + 1, {
      upgrade: (db) => db.deleteObjectStore('meta'),
    })
    await expect(storage.read('p', [all])).rejects.toMatchObject({ code: 'CLOSED' })
    for (let i = 0; i < 2; i++)
      await expect(storage.read('p', [all])).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' })
    newer.close()
  })

  it('tells one call that the browser has closed the database, then opens it again', async () => {
    const { storage } = open()
    const handles: IDBDatabase[] = []
    instead(IDBDatabase.prototype, 'transaction', (real) => {
      return function (this: IDBDatabase, ...args) {
        handles.push(this)
        return real.apply(this, args)
      }
    })
    await storage.commit('p', { puts: [meta('old')] })
    for (const handle of new Set(handles)) evict(handle)
    await expect(storage.read('p', [all])).rejects.toMatchObject({ code: 'EVICTED' })
    expect(await heads(storage)).toEqual(['head of old'])
  })

  it('lets no call that came before a destroy elsewhere write into what comes after it', async () => {
    for (let pause = 0; pause < 12; pause++) {
      const { storage, name } = open()
      await storage.read('p', [all])
      const outcome = storage.commit('p', { puts: [meta('late')] }).then(
        () => 'made',
        (error: CheckpointerError) => error.code,
      )
      for (let i = 0; i < pause; i++) await Promise.resolve()
      if (pause > 8) await new Promise((resolve) => setTimeout(resolve, pause - 8))
      await open(name).storage.destroy()
      // Others are told meanwhile, and go on.
      for (let i = 0; i < 3; i++) await storage.read('p', [all]).catch(() => [])
      expect(['made', 'CLOSED']).toContain(await outcome)
      expect(await heads(storage)).toEqual([])
    }
  })

  it('is closed for good by its own close and destroy', async () => {
    const { storage, name } = open()
    await storage.commit('p', { puts: [meta('old')] })
    await open(name).storage.destroy()
    await storage.close()
    for (let i = 0; i < 2; i++)
      await expect(storage.read('p', [all])).rejects.toMatchObject({ code: 'CLOSED' })
  })
}

function failing(): void {
  it('reads again on another handle when the connection is lost', async () => {
    const { storage } = open()
    await storage.commit('p', { puts: [meta('one')] })
    let failures = 0
    instead(IDBObjectStore.prototype, 'getAll', (real) => {
      return function (this: IDBObjectStore, ...args) {
        if (this.name === 'meta' && failures++ === 0) throw lost()
        return real.apply(this, args)
      }
    })
    expect(await heads(storage)).toEqual(['head of one'])
    expect(failures).toBe(2)
  })

  it.each(['before it was made', 'after it was made'])(
    'carries a commit that was cut off %s out once',
    async (when) => {
      const { storage } = open()
      const first = await storage.commit('p', { puts: [meta('counter')] })
      let cuts = 0
      instead(IDBTransaction.prototype, 'commit', (real) => {
        return function (this: IDBTransaction) {
          if (!this.objectStoreNames.contains('meta') || cuts++ > 0) return real.call(this)
          if (when.startsWith('after')) real.call(this)
          else this.abort()
          throw lost()
        }
      })
      const version = first.ok ? first.version : undefined
      const checks = [{ table: 'meta', key: ['law', 'counter'], version }] as const
      const second = await storage.commit('p', { checks, puts: [{ ...meta('counter'), head: 'second' }] })
      expect(second.ok).toBe(true)
      const [[row] = []] = await storage.read('p', [all])
      expect(row).toMatchObject({ head: 'second', version: second.ok && second.version })
    },
  )

  it('says that the outcome is unknown when it cannot be asked for', async () => {
    const { storage } = open()
    await storage.commit('p', { puts: [meta('one')] })
    let isCut = false
    instead(IDBTransaction.prototype, 'commit', () => {
      return function (this: IDBTransaction) {
        isCut = true
        this.abort()
        throw lost()
      }
    })
    instead(IDBFactory.prototype, 'open', (real) => {
      return function (this: IDBFactory, ...args) {
        if (isCut) throw lost()
        return real.apply(this, args)
      }
    })
    await expect(storage.commit('p', { puts: [meta('two')] })).rejects.toMatchObject({
      code: 'FAILED',
      outcome: 'unknown',
    })
  })

  it('opens again after a failure that passes, and does not go on for ever after one that stays', async () => {
    const { storage } = open()
    let failures = 2
    let opened = 0
    instead(IDBFactory.prototype, 'open', (real) => {
      return function (this: IDBFactory, ...args) {
        opened++
        if (failures-- > 0)
          throw new DOMException('Internal error opening backing store for indexedDB.open.', 'UnknownError')
        return real.apply(this, args)
      }
    })
    expect(await heads(storage)).toEqual([])
    expect(opened).toBe(3)
    failures = 1000
    opened = 0
    const { storage: another } = open()
    for (let i = 0; i < 20; i++)
      await expect(another.read('p', [all])).rejects.toMatchObject({ code: 'FAILED' })
    expect(opened).toBe(3)
  })

  it('says QUOTA, and has written nothing', async () => {
    const { storage } = open()
    await storage.commit('p', { puts: [meta('one')] })
    let isFull = true
    instead(IDBTransaction.prototype, 'commit', (real) => {
      return function (this: IDBTransaction) {
        if (!isFull) return real.call(this)
        this.abort()
        throw new DOMException('There is no room.', 'QuotaExceededError')
      }
    })
    const refused = storage.commit('p', { puts: [meta('two')] })
    await expect(refused).rejects.toMatchObject({ code: 'QUOTA', outcome: 'none' })
    isFull = false
    expect(await heads(storage)).toEqual(['head of one'])
    expect((await storage.commit('p', { puts: [meta('two')] })).ok).toBe(true)
  })

  it('asks for strict durability, unless relaxed will do and every row is small', async () => {
    const { storage } = open()
    await storage.commit('p', { puts: [meta('one')] })
    const asked: (string | undefined)[] = []
    instead(IDBDatabase.prototype, 'transaction', (real) => {
      return function (this: IDBDatabase, stores, mode, options) {
        if (mode === 'readwrite' && [stores].flat().includes('meta')) asked.push(options?.durability)
        return real.call(this, stores, mode, options)
      }
    })
    await storage.commit('p', { puts: [meta('a')] })
    await storage.commit('p', { relaxed: true, puts: [meta('b')] })
    await storage.commit('p', { relaxed: true, puts: [meta('c', new Uint8Array(70_000))] })
    expect(asked).toEqual(['strict', 'relaxed', 'strict'])
  })
}

function unreadable(): void {
  it('cost no others: they come with a head that no seal fits', async () => {
    const { storage } = open()
    await storage.commit('p', { puts: [meta('1'), meta('2'), meta('3')] })
    failAt(['p', 'law', '2'])
    const found = ['head of 1', '', 'head of 3']
    const range = { table: 'meta', from: [], to: ['~'] } as const
    const keys: Key[] = [1, 2, 3].map((of) => ['law', String(of)])
    const lists = await storage.read('p', [range, { table: 'meta', keys }, { ...range, limit: 2 }])
    expect(lists.map((rows) => rows.map(({ head }) => head))).toEqual([found, found, found.slice(0, 2)])
    expect(lists[0]?.map(({ key }) => key)).toEqual(keys)
    const [backwards] = await storage.read('p', [{ ...range, reverse: true, limit: 2 }])
    expect(backwards?.map(({ key }) => key[1])).toEqual(['3', '2'])
  })

  it('are found by their alias, located and listed', async () => {
    const { storage } = open()
    await storage.commit('p', {
      puts: [
        { table: 'checkpoints', key: ['a', 1], alias: ['a', 'id'], head: 'h' },
        { table: 'threads', key: ['t', ''], rank: 5, head: 't' },
        { table: 'threads', key: ['u', ''], rank: 4, head: 'u' },
      ],
    })
    failAt(['p', 'a', 1], ['p', 't', ''])
    expect(await storage.read('p', [{ table: 'checkpoints', alias: ['a', 'id'] }])).toMatchObject([
      [{ key: ['a', 1], head: '' }],
    ])
    expect(await storage.locate(['t', ''])).toMatchObject({
      partition: 'p',
      row: { key: ['t', ''], head: '' },
    })
    expect(await storage.locate(['none', ''])).toBeUndefined()
    expect(await storage.list({ limit: 9 })).toMatchObject([
      { key: ['t', ''], rank: 5, partition: 'p', head: '' },
      { key: ['u', ''], rank: 4, partition: 'p', head: 'u' },
    ])
    expect(await storage.list({ limit: 9, after: { rank: 5, key: ['t', ''] } })).toMatchObject([
      { key: ['u', ''] },
    ])
  })
}

/** Rows at these keys cannot be read, and all that would read them with others fails as a whole. */
function failAt(...keys: readonly IDBValidKey[]): void {
  const failure = (): DOMException =>
    new DOMException(
      'Data lost due to missing file. Affected record should be considered irrecoverable',
      'NotReadableError',
    )
  const isBad = (query: unknown): boolean => keys.some((key) => JSON.stringify(key) === JSON.stringify(query))
  instead(IDBObjectStore.prototype, 'get', (real) => {
    return function (this: IDBObjectStore, query) {
      if (isBad(query)) throw failure()
      return real.call(this, query)
    }
  })
  instead(IDBObjectStore.prototype, 'openCursor', () => () => {
    throw failure()
  })
  for (const source of [IDBObjectStore.prototype, IDBIndex.prototype]) {
    instead(source, 'getAll', () => () => {
      throw failure()
    })
    if ('getAllRecords' in source)
      instead(source as { getAllRecords: unknown }, 'getAllRecords', () => () => {
        throw failure()
      })
  }
  instead(IDBIndex.prototype, 'get', () => () => {
    throw failure()
  })
}

function sessions(): void {
  const markers = async (name: string): Promise<{ session: string; number: number; owes?: boolean }[]> => {
    const db = await openDB(`forkpoint:${name}`)
    const rows = (await db.getAll('session')) as { session: string; number: number; owes?: boolean }[]
    db.close()
    return rows
  }
  const leaveMarker = async (name: string, owes: boolean, at = Date.now()): Promise<void> => {
    const db = await openDB(`forkpoint:${name}`)
    await db.put('session', { session: 'dead', number: 0, owes, at })
    db.close()
  }
  const CLEAN = { unclean: false, owing: [] }

  it('mark the database while they write, and not when they rest', async () => {
    const { storage, name } = open()
    await storage.read('p', [all])
    expect(await markers(name)).toEqual([])
    await storage.commit('p', { puts: [meta('one')] })
    expect(await markers(name)).toMatchObject([{ number: 0, owes: false }])
    await storage.rest?.()
    expect(await markers(name)).toEqual([])
    await storage.commit('p', { relaxed: true, puts: [meta('two')] })
    expect(await markers(name)).toMatchObject([{ number: 0, owes: true }])
    expect(await storage.partitions({ limit: 9 })).toEqual(['p'])
    await storage.close()
    expect(await markers(name)).toEqual([])
    expect(await open(name).storage.sessionReport?.()).toEqual(CLEAN)
  })

  it('that owe something say so until they rest', async () => {
    const { storage, name } = open()
    await storage.owe?.()
    expect(await markers(name)).toMatchObject([{ owes: true }])
    await storage.rest?.()
    expect(await markers(name)).toEqual([])
  })

  it.each(['nothing', 'something strict', 'something relaxed'])(
    'go by the name that whoever owes has chosen, if they owe nothing yet: after %s',
    async (written) => {
      const { storage, name } = open()
      await storage.read('p', [all])
      if (written !== 'nothing')
        await storage.commit('p', { puts: [meta('one')], relaxed: written !== 'something strict' })
      const before = await markers(name)
      const session = await storage.owe?.('chosen')
      expect(session).toBe(written === 'something relaxed' ? before[0]?.session : 'chosen')
      expect(await markers(name)).toMatchObject([{ session, owes: true }])
      // It lives, and is seen to.
      const { storage: next } = open(name)
      expect(await next.sessionReport?.()).toEqual(CLEAN)
      await next.close()
      expect(await storage.owe?.('another')).toBe(session)
      await storage.commit('p', { puts: [meta('two')] })
      await storage.rest?.()
      expect(await markers(name)).toEqual([])
      expect(await storage.owe?.('another')).toBe('another')
    },
  )

  it('that find no room for a marker under another name keep the one they have', async () => {
    const { storage, name } = open()
    await storage.commit('p', { puts: [meta('one')] })
    const own = await markers(name)
    const room = withoutRoomForMarkers()
    await expect(storage.owe?.('chosen')).rejects.toMatchObject({ code: 'QUOTA' })
    expect(await markers(name)).toEqual(own)
    const { storage: next } = open(name)
    expect(await next.sessionReport?.()).toEqual(CLEAN)
    room.isThere = true
    expect(await storage.owe?.('chosen')).toBe('chosen')
    expect(await markers(name)).toMatchObject([{ session: 'chosen', owes: true }])
    await storage.rest?.()
    expect(await markers(name)).toEqual([])
  })

  it.each([true, false])(
    'are settled for good, whether they had ended in order or not: %j',
    async (inOrder) => {
      const { name } = open()
      const { storage: first } = open(name)
      await first.commit('p', { puts: [meta('one')] })
      await first.close()
      await leaveMarker(name, true)
      const { storage } = open(name)
      await storage.settle?.(['dead', 'another'], inOrder)
      const told = inOrder ? CLEAN : { unclean: true, owing: [] }
      expect(await storage.sessionReport?.()).toEqual(told)
      expect(await open(name).storage.sessionReport?.()).toEqual(told)
    },
  )

  it('that were killed are forgotten by one that only owes, too', async () => {
    const { storage, name } = open()
    await storage.commit('p', { puts: [meta('one')] })
    await storage.close()
    await leaveMarker(name, true)
    const { storage: next } = open(name)
    await next.owe?.()
    await next.commit('p', { relaxed: true, puts: [meta('two')] })
    await next.close()
    expect(await markers(name)).toEqual([])
  })

  it('that were killed are told, and forgotten when the next one has closed', async () => {
    const { storage, name } = open()
    await storage.commit('p', { puts: [meta('one')] })
    await storage.close()
    await leaveMarker(name, true)
    const { storage: next } = open(name)
    expect(await next.sessionReport?.()).toEqual({ unclean: true, owing: ['dead'] })
    await next.commit('p', { puts: [meta('two')] })
    await next.close()
    expect(await markers(name)).toEqual([])
    expect(await open(name).storage.sessionReport?.()).toEqual(CLEAN)
  })

  it('that find no room for their marker can still make some', async () => {
    const { storage } = open()
    await storage.commit('p', { puts: [meta('one')] })
    await storage.rest?.()
    withoutRoomForMarkers()
    expect((await storage.commit('p', { deletes: [{ table: 'meta', key: ['law', 'one'] }] })).ok).toBe(true)
    expect(await heads(storage)).toEqual([])
  })

  it('that find no room for their marker acknowledge nothing, until there is some', async () => {
    const { storage, name } = open()
    await storage.read('p', [all])
    const room = withoutRoomForMarkers()
    const refused = { code: 'QUOTA', outcome: 'none' }
    await expect(storage.owe?.()).rejects.toMatchObject(refused)
    await expect(storage.commit('p', { relaxed: true, puts: [meta('one')] })).rejects.toMatchObject(refused)
    await expect(storage.commit('p', { puts: [meta('one')] })).rejects.toMatchObject(refused)
    expect(await heads(storage)).toEqual([])
    room.isThere = true
    await storage.owe?.()
    expect(await markers(name)).toMatchObject([{ owes: true }])
    expect((await storage.commit('p', { relaxed: true, puts: [meta('one')] })).ok).toBe(true)
  })

  it('that cannot be read keep nobody from hearing that the browser has thrown data away', async () => {
    const { storage } = open()
    withDataLoss('a bad log')
    withSessionsUnreadable()
    expect(await storage.sessionReport?.()).toEqual({
      unclean: true,
      owing: [],
      dataLoss: 'total: a bad log',
    })
  })

  it('mark a database on a connection that dies in their hands', async () => {
    const { storage, name } = open()
    await storage.read('p', [all])
    let cuts = 0
    instead(IDBTransaction.prototype, 'commit', (real) => {
      return function (this: IDBTransaction) {
        if (!isOfSessions(this) || cuts++ > 0) return real.call(this)
        this.abort()
        throw lost()
      }
    })
    expect((await storage.commit('p', { puts: [meta('one')] })).ok).toBe(true)
    expect(await markers(name)).toHaveLength(1)
  })

  it('keep their marker among others where nobody can see who lives', async () => {
    withoutLocks()
    const { storage, name } = open()
    await storage.commit('p', { puts: [meta('one')] })
    const own = await markers(name)
    const { storage: next } = open(name)
    expect(await next.sessionReport?.()).toMatchObject({ unclean: true })
    await next.commit('p', { puts: [meta('two')] })
    await next.close()
    expect(await markers(name)).toEqual(own)
    await storage.rest?.()
    expect(await markers(name)).toEqual([])
  })

  it.each(['no locks', 'locks that are refused'])(
    'that may have been killed leave a torn log, and are not said to have lost anything: %s',
    async (kind) => {
      if (kind === 'no locks') withoutLocks()
      else withLocksRefused()
      const { storage, name } = open()
      await storage.owe?.()
      const { storage: next } = open(name)
      expect(await next.sessionReport?.()).toEqual({ unclean: true, owing: [] })
      await next.commit('p', { puts: [meta('two')] })
      await next.close()
      expect(await open(name).storage.sessionReport?.()).toEqual({ unclean: true, owing: [] })
      const [own] = await markers(name)
      const { storage: last } = open(name)
      await last.settle?.([own?.session ?? ''], true)
      expect(await last.sessionReport?.()).toEqual(CLEAN)
    },
  )

  it('that gave no sign for long are forgotten, also where nobody can see who lives', async () => {
    withoutLocks()
    const { storage, name } = open()
    await storage.read('p', [all])
    await leaveMarker(name, false, Date.now() - 3_600_000)
    const { storage: next } = open(name)
    expect(await next.sessionReport?.()).toMatchObject({ unclean: true })
    await next.commit('p', { puts: [meta('two')] })
    await next.close()
    expect(await markers(name)).toEqual([])
  })

  it('that live are not taken for killed', async ({ skip }) => {
    if (!(globalThis.navigator as Partial<Navigator> | undefined)?.locks) skip('There are no Web Locks here.')
    const { storage, name } = open()
    await storage.commit('p', { puts: [meta('one')] })
    expect(await open(name).storage.sessionReport?.()).toEqual(CLEAN)
    await storage.rest?.()
    expect(await open(name).storage.sessionReport?.()).toEqual(CLEAN)
  })
}
