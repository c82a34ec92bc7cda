/** Builds dist/: one file a module, the worker as a single file of its own, and declarations. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type InputOptions, type Plugin, rolldown } from 'rolldown'
import { doors, manifest, root } from './doors.ts'
import { layout, sourceOf } from './layout.ts'

const WORKER = 'src/worker/worker.ts'
const allowed = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)])

process.chdir(root)
rmSync('dist', { recursive: true, force: true })
await buildDoors()
await buildWorker()
buildDeclarations()
checkEmitted()
printSizes()

/** The literal that Vite reads in src/ names a .ts file; its built neighbour is a .js file. */
function workerUrl(): Plugin {
  const literal = /new URL\(\s*(['"])(\.{1,2}\/[\w./-]+)\.ts\1,\s*import\.meta\.url,?\s*\)/g
  return {
    name: 'worker-url',
    transform: (code) => code.replace(literal, `new URL('$2.js', import.meta.url)`),
  }
}

async function buildDoors(): Promise<void> {
  const options: InputOptions = {
    input: doors.map((door) => door.source).filter((source) => source !== WORKER),
    external: /^[^./]/,
    platform: 'neutral',
    preserveEntrySignatures: 'allow-extension',
    plugins: [workerUrl()],
  }
  const fileOf = await layout(options)
  const bundle = await rolldown(options)
  await bundle.write({
    dir: 'dist',
    format: 'esm',
    entryFileNames: ({ facadeModuleId }) => `${placeOf(facadeModuleId)}.js`,
    chunkFileNames: '[name].js',
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'files', name: (id) => fileOf(sourceOf(id)) ?? placeOf(id) }],
    },
  })
  await bundle.close()
}

/** Where the file of a source stands that has one of its own. */
function placeOf(id: string | null): string {
  return sourceOf(id)
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
}

/**
 * A page without a bundler loads the worker by its URL, where no bare import can be resolved, and nobody else makes it
 * small: the map beside it tells what is where.
 */
async function buildWorker(): Promise<void> {
  const bundle = await rolldown({ input: WORKER, platform: 'browser', plugins: [nothingLater()] })
  const { output } = await bundle.write({
    file: 'dist/worker/worker.js',
    format: 'esm',
    codeSplitting: false,
    minify: true,
    sourcemap: true,
  })
  await bundle.close()
  writeFileSync('dist/worker/worker.licenses.txt', licensesOf(output[0].moduleIds))
}

/** In one file nothing comes later: what is an `import()` elsewhere costs 4 kB there, to begin as late as it would. */
function nothingLater(): Plugin {
  const literal = /\bimport\((['"]\.\/all-seldom\.ts['"])\)/
  return {
    name: 'nothing-later',
    transform(code) {
      const [call, from] = literal.exec(code) ?? []
      if (call === undefined) return undefined
      // On the line that is there, so that the map still tells which line is which.
      return {
        code: `import * as allSeldom from ${from};${code.replace(call, 'Promise.resolve(allSeldom)')}`,
        map: null,
      }
    },
  }
}

/** What the licenses of bundled packages ask for: their text goes with the copy. */
function licensesOf(modules: readonly string[]): string {
  const packages = new Set(modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []))
  const texts = [...packages].sort().map((folder) => {
    const { name, version }: { name: string; version: string } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    )
    const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder })
    if (file === undefined) throw new Error(`${name} has no license file`)
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  return `worker.js contains code of these packages.\n\n${texts.join('\n---\n\n')}`
}

/** tsc leaves `.ts` in the specifiers of declarations. */
function buildDeclarations(): void {
  execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
  for (const file of globSync('dist/**/*.d.ts')) {
    const text = readFileSync(file, 'utf8')
    writeFileSync(
      file,
      text.replace(/((?:from|import)\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g, '$1$2$3.js$2'),
    )
  }
}

/** Every door must have its files, and every file only imports and URLs that a user's machine can resolve. */
function checkEmitted(): void {
  const problems: string[] = []
  for (const door of doors) {
    for (const file of [door.code, door.types]) {
      if (!existsSync(file))
        problems.push(`package.json exports ${file} for ${door.name}, and it was not built`)
    }
  }
  for (const file of globSync('dist/**/*.{js,d.ts}')) {
    for (const target of targetsOf(readFileSync(file, 'utf8'))) {
      const problem = target.startsWith('.') ? missingFile(file, target) : forbiddenPackage(file, target)
      if (problem !== undefined) problems.push(problem)
    }
  }
  if (problems.length > 0) throw new Error('The build is not what package.json says:\n' + problems.join('\n'))
}

function targetsOf(code: string): string[] {
  const withoutComments = code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const patterns = [
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
    /\bnew URL\(\s*['"](\.[^'"]+)['"],\s*import\.meta\.url/g,
  ]
  return patterns.flatMap((pattern) => [...withoutComments.matchAll(pattern)].map((match) => match[1] ?? ''))
}

function missingFile(file: string, target: string): string | undefined {
  const path = resolve(dirname(file), target)
  const found = file.endsWith('.d.ts') ? existsSync(path.replace(/\.js$/, '.d.ts')) : existsSync(path)
  return found ? undefined : `${file} refers to ${target}, and there is no such file`
}

function forbiddenPackage(file: string, target: string): string | undefined {
  if (file.endsWith('worker/worker.js')) return `${file} must stand alone, and imports ${target}`
  const name = target.split('/', target.startsWith('@') ? 2 : 1).join('/')
  return allowed.has(name) || target.startsWith('node:')
    ? undefined
    : `${file} imports ${target}, which is no dependency`
}

function printSizes(): void {
  const size = (code: string): string => `${(gzipSync(code).byteLength / 1024).toFixed(2).padStart(7)} kB`
  console.log('gzip, with its own modules, without dependencies (the worker: with them)')
  for (const door of doors) console.log(`${size(withModules(door.code))}  ${door.name}`)
}

/** A built file and every file of ours that it imports at once. */
function withModules(file: string, seen = new Set<string>()): string {
  if (seen.has(file)) return ''
  seen.add(file)
  const code = readFileSync(file, 'utf8')
  const statics = [...code.matchAll(/^\s*(?:import|export)\b[^'";]*?['"](\.[^'"]+)['"]/gm)]
  return code + statics.map((match) => withModules(join(dirname(file), match[1] ?? ''), seen)).join('')
}
