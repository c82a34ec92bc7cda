import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/doors.ts'

const here = join(root, 'test/bench/rivals')
/** The lock file that was installed is kept beside what it says, to be compared. */
const installed = join(here, 'node_modules/.installed-lock.json')
const lock = (): string => readFileSync(join(here, 'package-lock.json'), 'utf8')

/**
 * Whoever is measured beside forkpoint takes about 170 MB, so that it is no dependency of this package: it is installed
 * into test/bench/rivals/node_modules when it is not there yet.
 */
export function installRivals(): void {
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock()) return
  console.error('installing what is measured beside forkpoint into test/bench/rivals/node_modules')
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], here)
  writeFileSync(installed, lock())
}

/** As users install it: what it has in one file, a build from its sources has in many. */
export function buildPackage(): void {
  run('npm', ['run', '--silent', 'build'], root)
}

/** Each in its own types: how a package is used fits what it says of itself. */
export function checkRivals(): void {
  run('tsc', ['-p', 'test/bench/rivals'], root)
}

/** As they are locked. */
export function versions(): Record<string, string> {
  const { packages } = JSON.parse(lock()) as { packages: Record<string, { version?: string }> }
  return Object.fromEntries(
    Object.entries(packages).flatMap(([path, { version }]) =>
      path.startsWith('node_modules/') && version !== undefined
        ? [[path.slice('node_modules/'.length), version]]
        : [],
    ),
  )
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`${command} ${args[0] ?? ''} failed`, { cause: error })
}
