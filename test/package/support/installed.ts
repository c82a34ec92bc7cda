import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Installed {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly module?: string
  readonly exports?: { readonly '.': string | { readonly import?: string; readonly default: string } }
}

const installed = (folder: string, name: string): Installed =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))

/** Where a page finds a package. Of one that says nothing of imports the field for bundlers, as CDNs do. */
export function addressOf(folder: string, name: string): string {
  const { module, exports } = installed(folder, name)
  const door = exports?.['.']
  const file = typeof door === 'string' ? door : (door?.import ?? door?.default ?? module)
  if (file === undefined) throw new Error(`${name} has nothing that can be imported`)
  return `/node_modules/${name}/${file.replace('./', '')}`
}

/** A package and all that it depends on, as installed. */
export function packagesOf(folder: string, name: string, seen = new Set<string>()): string[] {
  if (!seen.has(name)) {
    seen.add(name)
    const { dependencies = {} } = installed(folder, name)
    for (const next of Object.keys(dependencies)) packagesOf(folder, next, seen)
  }
  return [...seen]
}
