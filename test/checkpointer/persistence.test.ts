import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { afterEach, describe, expect, it, vi } from 'vitest'

afterEach(() => vi.unstubAllGlobals())

type Manager = Partial<Record<'persist' | 'persisted' | 'estimate', () => Promise<unknown>>>

/** What `persist()` says, and what `usage()` then knows, with these in the place of the browser's. */
async function inBrowser(manager: Manager | undefined, globals: object = {}): Promise<unknown[]> {
  vi.stubGlobal('navigator', { storage: manager })
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  const checkpointer = await openCheckpointer({ name: 'persistence', storage: memoryStorage() })
  const answer = await checkpointer.persist()
  const { persisted, quota } = await checkpointer.usage()
  await checkpointer.close()
  return [answer, persisted, quota]
}

const yes = async (): Promise<boolean> => true
const no = async (): Promise<boolean> => false
const refuse = (): Promise<never> => Promise.reject(new TypeError('not here'))

describe('persist() and usage() say what holds', () => {
  it.each<[string, Manager | undefined, unknown[]]>([
    ['granted', { persist: yes, persisted: yes, estimate: async () => ({ quota: 9 }) }, ['granted', true, 9]],
    ['refused', { persist: no, persisted: no, estimate: async () => ({}) }, ['refused', false, undefined]],
    ['on plain http', undefined, ['unsupported', undefined, undefined]],
    ['in a worker, which cannot ask', { persisted: no }, ['unsupported', false, undefined]],
    ['in a worker of a site that has asked', { persisted: yes }, ['granted', true, undefined]],
    [
      'in a frame that is refused it all',
      { persist: refuse, persisted: refuse, estimate: refuse },
      ['unsupported', undefined, undefined],
    ],
  ])('%s', async (_, manager, expected) => {
    expect(await inBrowser(manager)).toEqual(expected)
  })

  const permissions = (granted: boolean) => ({
    permissions: {
      contains: async (wanted: { permissions: string[] }) =>
        granted && wanted.permissions.includes('unlimitedStorage'),
    },
  })

  it.each(['chrome', 'browser'])('in an extension, by %s.permissions', async (name) => {
    const manager = { persist: no, persisted: no }
    const exempt = await inBrowser(manager, { [name]: permissions(true) })
    expect(exempt).toEqual(['granted', true, undefined])
    const plain = await inBrowser(manager, { [name]: permissions(false) })
    expect(plain).toEqual(['unsupported', false, undefined])
  })

  it('in a content script, which stores in the name of its page', async () => {
    const chrome = { runtime: { id: 'an-extension' } }
    expect(await inBrowser({ persist: yes, persisted: yes }, { chrome })).toEqual([
      'granted',
      true,
      undefined,
    ])
  })
})
