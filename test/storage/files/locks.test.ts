import * as fs from 'node:fs/promises'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Storage } from 'forkpoint'
import { filesStorage } from 'forkpoint/storage/files'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'forkpoint-locks-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const LOG = 'family-p.jsonl'
const onWarning = (): void => {}
const isLock = (path: unknown): boolean => String(path).includes('/locks')
const isLog = (path: unknown): boolean => String(path).endsWith(LOG)

const row = (key: string, body?: Uint8Array) => ({
  table: 'meta' as const,
  key: [key, ''],
  head: key,
  ...(body ? { body } : {}),
})
const save = (storage: Storage, key: string, body?: Uint8Array) =>
  storage.commit('p', { puts: [row(key, body)] })
const BIG = new Uint8Array(1_300_000).fill(65)
const everything = [{ table: 'meta' as const, from: [], to: ['~'] }]

describe('who was stopped for so long that another took the lock takes nothing of it back', () => {
  /** Each begins something that is stopped where `stop` is awaited, just before a file is replaced, cut or taken away. */
  const works: Record<
    string,
    (folder: string, stop: () => Promise<void>) => Promise<() => Promise<unknown>>
  > = {
    'a log that is written anew': async (folder, stop) => {
      const storage = filesStorage(
        whenSynced((path) => path.includes('.new'), stop),
        folder,
      )
      await save(storage, 'a', BIG)
      return async () => {
        await save(storage, 'a', BIG)
        await storage.close()
      }
    },
    'a log that is written anew, at the very last': async (folder, stop) => {
      const rename = async (from: string, to: string) => {
        await stop()
        await fs.rename(from, to)
      }
      const storage = filesStorage({ ...fs, rename }, folder)
      await save(storage, 'a', BIG)
      return async () => {
        await save(storage, 'a', BIG)
        await storage.close()
      }
    },
    'an empty log': async (folder, stop) => {
      let isDeleted = false
      const open = async (path: string, flags?: string) => {
        const file = await fs.open(path, flags)
        const stat = file.stat.bind(file)
        const datasync = file.datasync.bind(file)
        if (!isLog(path)) return file
        const stopping = async () => {
          const found = await stat()
          if (isDeleted) await stop()
          return found
        }
        const syncing = async () => {
          await datasync()
          isDeleted = true
        }
        return Object.assign(file, { stat: stopping, datasync: syncing })
      }
      await save(filesStorage(fs, folder), 'a')
      const storage = filesStorage({ ...fs, open }, folder)
      return () => storage.commit('p', { deleteRanges: everything })
    },
    'the end of a log that is torn': (folder, stop) => mended(folder, stop, (log) => log + '{"torn'),
    'a log with a line that has changed': (folder, stop) =>
      mended(folder, stop, (log) => log.replace('"key":["a"', '"key":["x"')),
    'a log of nothing but a torn line': (folder, stop) => mended(folder, stop, () => '{"torn'),
    'a log that is taken away': async (folder, stop) => {
      await save(filesStorage(fs, folder), 'a')
      const readdir = async (path: string) => {
        const files = await fs.readdir(path)
        if (isLock(path)) await stop()
        return files
      }
      return () => filesStorage({ ...fs, readdir }, folder).destroy()
    },
  }

  /** Of a log that is not whole any more: it is stopped when it has set aside what it will cut off. */
  async function mended(folder: string, stop: () => Promise<void>, damage: (log: string) => string) {
    const before = filesStorage(fs, folder)
    await save(before, 'a')
    await save(before, 'b')
    const path = join(folder, LOG)
    writeFileSync(path, damage(readFileSync(path, 'utf8')))
    const storage = filesStorage(
      whenSynced((at) => at.includes('/damaged/'), stop),
      folder,
      { onWarning },
    )
    return () => storage.read('p', everything)
  }

  function whenSynced(where: (path: string) => boolean, then: () => Promise<void>) {
    const open = async (path: string, flags?: string) => {
      const file = await fs.open(path, flags)
      const sync = file.sync.bind(file)
      const stopping = async () => {
        await sync()
        await then()
      }
      return where(path) ? Object.assign(file, { sync: stopping }) : file
    }
    return { ...fs, open }
  }

  it.concurrent.each(Object.entries(works))('%s', async (_, begin) => {
    const folder = mkdtempSync(join(root, 'stopped-'))
    const stopped = signal()
    const goOn = signal()
    const work = await begin(folder, async () => {
      stopped.give()
      await goOn.given
    })
    const done = work().catch((error: unknown) => error)
    await stopped.given
    await new Promise((resolve) => setTimeout(resolve, 1100))
    // As if its process had ended, and another had its number now: so nobody need wait for signs of life.
    for (const lock of readdirSync(join(folder, 'locks')))
      renameSync(join(folder, 'locks', lock), join(folder, 'locks', lock.replace(/~[^~]*~([^~]*)$/, '~0~$1')))
    const other = filesStorage(fs, folder, { onWarning })
    expect(await save(other, 'of the other')).toMatchObject({ ok: true })
    goOn.give()
    const result = await done
    if (result instanceof Error) expect(result).toMatchObject({ code: 'BLOCKED', outcome: 'none' })
    const now = filesStorage(fs, folder, { onWarning })
    expect((await now.read('p', everything)).flat()).toContainEqual(
      expect.objectContaining({ head: 'of the other' }),
    )
    expect(readdirSync(folder).filter((file) => file.endsWith('.new'))).toEqual([])
    expect(readdirSync(join(folder, 'locks'))).toEqual([])
  })

  it('what a dead process has left of a log that it wrote anew goes with the next one', async () => {
    const folder = mkdtempSync(join(root, 'left-'))
    const of = { dead: `${LOG}.0123.new`, another: `${LOG}.of-another.jsonl.0123.new` }
    for (const file of Object.values(of)) writeFileSync(join(folder, file), 'unfinished')
    const storage = filesStorage(fs, folder)
    await save(storage, 'a', BIG)
    await save(storage, 'a', BIG)
    await storage.close()
    expect(readdirSync(folder).sort()).toEqual([LOG, of.another, 'locks'].sort())
  })
})

