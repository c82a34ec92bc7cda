import { fromBase64, toBase64 } from '../../../platform/base64.ts'
import { TABLES, type Key, type Put, type Row, type Table } from '../../storage.ts'

/** A row as it stands in a line: its body as text where it is text, so that people can read it. */
export interface LoggedPut {
  readonly table: Table
  readonly key: Key
  readonly alias?: Key
  readonly rank?: number
  readonly head: string
  readonly body?: string
  readonly base64?: string
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const logged = ({ table, key, alias, rank, head, body }: Put): LoggedPut => ({
  table,
  key,
  ...(alias ? { alias } : {}),
  ...(rank === undefined ? {} : { rank }),
  head,
  ...(body ? textOf(body) : {}),
})

function textOf(body: Uint8Array): Pick<LoggedPut, 'body' | 'base64'> {
  try {
    return { body: decoder.decode(body) }
  } catch {
    return { base64: toBase64(body) }
  }
}

export function rowOf({ key, head, body, base64 }: LoggedPut, version: string): Row {
  const bytes = base64 === undefined ? body && encoder.encode(body) : fromBase64(base64)
  const isEmpty = body === '' && base64 === undefined
  return { key, head, version, ...(bytes ? { body: bytes } : isEmpty ? { body: new Uint8Array() } : {}) }
}

/** A line that was checked is as this package wrote it; this is for what others have put there. */
export function isPut(value: unknown): value is LoggedPut {
  const { table, key, head, alias } = (value ?? {}) as Partial<Record<keyof LoggedPut, unknown>>
  return (
    (TABLES as readonly unknown[]).includes(table) &&
    Array.isArray(key) &&
    typeof head === 'string' &&
    (alias === undefined || Array.isArray(alias))
  )
}
