import type * as Forkpoint from 'forkpoint'
import * as forkpoint from 'forkpoint'
import type * as Agents from './agents.ts'
import * as agents from './agents.ts'
import { obey } from './channel.ts'
import type * as Leases from './leases.ts'
import * as leases from './leases.ts'
import type * as Orphans from './orphans.ts'
import * as orphans from './orphans.ts'
import type * as Loads from './loads.ts'
import * as loads from './loads.ts'
import type * as LongWork from './long-work.ts'
import * as longWork from './long-work.ts'
import type * as RunRaces from './run-races.ts'
import * as runRaces from './run-races.ts'
import type * as Streams from './streams.ts'
import * as streams from './streams.ts'

declare global {
  // eslint-disable-next-line no-var
  var agents: typeof Agents
  // eslint-disable-next-line no-var -- The only way to declare a global.
  var forkpoint: typeof Forkpoint
  // eslint-disable-next-line no-var
  var loads: typeof Loads
  // eslint-disable-next-line no-var
  var longWork: typeof LongWork
  // eslint-disable-next-line no-var
  var leases: typeof Leases
  // eslint-disable-next-line no-var
  var orphans: typeof Orphans
  // eslint-disable-next-line no-var
  var runRaces: typeof RunRaces
  // eslint-disable-next-line no-var
  var streams: typeof Streams
}

Object.assign(globalThis, { agents, forkpoint, leases, loads, longWork, orphans, runRaces, streams })
void obey()
