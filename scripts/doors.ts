import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** One entry of `exports` in package.json, and the source file it is built from. */
export interface Door {
  /** What a user imports: `forkpoint/storage/memory`. */
  readonly name: string
  readonly source: string
  readonly code: string
  readonly types: string
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}

export const root: string = fileURLToPath(new URL('..', import.meta.url))

export const manifest: Manifest = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** Every public door. `dist/a/b.js` is built from `src/a/b.ts`; there is no second list to keep. */
export const doors: readonly Door[] = Object.entries(manifest.exports).flatMap(([path, target]) => {
  if (typeof target === 'string') return []
  return {
    name: manifest.name + path.slice(1),
    source: target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'),
    code: target.default.slice(2),
    types: target.types.slice(2),
  }
})

interface Alias {
  readonly find: RegExp
  readonly replacement: string
}

const leading = (to: (door: Door) => string): Alias[] =>
  doors.map((door) => ({ find: new RegExp(`^${door.name}$`), replacement: root + to(door) }))

/** For Vite and Vitest: the doors' names lead to their sources, so nothing has to be built first. */
export const aliases = leading((door) => door.source)

/** The doors' names lead to the package as users install it, which has to be built. */
export const aliasesToBuilt = leading((door) => door.code)
