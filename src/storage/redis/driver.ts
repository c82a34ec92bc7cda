import type { Limits } from '../storage.ts'

export type RedisReply = null | number | string | readonly RedisReply[]

/** A script of Lua, and the SHA-1 by which a server that has seen it knows it. */
export interface Script {
  readonly source: string
  readonly sha: string
}

/**
 * One way to a Redis, whichever library has it. One call is all that is asked of it: whatever is read or written at once
 * is one script. Everything is text that is valid Unicode, so that it goes through JSON too.
 */
export interface RedisDriver {
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<RedisReply>
  /** Where the way there takes less than Redis does. */
  readonly limits?: Partial<Limits>
}
