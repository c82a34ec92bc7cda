import { background } from './background.ts'
import { bytes } from './bytes.ts'
import { coldLoad, freshWorkerLoads, histories, warmLoads } from './loads.ts'
import { forks, removals } from './others.ts'
import { behind } from './behind.ts'
import { burst, saves } from './saves.ts'
import { steps } from './steps.ts'

if (!globalThis.crossOriginIsolated)
  throw new Error('The clock is too coarse: serve this page with COOP and COEP.')

globalThis.benchDetails = {
  saves,
  burst,
  behind,
  steps,
  bytes,
  coldLoad,
  freshWorkerLoads,
  warmLoads,
  histories,
  forks,
  background,
  removals,
}
