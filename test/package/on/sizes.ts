import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Fixture } from '../support/ground.ts'

/**
 * In kB of 1,000 bytes, packed file by file, with dependencies: what is held to here, and what was wished for. ARCHITECTURE.md says why
 * two are above the wish.
 */
const PARTS = {
  /** In an app's first bundle, with what the app itself says there. */
  entry: { budget: 2.85, wish: 12 },
  /** Loaded before a checkpointer is open. */
  opening: { budget: 39.5, wish: 12 },
  /** Fetched beside that: runs, leases. */
  later: { budget: 22, wish: undefined },
  /** When they are asked for: export, import, sync, verification. */
  seldom: { budget: 8, wish: undefined },
  worker: { budget: 82.5, wish: 12 },
} as const
type Part = keyof typeof PARTS

/** Words that only code of the store's side has: of the adapter, its engine's library, and the verbs. */
const OF_A_STORAGE = ['createObjectStore', 'upgradeneeded', 'quarantine']

/** Of a build of Vite, what is loaded when; and that the page carries nothing of a storage. */
export const sizes: Fixture = ({ folder }) => {
  const assets = join(folder, 'dist/assets')
  const seen = new Set<string>()
  /** A part's files, save those that an earlier one has brought. */
  const filesOf = (first: string): readonly string[] => [...withImports(assets, first, seen)]
  const entry = filesOf(entryOf(folder))
  const opening = filesOf(asked(assets, entry, 'opening'))
  const later = filesOf(asked(assets, opening, 'later'))
  const seldom = filesOf(asked(assets, opening, 'seldom'))
  const worker = filesOf(workerOf(assets))
  const files: Readonly<Record<Part, readonly string[]>> = { entry, opening, later, seldom, worker }
  const code = (part: Part): string =>
    files[part].map((name) => readFileSync(join(assets, name), 'utf8')).join('\n')

  for (const [part, { budget, wish }] of Object.entries(PARTS) as [Part, (typeof PARTS)[Part]][]) {
    const size = sum(files[part].map((name) => packed(join(assets, name))))
    const wished = wish === undefined ? '' : `, ${wish} wished for`
    console.log(
      `        ${part}: ${size.toFixed(2)} kB in ${files[part].length} files (${budget} at most${wished})`,
    )
    if (size > budget) throw new Error(`${part} has ${size.toFixed(2)} kB, which is above its ${budget}`)
  }
  // What is copied, or loaded without a bundler.
  const alone = packed(join(folder, 'node_modules/forkpoint/dist/worker/worker.js'))
  if (alone > PARTS.worker.budget)
    throw new Error(`The worker's script as it is packed has ${alone.toFixed(2)} kB`)

  for (const word of OF_A_STORAGE) {
    if (!code('worker').includes(word))
      throw new Error(`The worker lacks "${word}", so it tells nothing of a storage`)
    for (const part of ['entry', 'opening', 'later', 'seldom'] as const)
      if (code(part).includes(word)) throw new Error(`The page carries a storage: ${part} has "${word}"`)
  }
}

function entryOf(folder: string): string {
  const html = readFileSync(join(folder, 'dist/index.html'), 'utf8')
  const [, name] = /<script[^>]* src="\/assets\/([^"]+)"/.exec(html) ?? []
  if (name === undefined) throw new Error('The page has no script')
  return name
}

/** What these files load by `import()`, by its name. */
function asked(assets: string, by: readonly string[], part: string): string {
  const pattern = new RegExp(`import\\(\\s*["'\`]\\./(${part}-[^"'\`]+\\.js)["'\`]\\s*\\)`)
  for (const name of by) {
    const [, found] = pattern.exec(readFileSync(join(assets, name), 'utf8')) ?? []
    if (found !== undefined) return found
  }
  throw new Error(`Nobody loads ${part}`)
}

function workerOf(assets: string): string {
  const name = readdirSync(assets).find((file) => /^worker-.*\.js$/.test(file))
  if (name === undefined) throw new Error('The build has no worker')
  return name
}

/** A file and all that it imports at once, as far as nobody had it before. */
function* withImports(assets: string, name: string, seen: Set<string>): Generator<string> {
  if (seen.has(name)) return
  seen.add(name)
  yield name
  const code = readFileSync(join(assets, name), 'utf8')
  for (const [, next] of code.matchAll(/(?:\bfrom|\bimport)\s*["'`]\.\/([^"'`]+\.js)["'`]/g))
    yield* withImports(assets, next ?? '', seen)
}

const packed = (file: string): number => gzipSync(readFileSync(file)).byteLength / 1000

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
