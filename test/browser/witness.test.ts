import { openCheckpointer, type Checkpointer, type CheckpointerError, type OpenOptions } from 'forkpoint'
import { describe, expect, it, onTestFinished } from 'vitest'
import { cdp, server } from 'vitest/browser'

const run = Math.random().toString(36).slice(2)
let count = 0
const newName = (): string => `witness-${run}-${++count}`

interface Opened {
  readonly checkpointer: Checkpointer
  readonly warnings: CheckpointerError[]
}

/** Opened, and compared with what is remembered. */
async function open(name: string, options: Partial<OpenOptions> = {}): Promise<Opened> {
  const warnings: CheckpointerError[] = []
  const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
  const checkpointer = await openCheckpointer({ name, onWarning, ...options })
  onTestFinished(() => checkpointer.destroy().catch(() => undefined))
  await checkpointer.verify()
  return { checkpointer, warnings }
}

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

const deleteBehind = (name: string): Promise<unknown> =>
  answerOf(indexedDB.deleteDatabase(`forkpoint:${name}`))

/** Deletes the rows of a thread, behind the library's back. */
async function cut(name: string, thread: string): Promise<void> {
  const db = await answerOf(indexedDB.open(`forkpoint:${name}`))
  const tx = db.transaction('threads', 'readwrite')
  const keys = await answerOf(tx.objectStore('threads').getAllKeys())
  for (const key of keys) if ((key as string[])[1] === thread) tx.objectStore('threads').delete(key)
  await new Promise((resolve) => (tx.oncomplete = resolve))
  db.close()
}

const gone = (thread: string, seq: number) => ({
  code: 'DATA_LOSS',
  loss: {
    expected: { threads: 1 },
    found: { threads: 0 },
    heads: [{ thread, namespace: '', expected: seq }],
  },
})

async function filesIn(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = []
  for await (const name of folder.keys()) names.push(name)
  return names
}

/** One save, closed again. */
async function saveOnce(name: string, options?: Partial<OpenOptions>): Promise<void> {
  const { checkpointer, warnings } = await open(name, options)
  await checkpointer.thread('t').save({ n: 1 })
  await checkpointer.close()
  expect(warnings).toEqual([])
}

describe.each([false, 'auto'] as const)('in a page, worker: %s', (worker) => {
  it('a database deleted behind our back is missed, once', async () => {
    const name = newName()
    await saveOnce(name, { worker })
    await deleteBehind(name)
    const second = await open(name, { worker })
    expect(second.warnings).toMatchObject([gone('t', 1)])
    await second.checkpointer.close()
    const third = await open(name, { worker })
    expect(third.warnings).toEqual([])
    expect((await third.checkpointer.verify()).problems).toHaveLength(1)
  })

  // Firefox opens no database of such a name, and says so.
  it.skipIf(/Firefox/.test(navigator.userAgent))(
    'names that differ in what no text may hold are two databases (Firefox opens none of them)',
    async () => {
      const name = newName()
      // Halves of a character: UTF-8 knows no difference between them.
      const [one, other] = [`${name}\ud800`, `${name}\ud801`]
      await saveOnce(one, { worker })
      await saveOnce(other, { worker })
      await deleteBehind(one)
      expect((await open(other, { worker })).warnings).toEqual([])
      expect((await open(one, { worker })).warnings).toMatchObject([gone('t', 1)])
    },
  )

  it('a thread whose rows are gone is missed, and the others are not', async () => {
    const name = newName()
    const first = await open(name, { worker })
    for (const id of ['a', 'b', 'c']) await first.checkpointer.thread(id).save({ n: 1 })
    await first.checkpointer.close()
    await cut(name, 'b')
    const { warnings } = await open(name, { worker })
    expect(warnings).toMatchObject([{ code: 'DATA_LOSS', thread: 'b', seq: 1 }])
  })

  it('what was deleted or destroyed on purpose is not missed', async () => {
    const name = newName()
    const first = await open(name, { worker })
    const second = await open(name, { worker })
    await first.checkpointer.thread('t').save({ n: 1 })
    await second.checkpointer.thread('t').delete()
    await first.checkpointer.close()
    await second.checkpointer.close()
    const third = await open(name, { worker })
    await third.checkpointer.thread('u').save({ n: 1 })
    const fourth = await open(name, { worker })
    await fourth.checkpointer.thread('v').save({ n: 1 })
    await third.checkpointer.destroy()
    await fourth.checkpointer.close().catch(() => undefined)
    const fifth = await open(name, { worker })
    const opened = [first, second, third, fourth, fifth]
    expect(opened.map(({ warnings }) => warnings)).toEqual(opened.map(() => []))
  })
})

const chromium = server.browser === 'chromium' || server.browser === 'chrome'

describe.skipIf(!chromium)('cleared site data (only Chromium lets a test clear them)', () => {
  async function clear(): Promise<void> {
    const devtools = cdp() as unknown as {
      send(method: string, params: Readonly<Record<string, string>>): Promise<unknown>
    }
    const { origin } = location
    await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
  }

  it('are missed at the next opening', async () => {
    const name = newName()
    await saveOnce(name)
    await clear()
    expect((await open(name)).warnings).toMatchObject([gone('t', 1)])
  })

  it.each([false, 'auto'] as const)('are missed while it is open, worker: %s', async (worker) => {
    const { checkpointer, warnings } = await open(newName(), { worker })
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    await clear()
    await expect.poll(() => thread.load().catch((error: unknown) => error)).toMatchObject({ code: 'EVICTED' })
    expect(await thread.load()).toBeUndefined()
    await expect.poll(() => warnings.length, { timeout: 5_000 }).toBe(1)
    expect(warnings).toMatchObject([gone('t', 1)])
    expect((await thread.save({ n: 2 })).seq).toBe(1)
  })
})

