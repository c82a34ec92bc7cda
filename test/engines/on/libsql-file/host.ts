import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { libsql, sqliteStorage } from '../../../../src/storage/sqlite.ts'
import { given, host } from '../../support/host.ts'

host((name) => sqliteStorage(libsql(createClient({ url: `file:${join(given, `${name}.db`)}` }))))
