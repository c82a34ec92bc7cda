import { openCheckpointer, type Host } from 'forkpoint'
import { forkpointStorage } from 'forkpoint/store'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createHost } from '../../../src/operations/create-host.ts'
import { all, tabs } from './ground.ts'

/** Nobody waits for a small letter: s sets, r removes; an R is waited for. */
const PLANS = ['sR', 'srR', 'ssR', 'srsR', 'sRsR', 'srssR', 'srsrsR']

describe.each(['sync', 'async'] as const)("with onRemove: 'delete' and durability %s", (durability) => {
  describe.each([0, 10])('every %i', (every) => {
    it.each(PLANS)('what was erased does not come back, in whatever haste: %s', async (plan) => {
      const open = tabs({ storage: memoryStorage(), durability })
      const { storage, checkpointer, errors } = await open({ every, onRemove: 'delete' })
      for (const [n, call] of [...plan].entries())
        if (call === 's') void storage.setItem('a', { n })
        else if (call === 'r') void storage.removeItem('a')
        else await storage.removeItem('a')
      expect(await all(checkpointer.threads())).toEqual([])
      await storage.flush()
      expect(await storage.getItem('a')).toBeNull()
      expect(await all(checkpointer.threads())).toEqual([])
      expect(errors).toEqual([])
    })

    it('what is set while it is erased is all there is', async () => {
      const open = tabs({ storage: memoryStorage(), durability })
      const { storage } = await open({ every, onRemove: 'delete' })
      for (const n of [1, 2]) {
        void storage.setItem('a', { n })
        void storage.removeItem('a')
      }
      void storage.setItem('a', { n: 3 })
      await storage.flush()
      const values = (await all(storage.history('a', { states: true }))).map(({ state }) => state)
      expect(values).toEqual([{ n: 3 }])
    })
  })
})

/** A page as far as it is listened to, with a store whose first save takes as long as it is told to. */
async function slowPage() {
  const target = new EventTarget()
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target))
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target))
  onTestFinished(() => void vi.unstubAllGlobals())
  const inner = await createHost({ storage: memoryStorage() })
  const calls: string[] = []
  let land = (): void => {}
  const gate = new Promise<void>((resolve) => (land = resolve))
  const host: Host = {
    ...inner,
    async save(request) {
      calls.push('save')
      await gate
      return inner.save(request)
    },
    deleteThread(request) {
      calls.push('delete')
      return inner.deleteThread(request)
    },
  }
  const checkpointer = await openCheckpointer({ name: 'p', host })
  onTestFinished(() => checkpointer.close())
  const storage = forkpointStorage(checkpointer, { onRemove: 'delete' })
  return {
    calls,
    checkpointer,
    storage,
    land: () => land(),
    leave: () => target.dispatchEvent(new Event('pagehide')),
  }
}

describe('an erasure that waits for a save', () => {
  it('is sent at once when the page goes, and again behind that save if the page stays', async () => {
    const { calls, checkpointer, storage, land, leave } = await slowPage()
    await storage.setItem('a', 1)
    const removing = storage.removeItem('a')
    expect(calls).toEqual(['save'])
    leave()
    expect(calls).toEqual(['save', 'delete'])
    land()
    await removing
    expect(calls).toEqual(['save', 'delete', 'delete'])
    expect(await all(checkpointer.threads())).toEqual([])
  })

  it('is waited for by a second removal too', async () => {
    const { checkpointer, storage, land } = await slowPage()
    await storage.setItem('a', 1)
    void storage.removeItem('a')
    const again = storage.removeItem('a')
    land()
    await again
    expect(await all(checkpointer.threads())).toEqual([])
  })
})

describe('what is set during an undo', () => {
  it.each([4, 5])('is the value behind it, also when it is what the item was: %i', async (set) => {
    const { storage, errors } = await tabs({ storage: memoryStorage() })({ every: 0 })
    for (const n of [4, 5]) {
      await storage.setItem('a', { n })
      await storage.flush()
    }
    const undoing = storage.undo('a')
    await storage.setItem('a', { n: set })
    expect(await undoing).toBe(true)
    await storage.flush()
    expect(await storage.getItem('a')).toEqual({ n: set })
    expect(errors).toEqual([])
  })
})
