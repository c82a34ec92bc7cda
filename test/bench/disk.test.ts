import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { databasesOnDisk } from './disk.ts'

it.each([
  ['chromium', 'Default/IndexedDB/http_dexie.localhost_8080.indexeddb.leveldb'],
  ['firefox', 'storage/default/http+++dexie.localhost+8080/idb'],
] as const)('the databases of one origin are weighed in a profile of %s', (engine, folder) => {
  const profile = mkdtempSync(join(tmpdir(), 'forkpoint-disk-'))
  onTestFinished(() => rmSync(profile, { recursive: true, force: true }))
  for (const [path, bytes] of [
    [folder, 1000],
    [`${folder}/1`, 234],
    [folder.replace('dexie', 'whole'), 7],
  ] as const) {
    mkdirSync(join(profile, path), { recursive: true })
    writeFileSync(join(profile, path, 'file'), new Uint8Array(bytes))
  }
  expect(databasesOnDisk(engine, profile, 'dexie')).toBe(1234)
  expect(databasesOnDisk(engine, profile, 'whole')).toBe(7)
  // Private files are told by the page.
  expect(databasesOnDisk(engine, profile, 'sqlite')).toBe(0)
  expect(() => databasesOnDisk(engine, profile, 'forkpoint')).toThrow('no databases of forkpoint')
})
