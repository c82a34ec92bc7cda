import { checkGiven } from './adapter/given.ts'
import { CheckpointerError } from '../errors.ts'
import type { RedisDriver } from './redis/driver.ts'
import { ScriptStorage } from './redis/script-storage.ts'
import type { Storage } from './storage.ts'

export type { RedisDriver, RedisReply, Script } from './redis/driver.ts'
export { ioredis, upstash, type IoRedis, type UpstashLike } from './redis/drivers.ts'

export interface RedisStorageOptions {
  /** What all keys of this database begin with, in braces. `forkpoint` when nothing is said. */
  readonly prefix?: string
}

/** Keeps everything in Redis. The connection is the caller's: to close it is too, after this was closed. */
export function redisStorage(
  driver: RedisDriver,
  { prefix = 'forkpoint' }: RedisStorageOptions = {},
): Storage {
  checkGiven('redisStorage', driver, ['run'], 'a driver, such as ioredis(new Redis())')
  if (prefix === '' || /[{}]/.test(prefix))
    throw new CheckpointerError('INVALID', 'The prefix of a Redis storage is some text without braces.')
  return new ScriptStorage(driver, prefix)
}
