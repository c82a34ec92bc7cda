import { rolldown, type InputOptions } from 'rolldown'
import { doors } from './doors.ts'

/** What a page loads one after the other, by the sources that it asks for: each becomes one file. */
const PARTS: Readonly<Record<string, { readonly behind?: string; readonly sources: readonly string[] }>> = {
  opening: { sources: ['src/opening.ts'] },
  later: {
    behind: 'opening',
    sources: [
      'src/checkpointer/all-later.ts',
      'src/checkpointer/runs/seen/orphans.ts',
      'src/checkpointer/runs/watch/watch.ts',
      'src/witness/compare.ts',
    ],
  },
  seldom: { behind: 'later', sources: ['src/checkpointer/all-seldom.ts'] },
  'writing-behind': { behind: 'opening', sources: ['src/checkpointer/writing-behind.ts'] },
  'in-process': { behind: 'opening', sources: ['src/worker/in-process.ts'] },
  'in-process-seldom': { behind: 'in-process', sources: ['src/operations/all-seldom.ts'] },
}

const MAIN = 'src/index.ts'
/** It takes what it likes of all parts: nobody counts what a suite of tests loads. */
const UNCOUNTED = 'src/testing/index.ts'

/**
 * In which file of `dist/` a source stands, if not in one of its own. A bundler splits what it is given, file by file,
 * by who needs it: of 100 files it made 12 for the opening. What always comes together it cannot split here. What other
 * doors need, too, stays apart, so that they take nothing else along.
 */
export async function layout(options: InputOptions): Promise<(source: string) => string | undefined> {
  const imports = await importsOf(options)
  const reach = (...from: readonly string[]): ReadonlySet<string> => {
    const seen = new Set(from)
    for (const source of seen) for (const next of imports.get(source) ?? []) seen.add(next)
    return seen
  }
  const apart = reach(...doors.map(({ source }) => source).filter((source) => source !== UNCOUNTED), MAIN)
  const files = new Map<string, string>()
  for (const [part, { sources }] of Object.entries(PARTS))
    for (const source of reach(...sources))
      if (!apart.has(source)) files.set(source, bothBehind(files.get(source) ?? part, part))
  return (source) => files.get(source)
}

/** What two parts need comes with the nearest one that is there before both. */
function bothBehind(one: string, other: string): string {
  const before = (part: string): readonly string[] => {
    const { behind } = PARTS[part] ?? {}
    return behind === undefined ? [part] : [part, ...before(behind)]
  }
  return before(one).find((part) => before(other).includes(part)) ?? other
}

/** Of each source, what it imports before it runs. */
async function importsOf(options: InputOptions): Promise<ReadonlyMap<string, readonly string[]>> {
  const bundle = await rolldown(options)
  const { output } = await bundle.generate({ format: 'esm', preserveModules: true })
  await bundle.close()
  const modules = output.flatMap((file) => (file.type === 'chunk' && file.facadeModuleId ? [file] : []))
  const sources = new Map(modules.map(({ fileName, facadeModuleId }) => [fileName, sourceOf(facadeModuleId)]))
  return new Map(
    modules.map(({ fileName, imports }) => [
      sources.get(fileName) ?? '',
      imports.flatMap((name) => sources.get(name) ?? []),
    ]),
  )
}

/** From the root, as doors name theirs. */
export const sourceOf = (id: string | null): string => id?.replace(/^.*\/(?=src\/)/, '') ?? ''
