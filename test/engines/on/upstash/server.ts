import { Redis } from 'ioredis'
import { given, ready } from '../../support/host.ts'
import { startRedis } from '../../support/redis.ts'
import { upstashProxy } from './proxy.ts'

const { host, port, process } = await startRedis(given)
const { url } = await upstashProxy(new Redis({ host, port }))
ready(url, () => process.kill())
