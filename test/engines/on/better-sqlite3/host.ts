import { join } from 'node:path'
import Database from 'better-sqlite3'
import { betterSqlite3, sqliteStorage } from '../../../../src/storage/sqlite.ts'
import { given, host } from '../../support/host.ts'

host((name) => sqliteStorage(betterSqlite3(new Database(join(given, `${name}.db`)))))