/** WebKit on Linux gives its pages no private files. */
const hasFiles =
  typeof (navigator.storage as Partial<StorageManager> | undefined)?.getDirectory === 'function'

describe.skipIf(!hasFiles)('in a page, where the browser has files of its own (OPFS)', () => {
  /** As when the browser is killed before it has brought them to the disk. */
  function loseLocalStorage(): void {
    for (const key of Object.keys(localStorage))
      if (key.startsWith('forkpoint:')) localStorage.removeItem(key)
  }

  it.each([false, 'auto'] as const)(
    'a database is missed from its first save on, also without localStorage, worker: %s',
    async (worker) => {
      const name = newName()
      const warnings: CheckpointerError[] = []
      const first = await openCheckpointer({ name, worker, onWarning: (each) => warnings.push(each) })
      await first.thread('t').save({ n: 1 })
      // Long before the head is written down.
      loseLocalStorage()
      await deleteBehind(name)
      const { warnings: told } = await open(name, { worker })
      expect(told).toMatchObject([{ code: 'DATA_LOSS', loss: { found: { threads: 0 } } }])
      await first.close().catch(() => undefined)
      expect(warnings.filter(({ code }) => code === 'DATA_LOSS')).toEqual([])
    },
  )

  it('a database is missed with its threads once they were written down, also without localStorage', async () => {
    const name = newName()
    await saveOnce(name)
    loseLocalStorage()
    await deleteBehind(name)
    expect((await open(name)).warnings).toMatchObject([gone('t', 1)])
  })

  it.each([
    '',
    '{',
    'null',
    '[1]',
    '{"threads":{"t":1},"made":"x","gone":7}',
    '{"threads":[["t",{"database":1,"at":"x","seqs":{}}],["__proto__"],[7,{}]],"made":[["x",-1],["y",1e300]],"gone":[[]]}',
    '{"threads":[["__proto__",{"database":"__proto__","at":1,"seqs":[["__proto__",9]]}]],"made":[["constructor",5]]}',
    `{"threads":[["t",{"database":"x","at":1,"seqs":${'['.repeat(5_000)}${']'.repeat(5_000)}}]]}`,
    'x'.repeat(5_000_000),
  ])(
    'whatever another script has put into its file, saves go on, and nothing but a loss is told',
    async (text) => {
      const name = newName()
      const folder = await navigator.storage.getDirectory()
      const before = new Set(await filesIn(folder))
      await saveOnce(name)
      const [file] = (await filesIn(folder)).filter((each) => !before.has(each))
      const writing = await (await folder.getFileHandle(file ?? 'none')).createWritable()
      await writing.write(text)
      await writing.close()
      const { checkpointer, warnings } = await open(name)
      expect((await checkpointer.thread('t').load())?.state).toEqual({ n: 1 })
      await checkpointer.thread('t').save({ n: 2 })
      await checkpointer.flush()
      expect(warnings.every(({ code }) => code === 'DATA_LOSS')).toBe(true)
      expect(Object.keys({ ...Object.prototype })).toEqual([])
      await checkpointer.close()
      await deleteBehind(name)
      expect((await open(name)).warnings).toMatchObject([gone('t', 2)])
    },
  )

  it('nothing is missed of a database that was opened and not saved to', async () => {
    const name = newName()
    const { checkpointer } = await open(name)
    expect(await checkpointer.thread('t').load()).toBeUndefined()
    await checkpointer.close()
    await deleteBehind(name)
    expect((await open(name)).warnings).toEqual([])
  })
})

describe.skipIf(!hasFiles)(
  'in a worker, which has no localStorage (where the browser has files of its own, OPFS)',
  () => {
    /** What a worker is told that opens, saves once, and closes. */
    async function saveInWorker(name: string, destroy = false): Promise<unknown> {
      const worker = new Worker(new URL('../support/witness-worker.ts', import.meta.url), { type: 'module' })
      const told = new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data)
        worker.onerror = ({ message }) => reject(new Error(message))
      })
      worker.postMessage({ name, destroy })
      return told.finally(() => worker.terminate())
    }

    it('a database deleted behind our back is missed, once', async () => {
      const name = newName()
      expect(await saveInWorker(name)).toEqual([])
      await deleteBehind(name)
      const heads = [{ thread: 't', namespace: '', expected: 1 }]
      expect(await saveInWorker(name)).toEqual([{ code: 'DATA_LOSS', heads }])
      expect(await saveInWorker(name, true)).toEqual([])
    })

    it('what a page has deleted or destroyed is not missed, nor the other way round', async () => {
      const name = newName()
      expect(await saveInWorker(name)).toEqual([])
      const page = await open(name)
      expect(await page.checkpointer.thread('t').delete()).toBe(true)
      await page.checkpointer.close()
      expect(await saveInWorker(name)).toEqual([])
      const again = await open(name)
      await again.checkpointer.thread('t').save({ n: 2 })
      await again.checkpointer.destroy()
      expect(await saveInWorker(name)).toEqual([])
      await saveOnce(name)
      expect(await saveInWorker(name, true)).toEqual([])
      const last = await open(name)
      expect([page, again, last].map(({ warnings }) => warnings)).toEqual([[], [], []])
    })
  },
)
