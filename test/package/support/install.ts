import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../../scripts/doors.ts'
import { run, tools } from './ground.ts'

/**
 * The tools take several hundred MB, so they are no dependencies of this package. Their versions are pinned, without a
 * lock: that would have to name their binaries for all platforms.
 */
export function installTools(): void {
  const wanted = readFileSync(join(tools, 'package.json'), 'utf8')
  // What was asked for is kept beside what came of it, to be compared.
  const installed = join(tools, 'node_modules/.installed.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return
  console.log('installing bundlers and runtimes into test/package/node_modules')
  const options = { cwd: tools, stdio: 'inherit' } as const
  if (spawnSync('npm', ['install', '--ignore-scripts'], options).status !== 0)
    throw new Error('The tools could not be installed')
  writeFileSync(installed, wanted)
}

/** What is packed, installed as a user would, beside the page that uses it. */
export async function installPackage(folder: string): Promise<void> {
  cpSync(fileURLToPath(new URL('../consumer/', import.meta.url)), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }))
  mkdirSync(join(folder, 'public'))
  writeFileSync(join(folder, 'public/favicon.ico'), '')
  const tarball = (await run('npm', ['pack', '--silent', '--pack-destination', folder], root)).trim()
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(root, 'node_modules/vite/package.json'), 'utf8'),
  )
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...quietly, `./${tarball}`, `vite@${version}`], folder)
}
