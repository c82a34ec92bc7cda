/**
 * `npm run test:peers [-- door ...]`: the tests of the doors, with the lowest versions of their libraries that package.json
 * allows; the highest are those of all other tests. Each door has a copy of the sources, below `.cache/peers/`, with those
 * libraries beside it; what else it needs is found where it always is.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/doors.ts'

interface Row {
  /** The peers of the door. */
  readonly peers: readonly string[]
  /** What works with these versions, and is needed for the tests. */
  readonly beside: Readonly<Record<string, string>>
}

const DOORS: Readonly<Record<string, Row>> = {
  'ai-sdk': { peers: ['ai'], beside: { '@ai-sdk/react': '4.0.141' } },
  langgraph: {
    peers: ['@langchain/core', '@langchain/langgraph-checkpoint'],
    beside: { '@langchain/langgraph': '1.4.2', '@langchain/langgraph-checkpoint-validation': '1.1.1' },
  },
  xstate: { peers: ['xstate'], beside: {} },
}

/** Peers of which the lowest version is not tested here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  react: 'only assistant-ui uses it, which says itself what it works with',
  vitest: 'a suite asks for no more of it than `describe` and `it`',
}

const COPIED = ['src', 'scripts', 'docs', 'test/integrations', 'test/support', 'test/docs', 'test/bench']
const FILES = ['package.json', 'tsconfig.json', 'vitest.config.ts', 'CHANGELOG.md', 'ARCHITECTURE.md']

interface Manifest {
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in DOORS))
const untested = untestedPeers()

if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: there are ${Object.keys(DOORS).join(', ')}`)
if (untested.length > 0) throw new Error(`${untested.join(', ')}: nobody tests the lowest version`)
const failed = Object.entries(DOORS).filter(
  ([name, row]) => (asked.length === 0 || asked.includes(name)) && !holds(name, row),
)
for (const [name] of failed) console.error(`FAILED  ${name}`)
process.exitCode = failed.length > 0 ? 1 : 0

function lowestOf(peer: string): string {
  const [, lowest] = /^(?:\^|>=)(\d+\.\d+\.\d+)/.exec(manifest.peerDependencies[peer] ?? '') ?? []
  if (lowest === undefined) throw new Error(`The range of ${peer} does not begin with a version`)
  return lowest
}

/** Of others the lowest is the one that is tested anyway. */
function untestedPeers(): string[] {
  const tested = Object.values(DOORS).flatMap(({ peers }) => peers)
  return Object.keys(manifest.peerDependencies)
    .filter((peer) => !tested.includes(peer) && !(peer in ELSEWHERE))
    .filter((peer) => lowestOf(peer) !== manifest.devDependencies[peer])
}

function holds(name: string, { peers, beside }: Row): boolean {
  const folder = join(root, '.cache/peers', name)
  const versions = { ...Object.fromEntries(peers.map((peer) => [peer, lowestOf(peer)])), ...beside }
  console.log(`${name}: ${JSON.stringify(versions)}`)
  return install(folder, versions) && copy(folder) && tests(folder, name)
}

function install(folder: string, versions: Readonly<Record<string, string>>): boolean {
  const wanted = JSON.stringify({ private: true, dependencies: versions })
  // What was asked for is kept beside what came of it, to be compared.
  const installed = join(folder, 'node_modules/.installed.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return true
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), wanted)
  // The peers of these are there already, a few folders up.
  const how = ['--legacy-peer-deps', '--no-package-lock', '--ignore-scripts', '--prefer-offline', '--silent']
  if (!run('npm', ['install', ...how], folder)) return false
  writeFileSync(installed, wanted)
  return true
}

function copy(folder: string): true {
  for (const path of COPIED) {
    rmSync(join(folder, path), { recursive: true, force: true })
    cpSync(join(root, path), join(folder, path), {
      recursive: true,
      filter: (file) => !/[\\/](node_modules|temp)$/.test(file),
    })
  }
  for (const file of FILES) cpSync(join(root, file), join(folder, file))
  return true
}

function tests(folder: string, name: string): boolean {
  const which = [`test/integrations/${name}/`, `test/docs/${name}.test.ts`]
  return run('vitest', ['run', '--root', folder, '--project', 'node', '--silent=true', ...which], folder)
}

function run(command: string, args: readonly string[], cwd: string): boolean {
  const env = { ...process.env, FORKPOINT_BROWSERS: 'none' }
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit', env })
  if (error) console.error(`${command}: ${error.message}`)
  return status === 0
}
