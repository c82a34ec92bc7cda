import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Storage } from '../../../src/storage/storage.ts'
import { start, type Running } from './process.ts'
import { remoteStorage } from './remote-storage.ts'

/** How a script is run, and which. It is given one argument more, and says where it listens. */
type Script = readonly [runtime: string, ...args: readonly string[]]

export interface Engine {
  readonly name: string
  /** Serves storages: over the data in a folder, or where there is a server, over that. */
  readonly host: Script
  /** For data that is kept by a process of its own: starts that on a folder. */
  readonly server?: Script
  /** Whether several processes may have the data open at once. */
  readonly hosts: 'many' | 'one'
  /** Whether each test can have a database of its own. With one alone, a test empties it first. */
  readonly databases: 'many' | 'one'
}

/** An engine at work on a folder, which goes with it. */
export class EngineAtWork {
  readonly #engine: Engine
  readonly #folder = mkdtempSync(join(tmpdir(), 'forkpoint-engine-'))
  #server: Running | undefined
  #hosts: Running[] = []
  #databases = 0

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Several processes have its data open. */
  get isOfMany(): boolean {
    return this.#engine.hosts === 'many'
  }

  async start(): Promise<void> {
    const { server } = this.#engine
    if (server) this.#server = await started(server, this.#folder)
    await this.#startHost()
  }

  /** A name that no test has used; what is there under it is nothing. */
  async newDatabase(): Promise<string> {
    const database = `db-${++this.#databases}`
    if (this.#engine.databases === 'many') return database
    const storage = await this.open(database)
    await storage.destroy()
    await storage.close()
    return database
  }

  /** A connection to it; with a number above 0 in another process, if there can be one. */
  async open(database: string, process = 0): Promise<Storage> {
    const host = this.#engine.hosts === 'many' ? process : 0
    while (this.#hosts.length <= host) await this.#startHost()
    return remoteStorage(this.address(database, host), database)
  }

  /** Where a process of it is asked about a database. */
  address(database: string, host = 0): string {
    return `${(this.#hosts[host] as Running).url}/?database=${encodeURIComponent(database)}`
  }

  /** Where the server listens that keeps the data. */
  get server(): string {
    return (this.#server as Running).url
  }

  /** SIGKILL to that server alone: those who use it live on. Resolves when it runs again, under another address. */
  async killServer(): Promise<void> {
    await this.#server?.kill()
    this.#server = await started(this.#engine.server as Script, this.#folder)
  }

  /** SIGKILL to whatever has the data, in the midst of whatever it does. */
  async kill(): Promise<void> {
    const all = this.#server ? [this.#server, ...this.#hosts] : this.#hosts
    this.#hosts = []
    await Promise.all(all.map((each) => each.kill()))
  }

  async end(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #startHost(): Promise<void> {
    this.#hosts.push(await started(this.#engine.host, this.#server?.url ?? this.#folder))
  }
}

const started = ([runtime, ...args]: Script, given: string): Promise<Running> =>
  start(runtime, [...args, given])
