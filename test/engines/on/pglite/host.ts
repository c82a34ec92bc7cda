import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pglite, postgresStorage } from '../../../../src/storage/postgres.ts'
import { given, host } from '../../support/host.ts'

const database = await PGlite.create(join(given, 'pglite'))

host(() => postgresStorage(pglite(database)))
