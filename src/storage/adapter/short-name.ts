import { hex } from '../../platform/bytes.ts'

/** Of a name that is too long for an engine: stands behind its beginning, and is no other's. */
export async function hashOf(name: string): Promise<string> {
  const sum = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name))
  return hex(new Uint8Array(sum, 0, 16))
}
