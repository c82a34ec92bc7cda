import { randomId } from '../ids.ts'
import { holdLock, locksHere } from '../platform/locks.ts'

/**
 * A page that dies says nothing, and its port says nothing of it. So it holds a Web Lock as long as it is there, and
 * who serves it waits for that one. Without Web Locks (plain http) what a dead page had open stays so until the
 * worker ends.
 */
export interface Presence {
  /** Of the lock. */
  readonly name: string
  letGo(): void
}

/** Resolves when the lock is held; with nothing where none is to be had. */
export async function showPresence(): Promise<Presence | undefined> {
  const name = `forkpoint:page:${randomId()}`
  const letGo = await holdLock(name)
  return letGo && { name, letGo }
}

/** Resolves when nobody holds the lock any more; never where that cannot be seen. */
export async function whenGone(name: string): Promise<void> {
  const gone = locksHere()?.request(name, { mode: 'shared' }, () => {})
  await (gone?.catch(forever) ?? forever())
}

const forever = (): Promise<never> => new Promise(() => {})
