import { given, ready } from '../../support/host.ts'
import { startRedis } from '../../support/redis.ts'

const { host, port, process } = await startRedis(given)
ready(`redis://${host}:${port}`, () => process.kill())
