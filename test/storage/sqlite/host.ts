import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { nodeSqlite, sqliteStorage } from '../../../src/storage/sqlite.ts'
import { given, host } from '../../engines/support/host.ts'

host((name) => sqliteStorage(nodeSqlite(new DatabaseSync(join(given, `${name}.db`)))))
