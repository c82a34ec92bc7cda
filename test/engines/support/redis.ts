import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { programs } from './programs.ts'

export interface RedisServer {
  readonly host: string
  readonly port: number
  readonly process: ChildProcess
}

/** What is acknowledged is on the disk. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']

/** A server of Redis on loopback, whose data is in a folder. */
export async function startRedis(
  folder: string,
  settings: readonly string[] = DURABLE,
): Promise<RedisServer> {
  const data = join(folder, 'redis')
  mkdirSync(data, { recursive: true })
  const port = await freePort()
  const server = spawn(
    join(programs('redis'), 'redis-server'),
    ['--port', String(port), '--bind', '127.0.0.1', '--dir', data, ...settings],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let said = ''
  server.stdout.on('data', (text) => (said = `${said}${text}`.slice(-4000)))
  for (let tries = 0; !said.includes('Ready to accept connections'); tries++) {
    if (server.exitCode !== null || tries === 1200) {
      server.kill('SIGKILL')
      if (server.exitCode === null) await once(server, 'exit')
      throw new Error(`redis-server does not start\n${said}`)
    }
    await sleep(25)
  }
  return { host: '127.0.0.1', port, process: server }
}
