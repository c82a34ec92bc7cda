import { fromBase64, toBase64 } from '../../platform/base64.ts'

/**
 * Bodies as text, since a way there may know nothing else: what is UTF-8, as most of them are, stands as it is, and all
 * else as base64. The first letter says which, and keeps a client from taking it for JSON.
 */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

export function textOf(body: Uint8Array): string {
  try {
    return `t${decoder.decode(body)}`
  } catch {
    return `b${toBase64(body)}`
  }
}

export function bodyOf(text: string): Uint8Array {
  if (text.startsWith('t')) return encoder.encode(text.slice(1))
  // What is none was changed: the row's sum tells.
  return fromBase64(text.slice(1)) ?? new Uint8Array()
}
