import { CheckpointerError } from '../../errors.ts'
import type { Limits } from '../storage.ts'
import type { RedisDriver, RedisReply, Script } from './driver.ts'

/** Of `ioredis`, what is used: a `Redis` or a `Cluster`. */
export interface IoRedis {
  readonly status: string
  call(command: string, args: string[]): Promise<unknown>
}

/** `new Redis()` of `ioredis`. */
export function ioredis(redis: IoRedis): RedisDriver {
  const call = async (command: string, args: string[]): Promise<RedisReply> => {
    if (redis.status === 'end')
      throw new CheckpointerError('CLOSED', 'The connection of this storage is closed.')
    return (await redis.call(command, args)) as RedisReply
  }
  return {
    run: ({ source, sha }, keys, args) => {
      const rest = [String(keys.length), ...keys, ...args]
      return known(
        () => call('EVALSHA', [sha, ...rest]),
        () => call('EVAL', [source, ...rest]),
      )
    },
  }
}

/** Of `@upstash/redis`, what is used. */
export interface UpstashLike {
  evalsha(sha: string, keys: string[], args: string[]): Promise<unknown>
  eval(script: string, keys: string[], args: string[]): Promise<unknown>
}

/** A request and an answer have 10 MB there, and text grows on its way through JSON. */
const REST: Partial<Limits> = { valueBytes: 1024 * 1024, commitBytes: 4 * 1024 * 1024 }

/** `new Redis({ url, token })` of `@upstash/redis`: a request of HTTP each call. */
export function upstash(redis: UpstashLike): RedisDriver {
  return {
    limits: REST,
    run: ({ source, sha }: Script, keys, args) =>
      known(
        async () => (await redis.evalsha(sha, [...keys], [...args])) as RedisReply,
        async () => (await redis.eval(source, [...keys], [...args])) as RedisReply,
      ),
  }
}

/** A server that was started since does not know the script, and is told it. */
async function known(
  bySha: () => Promise<RedisReply>,
  bySource: () => Promise<RedisReply>,
): Promise<RedisReply> {
  try {
    return await bySha()
  } catch (error) {
    if (!/NOSCRIPT/.test(String((error as { message?: unknown }).message))) throw error
    return bySource()
  }
}
