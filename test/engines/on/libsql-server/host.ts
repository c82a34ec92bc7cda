import { createClient } from '@libsql/client'
import { libsql, sqliteStorage } from '../../../../src/storage/sqlite.ts'
import { given, host } from '../../support/host.ts'

host(() => sqliteStorage(libsql(createClient({ url: given }))))
