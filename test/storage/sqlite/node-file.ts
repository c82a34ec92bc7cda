import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Storage } from 'forkpoint'
import { nodeSqlite, sqliteStorage } from 'forkpoint/storage/sqlite'
import { afterAll } from 'vitest'

/** A file of its own, which goes with `remove`. */
export function newFile(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-sqlite-'))
  return { path: join(folder, 'db.sqlite'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A connection to it, which is closed with its storage. */
export function openFile(path: string): Storage {
  const database = new DatabaseSync(path)
  const storage = sqliteStorage(nodeSqlite(database))
  return Object.assign(storage, {
    close: async () => {
      await Object.getPrototypeOf(storage).close.call(storage)
      if (database.isOpen) database.close()
    },
  })
}

/** A new file for each test, removed when all of them are over. */
export function filesOfTests(): () => string {
  const files: { remove(): void }[] = []
  afterAll(() => files.forEach((file) => file.remove()))
  return () => {
    const file = newFile()
    files.push(file)
    return file.path
  }
}
