import { given, ready } from '../../support/host.ts'
import { startPostgres } from '../../support/postgres.ts'

const { host, port, user, database, process } = await startPostgres(given)
ready(`postgresql://${user}@${host}:${port}/${database}`, () => process.kill())
