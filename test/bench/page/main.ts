import type { ContenderName } from '../contenders.ts'
import type { Contender } from './contender.ts'
import { floor } from './contenders/floor.ts'
import { forkpoint } from './contenders/forkpoint.ts'
import { whole } from './contenders/whole.ts'
import { countHanded } from './handed.ts'
import { verbs } from './verbs.ts'

if (!globalThis.crossOriginIsolated)
  throw new Error('The clock is too coarse: serve this page with COOP and COEP.')

/** Those that stand on a package of others are installed on demand, and are loaded by the page that is about them. */
const rivals = import.meta.glob<{ readonly make: () => Contender }>('../rivals/*.ts')

async function make(name: ContenderName): Promise<Contender> {
  switch (name) {
    case 'floor':
      return floor('strict')
    case 'floor-relaxed':
      return floor('relaxed')
    case 'forkpoint':
      return forkpoint(countingWorker)
    case 'whole':
      return whole()
    default: {
      const load = rivals[`../rivals/${name}.ts`]
      if (!load) throw new Error(`there is no contender ${name}`)
      return (await load()).make()
    }
  }
}

const countingWorker = (): Worker =>
  new Worker(new URL('./counting-worker.ts', import.meta.url), { type: 'module' })

countHanded()
const name = new URL(location.href).searchParams.get('contender') as ContenderName | null
// Without one the page only tells what is on the disk.
globalThis.bench = verbs(name ? await make(name) : floor('strict'))
