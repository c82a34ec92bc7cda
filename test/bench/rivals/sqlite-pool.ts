import type { Contender } from '../page/contender.ts'
import { sqliteContender } from './sqlite-client.ts'

/** `OpfsSAHPoolDb` in a worker: faster, as its documentation says, where one tab alone uses the database. */
export const make = (): Contender => sqliteContender('pool')
