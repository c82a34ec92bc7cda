import { setTimeout as sleep } from 'node:timers/promises'
import type { Storage } from '../../../src/storage/storage.ts'
import { forgetfulStorage } from './forgetful-storage.ts'
import { mortalStorage, type Death, type MortalStorage } from './mortal-storage.ts'
import { broken } from './proof.ts'

/** The power's end also takes what nobody waited for to be on the disk. */
export const DEATHS = [
  { when: 'before', leaves: 'hanging' },
  { when: 'after', leaves: 'hanging' },
  { when: 'before', leaves: 'failing' },
  { when: 'after', leaves: 'failing' },
  { when: 'before', leaves: 'hanging', isOfPower: true },
  { when: 'after', leaves: 'hanging', isOfPower: true },
] as const
/** Milliseconds in which a life comes to its end, many times over. */
const PATIENCE = 20_000

export interface Fate {
  readonly first: Death & { readonly isOfPower?: boolean }
  /** Of the process that goes on with it. */
  readonly second: Death
  /** How much the power's end takes of what it could. */
  readonly share: number
}

export interface Lived<End> {
  readonly end: End
  readonly deaths: number
  readonly storage: Storage
}

/** One process after the other on one disk, until one comes to the end. */
export async function lives<End>(
  { first, second, share }: Fate,
  live: (process: MortalStorage) => Promise<End>,
): Promise<Lived<End>> {
  const disk = forgetfulStorage()
  const dead: MortalStorage[] = []
  let { storage } = disk
  try {
    for (const death of [first, second, undefined]) {
      const process = mortalStorage(storage, death)
      const ended = live(process).then(
        (end) => ({ end }),
        (error: unknown) => {
          if (process.isDead()) return undefined
          throw broken('what nobody killed has failed', { first, second, error: String(error) })
        },
      )
      const died = process.died.then(() => sleep(1)).then(() => undefined)
      const late = new AbortController()
      const stuck = sleep(PATIENCE, undefined, late).then(() => {
        throw broken('a life came to no end', { first, second, process: dead.length })
      })
      const over = await Promise.race([ended, died, stuck]).finally(() => late.abort())
      if (over) return { end: over.end, deaths: dead.length, storage }
      dead.push(process)
      if (first.isOfPower && dead.length === 1) storage = await disk.cut(share)
    }
    throw broken('no process came to the end', { first, second })
  } finally {
    // Nothing of them is let go before the next ones are through: the dead do nothing.
    for (const process of dead) process.bury()
  }
}
