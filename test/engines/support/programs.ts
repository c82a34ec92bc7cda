import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'

/** Servers that no package of npm brings, by what Debian calls them. */
const PROGRAMS = {
  postgres: { found: () => globSync('/usr/lib/postgresql/*/bin').sort().at(-1), package: 'postgresql' },
  redis: {
    found: () => ['/usr/bin', '/usr/local/bin'].find((folder) => existsSync(`${folder}/redis-server`)),
    package: 'redis-server',
  },
} as const

/** The folder with a server's programs. Installs it where it is missing; throws, and says what to do, when that fails. */
export function programs(name: keyof typeof PROGRAMS): string {
  const { found, package: debian } = PROGRAMS[name]
  const there = found()
  if (there !== undefined) return there
  const apt = 'apt-get -o DPkg::Lock::Timeout=300'
  const install = `${apt} update && DEBIAN_FRONTEND=noninteractive ${apt} install -y --no-install-recommends ${debian}`
  const { stdout, stderr } = spawnSync('sh', ['-c', install], { encoding: 'utf8', timeout: 600_000 })
  const now = found()
  if (now !== undefined) return now
  const said = `${stdout}\n${stderr}`.trim().split('\n').slice(-5).join('\n')
  throw new Error(`${name} is not on this machine: apt-get install ${debian}\n${said}`)
}
