import { given, ready } from '../../support/host.ts'
import { neonProxy } from './proxy.ts'
import { startPostgres } from '../../support/postgres.ts'

const { process, ...config } = await startPostgres(given)
const { url } = await neonProxy(config)
ready(url, () => process.kill())
