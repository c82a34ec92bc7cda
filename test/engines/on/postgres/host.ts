import pg from 'pg'
import { nodePostgres, postgresStorage } from '../../../../src/storage/postgres.ts'
import { given, host } from '../../support/host.ts'

const pool = new pg.Pool({ connectionString: given, max: 20 })
pool.on('error', (error) => console.error(error))

host(() => postgresStorage(nodePostgres(pool)))
