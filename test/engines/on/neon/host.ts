import { neon, neonConfig } from '@neondatabase/serverless'
import { neonHttp, postgresStorage } from '../../../../src/storage/postgres.ts'
import { given, host } from '../../support/host.ts'

neonConfig.fetchEndpoint = given
const sql = neon('postgresql://forkpoint:none@localhost/postgres')

host(() => postgresStorage(neonHttp(sql)))
