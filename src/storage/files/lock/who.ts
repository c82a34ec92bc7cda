import type { FileSystem } from '../file-system.ts'

/** A process, as others on the machine can look it up. `world`: where its number means something. */
export interface Who {
  readonly pid: number
  /** When it was started, since numbers are used again; empty where that cannot be known. */
  readonly started: string
  readonly world: string
}

/** Of Node's, Deno's and Bun's `process`, what is used. */
interface ProcessLike {
  readonly pid?: number
  kill?(pid: number, signal: 0): unknown
}

const process = (globalThis as { readonly process?: ProcessLike }).process ?? {}

/** This process. Beyond Linux its number is all that there is. */
export async function whoami(fs: FileSystem): Promise<Who> {
  const pid = process.pid ?? 0
  try {
    const boot = (await fs.readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
    const world = `${boot.replaceAll('-', '').slice(0, 12)}-${(await fs.readlink('/proc/self/ns/pid')).replace(/\D/g, '')}`
    return { pid, world, started: (await startOf(fs, pid)) ?? '' }
  } catch {
    return { pid, world: 'here', started: '' }
  }
}

/** Whether a process has ended: nothing where nobody can say, as its number is one of another world, or was used again. */
export async function hasEnded(fs: FileSystem, other: Who, me: Who): Promise<boolean | undefined> {
  if (other.world !== me.world || other.pid === me.pid)
    return other.world === me.world && other.started !== me.started ? true : undefined
  if (other.started !== '' && me.started !== '') return (await startOf(fs, other.pid)) !== other.started
  try {
    process.kill?.(other.pid, 0)
    return undefined
  } catch (error) {
    return (error as { readonly code?: unknown }).code === 'ESRCH' ? true : undefined
  }
}

/** In ticks since the machine was started; nothing when there is no such process. */
async function startOf(fs: FileSystem, pid: number): Promise<string | undefined> {
  try {
    const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8')
    // The name before it may hold anything, and ends with the last parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
