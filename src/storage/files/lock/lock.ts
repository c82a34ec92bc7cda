import { CheckpointerError } from '../../../errors.ts'
import { randomName, randomPause } from '../../../platform/random.ts'
import { codeOf, ifThere, isNoEntry, makeFolder, type FileSystem } from '../file-system.ts'
import { hasEnded, whoami, type Who } from './who.ts'

/** So long it is waited for others. */
const PATIENCE = 30_000
const LONGEST_PAUSE = 12
const BEAT = 1000
/** Of somebody about whom nothing can be known, so many looks without a sign of life are enough. */
const LOOKS = 16
const BETWEEN_LOOKS = 750
/** So often it is tried to take a lock away. */
const TRIES = 3
const BETWEEN_TRIES = 10

interface Looked {
  readonly mtimeMs: number
  readonly at: number
  readonly count: number
}

/** Held by one at a time among all processes of a machine. */
export interface Held {
  /** Another was taken for dead for it, who may be in the midst of something. */
  readonly isTakenOver: boolean
  /** For whoever was stopped for long: others may have taken it for dead. */
  readonly confirm: () => Promise<void>
  readonly release: () => Promise<void>
}

/**
 * Locks as files, each with a name that is never used twice: so to remove the one of a process that has died can never hit
 * another's. Who wants a lock puts his file there and then looks: alone, he has it. With an earlier one there, he takes his
 * away and comes again; with later ones he waits until they have done so, or have finished. Two never both see
 * themselves alone, as each has put his file before he looked.
 */
export class Locks {
  readonly #fs: FileSystem
  readonly #folder: string
  readonly #looks = new Map<string, Looked>()
  #me: Promise<Who> | undefined

  constructor(fs: FileSystem, folder: string) {
    this.#fs = fs
    this.#folder = folder
  }

  async acquire(name: string): Promise<Held> {
    const me = await (this.#me ??= whoami(this.#fs))
    const file = ticket(name, me)
    const path = `${this.#folder}/${file}`
    const since = performance.now()
    try {
      return this.#held(path, since, await this.#alone(name, file, path, me, since))
    } catch (error) {
      // While this process lives, nobody else may take it away, and all would wait for it.
      await this.#takeAway(path).catch(() => {})
      throw error
    }
  }

  /** Resolves when nobody else is there; with whether one who was has been taken for dead. */
  async #alone(name: string, file: string, path: string, me: Who, since: number): Promise<boolean> {
    let isThere = false
    let isTakenOver = false
    for (let most = 1; ; most = Math.min(2 * most, LONGEST_PAUSE)) {
      if (!isThere) await this.#put(path)
      const { alive: others, isOneDead } = await this.#others(name, file, me)
      isTakenOver ||= isOneDead
      if (others.length === 0) return isTakenOver
      isThere = others.every((other) => other > file)
      if (!isThere) await this.#takeAway(path)
      if (performance.now() - since > PATIENCE) throw blocked(`${this.#folder}/${others[0]}`)
      if (isThere) await this.#beat(path)
      await randomPause(most)
    }
  }

  async #put(path: string): Promise<void> {
    try {
      await (await this.#fs.open(path, 'wx')).close()
    } catch (error) {
      if (!isNoEntry(error)) throw error
      await makeFolder(this.#fs, this.#folder)
      await (await this.#fs.open(path, 'wx')).close()
    }
  }

  /** Takes away those who have died. */
  async #others(name: string, mine: string, me: Who): Promise<{ alive: string[]; isOneDead: boolean }> {
    const alive: string[] = []
    let isOneDead = false
    const files = await this.#fs.readdir(this.#folder)
    this.#forgetGone(files)
    for (const file of files) {
      if (file === mine || nameOf(file) !== name) continue
      if (await this.#isDead(file, me)) {
        isOneDead = true
        await this.#fs.unlink(`${this.#folder}/${file}`).catch(ignoreNoEntry)
      } else alive.push(file)
    }
    return { alive: alive.sort(), isOneDead }
  }

  async #isDead(file: string, me: Who): Promise<boolean> {
    const isEnded = await hasEnded(this.#fs, whoOf(file), me)
    if (isEnded !== undefined) return isEnded
    const found = await ifThere(this.#fs.stat(`${this.#folder}/${file}`))
    if (!found) return false
    const now = performance.now()
    const looked = this.#looks.get(file)
    if (looked?.mtimeMs !== found.mtimeMs) {
      this.#looks.set(file, { mtimeMs: found.mtimeMs, at: now, count: 0 })
      return false
    }
    if (now - looked.at < BETWEEN_LOOKS) return false
    this.#looks.set(file, { ...looked, at: now, count: looked.count + 1 })
    if (looked.count < LOOKS) return false
    this.#looks.delete(file)
    return true
  }

  /** No name is used twice. Of those that are there all looks are kept, whatever lock was had meanwhile: they are few. */
  #forgetGone(files: readonly string[]): void {
    for (const file of this.#looks.keys()) if (!files.includes(file)) this.#looks.delete(file)
  }

  async #beat(path: string): Promise<void> {
    const now = new Date()
    await this.#fs.utimes(path, now, now).catch(ignoreNoEntry)
  }

  async #takeAway(path: string): Promise<void> {
    for (let left = TRIES - 1; ; left--) {
      try {
        return await this.#fs.unlink(path)
      } catch (error) {
        if (left === 0 || isNoEntry(error)) return ignoreNoEntry(error)
        await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES))
      }
    }
  }

  /** `since` it was asked for: who was stopped while he waited may have lost it before he had it. */
  #held(path: string, since: number, isTakenOver: boolean): Held {
    const beats = setInterval(() => void this.#beat(path).catch(() => {}), BEAT)
    return {
      isTakenOver,
      confirm: async () => {
        if (performance.now() - since < BEAT) return
        if (!(await ifThere(this.#fs.stat(path)))) throw lost(path)
      },
      release: async () => {
        clearInterval(beats)
        await this.#takeAway(path)
      },
    }
  }
}

const ignoreNoEntry = (error: unknown): void => {
  if (!isNoEntry(error) && codeOf(error) !== 'EPERM') throw error
}

/** The lock's name, when it was asked for, something at random, and by whom. Earlier ones come first. */
function ticket(name: string, { pid, started, world }: Who): string {
  return [name, Date.now().toString(36).padStart(9, '0'), randomName(6), pid, started, world].join('~')
}

/** The name may hold a tilde itself; behind it there are five parts. */
const PARTS = 5
const nameOf = (file: string): string => file.split('~').slice(0, -PARTS).join('~')

function whoOf(file: string): Who {
  const [pid, started = '', world = ''] = file.split('~').slice(-3)
  return { pid: Number(pid), started, world }
}

const blocked = (path: string): CheckpointerError =>
  new CheckpointerError(
    'BLOCKED',
    `Another process has held ${path} all the time. Nothing was written; try again. If nobody uses the folder, delete that file.`,
    { outcome: 'none' },
  )

const lost = (path: string): CheckpointerError =>
  new CheckpointerError(
    'BLOCKED',
    `This process was stopped for so long that others took it for dead, and took ${path} away. Nothing was written; try again.`,
    { outcome: 'none' },
  )
