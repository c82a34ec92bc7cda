import sqlite3InitModule, { type Database } from '@sqlite.org/sqlite-wasm'
import type { Rows, Statement } from './sql.ts'

export interface Asked {
  readonly id: number
  readonly asked: { readonly query: Statement } | { readonly transaction: readonly Statement[] } | 'close'
}
export interface Answer {
  readonly id: number
  readonly rows: Rows
  readonly error?: string
}

const opening = open()

async function open(): Promise<Database> {
  const sqlite3 = await sqlite3InitModule()
  if (self.name === 'pool') {
    const pool = await sqlite3.installOpfsSAHPoolVfs({})
    return new pool.OpfsSAHPoolDb('/bench.sqlite3')
  }
  if (!sqlite3.oo1.OpfsDb) throw new Error(`there is no OPFS here: ${Object.keys(sqlite3.oo1).join()}`)
  return new sqlite3.oo1.OpfsDb('/bench.sqlite3')
}

onmessage = async ({ data: { id, asked } }: MessageEvent<Asked>) => {
  try {
    const rows = answer(await opening, asked)
    postMessage({ id, rows } satisfies Answer)
  } catch (error) {
    postMessage({ id, rows: [], error: String(error) } satisfies Answer)
  }
}

function answer(db: Database, asked: Asked['asked']): Rows {
  if (asked === 'close') db.close()
  else if ('query' in asked) return exec(db, asked.query)
  else
    db.transaction(() => {
      for (const statement of asked.transaction) exec(db, statement)
    })
  return []
}

function exec(db: Database, { sql, values }: Statement): Rows {
  const bind = values.length > 0 ? { bind: [...values] } : {}
  return db.exec({ sql, ...bind, rowMode: 'array', returnValue: 'resultRows' })
}
