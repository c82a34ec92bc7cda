import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { programs } from './programs.ts'

export interface PostgresServer {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly process: ChildProcess
}

/** A server of Postgres on loopback, whose data is in a folder: made there when there is none. */
export async function startPostgres(folder: string): Promise<PostgresServer> {
  const bin = programs('postgres')
  const data = join(folder, 'postgres')
  const user = ownerOf()
  if (!existsSync(data)) {
    chmodSync(folder, 0o711)
    mkdirSync(data, { mode: 0o700 })
    if (user.uid !== undefined) chownSync(data, user.uid, user.gid as number)
    const made = ['-D', data, '-U', 'forkpoint', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N']
    execFileSync(join(bin, 'initdb'), made, { ...user, cwd: '/', stdio: 'ignore' })
  }
  const port = await freePort()
  // After a SIGKILL its children need a moment to notice, and nobody may begin before they have gone.
  for (let tries = 0; ; tries++) {
    const server = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-p', String(port), '-k', '', '-c', 'listen_addresses=127.0.0.1'],
      { ...user, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
    )
    let said = ''
    server.stderr.on('data', (text) => (said = `${said}${text}`.slice(-2000)))
    if (await isUp(server, () => said.includes('ready to accept connections')))
      return { host: '127.0.0.1', port, user: 'forkpoint', database: 'postgres', process: server }
    if (tries === 100) throw new Error(`postgres does not start\n${said}`)
    await sleep(100)
  }
}

/** Postgres refuses to be run by root: then by the user that its package has made. */
function ownerOf(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (option: string): number =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

async function isUp(server: ChildProcess, saysSo: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 1200 && server.exitCode === null; tries++) {
    if (saysSo()) return true
    await sleep(25)
  }
  if (server.exitCode !== null) return false
  server.kill('SIGKILL')
  await once(server, 'exit')
  return false
}
