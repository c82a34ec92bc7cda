import { Redis } from '@upstash/redis'
import { redisStorage, upstash } from '../../../../src/storage/redis.ts'
import { given, host } from '../../support/host.ts'

const redis = new Redis({ url: given, token: 'none', enableTelemetry: false })

host((prefix) => redisStorage(upstash(redis), { prefix }))
