import type { Contender } from '../page/contender.ts'
import { sqlContender, type Rows } from './sql.ts'
import type { Answer, Asked } from './sqlite-worker.ts'

/** A message for each query, and for each transaction. */
export function sqliteContender(files: 'opfs' | 'pool'): Contender {
  return sqlContender('TEXT', async () => {
    const worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), { type: 'module', name: files })
    let last = 0
    const waiting = new Map<number, { resolve(rows: Rows): void; reject(error: Error): void }>()
    worker.onmessage = ({ data: { id, rows, error } }: MessageEvent<Answer>) => {
      const call = waiting.get(id)
      waiting.delete(id)
      if (error === undefined) call?.resolve(rows)
      else call?.reject(new Error(error))
    }
    const ask = (asked: Asked['asked']): Promise<Rows> =>
      new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject })
        worker.postMessage({ id: last, asked } satisfies Asked)
      })
    return {
      query: (query) => ask({ query }),
      run: (transaction) => ask({ transaction }),
      async close() {
        await ask('close')
        worker.terminate()
      },
    }
  })
}