describe('the lock of a process of which nothing can be known', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('is taken away when it gives no sign of life, also while other partitions are written', async () => {
    const folder = mkdtempSync(join(root, 'silent-'))
    const storage = filesStorage(fs, folder)
    await save(storage, 'a')
    // As of a container that is no more.
    writeFileSync(join(folder, 'locks', 'family-p~000000000~abcdefghij~1~17~000000000000-1'), '')
    const began = performance.now()
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => began + 20 * (now() - began))
    let isOver = false
    const others = (async () => {
      while (!isOver) {
        await storage.commit('q', { puts: [row('of another')] })
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    })()
    const result = await save(storage, 'b').catch((error: unknown) => error)
    isOver = true
    await others
    expect(result).toMatchObject({ ok: true })
    expect(readdirSync(join(folder, 'locks'))).toEqual([])
  })
})

describe('a file operation that fails leaves no lock behind', () => {
  const failure = (): Error => Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })

  /** What fails while `more` says so. */
  const faults: Record<string, (more: () => boolean) => Partial<typeof fs>> = {
    'to look who is there': (more) => ({
      readdir: ((path: string) =>
        isLock(path) && more() ? Promise.reject(failure()) : fs.readdir(path)) as typeof fs.readdir,
    }),
    'to close the lock that was put': (more) => ({
      open: async (path, flags) => {
        const file = await fs.open(path, flags)
        const close = file.close.bind(file)
        const failing = () => close().then(() => (more() ? Promise.reject(failure()) : undefined))
        return isLock(path) && flags === 'wx' ? Object.assign(file, { close: failing }) : file
      },
    }),
    'to take the lock away': (more) => ({
      unlink: (path) => (isLock(path) && more() ? Promise.reject(failure()) : fs.unlink(path)),
    }),
  }

  it.each(Object.entries(faults))('%s', async (_, fault) => {
    const folder = mkdtempSync(join(root, 'failed-'))
    mkdirSync(join(folder, 'locks'))
    let left = 1
    const storage = filesStorage({ ...fs, ...fault(() => left-- > 0) }, folder)
    await save(storage, 'a').catch((error: unknown) => expect(error).toMatchObject({ code: 'FAILED' }))
    expect(left).toBeLessThan(1)
    expect(readdirSync(join(folder, 'locks'))).toEqual([])
    expect(await save(filesStorage(fs, folder), 'b')).toMatchObject({ ok: true })
    expect(await save(storage, 'c')).toMatchObject({ ok: true })
  })
})

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => {}
  const given = new Promise<void>((resolve) => void (give = resolve))
  return { given, give: () => give() }
}
