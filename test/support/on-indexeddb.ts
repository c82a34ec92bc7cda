import { openCheckpointer, type OpenOptions } from 'forkpoint'
import { indexedDbStorage } from 'forkpoint/storage/indexeddb'
import type { Ground } from 'forkpoint/testing'

const run = Math.random().toString(36).slice(2)
let count = 0

/** Databases of a name each, which whoever opened them removes. */
export function onIndexedDb(options: Partial<OpenOptions>): () => Promise<Ground> {
  return async () => {
    const name = `suite-${run}-${++count}`
    const open = (more = {}) => openCheckpointer({ name, ...options, ...more })
    return {
      open,
      storage: async () => indexedDbStorage({ name }),
      clear: async () => (await open()).destroy(),
    }
  }
}

export const neverWarn = {
  onWarning: (warning: Error) => {
    throw warning
  },
}
