import type { Contender } from '../page/contender.ts'
import { sqliteContender } from './sqlite-client.ts'

/** `OpfsDb` in a worker, as the package's README has it. */
export const make = (): Contender => sqliteContender('opfs')
