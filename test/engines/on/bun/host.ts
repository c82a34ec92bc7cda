import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { bunSqlite, sqliteStorage } from '../../../../src/storage/sqlite.ts'
import { given, host } from '../../support/host.ts'

host((name) => sqliteStorage(bunSqlite(new Database(join(given, `${name}.db`), { create: true }))))
