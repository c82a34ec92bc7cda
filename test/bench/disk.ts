import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Engine } from './browser.ts'
import { described, type ContenderName } from './contenders.ts'

/**
 * What the databases of an origin weigh in the profile of a browser that has ended; of private files the page tells. That
 * nothing is found means that it was looked for in the wrong place.
 */
export function databasesOnDisk(engine: Engine, profile: string, name: ContenderName): number {
  if (described(name).isFiles) return 0
  const [folder, prefix] =
    engine === 'chromium'
      ? [join(profile, 'Default/IndexedDB'), `http_${name}.localhost_`]
      : [join(profile, 'storage/default'), `http+++${name}.localhost+`]
  const databases = engine === 'chromium' ? '' : 'idb'
  const found = existsSync(folder) ? readdirSync(folder) : []
  const bytes = found
    .filter((entry) => entry.startsWith(prefix))
    .reduce((sum, entry) => sum + weight(join(folder, entry, databases)), 0)
  if (bytes === 0) throw new Error(`${engine} has no databases of ${name} in ${folder}: ${found.join(', ')}`)
  return bytes
}

function weight(path: string): number {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.size
  return readdirSync(path).reduce((sum, entry) => sum + weight(join(path, entry)), 0)
}
