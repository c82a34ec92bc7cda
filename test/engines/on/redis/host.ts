import { Redis } from 'ioredis'
import { ioredis, redisStorage } from '../../../../src/storage/redis.ts'
import { given, host } from '../../support/host.ts'

const redis = new Redis(given)
redis.on('error', () => {})

host((prefix) => redisStorage(ioredis(redis), { prefix }))
