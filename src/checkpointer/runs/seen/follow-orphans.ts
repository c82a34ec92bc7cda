import type { CheckpointerError } from '../../../errors.ts'
import { part } from '../../../part.ts'
import { checkOptions, checkSignal, invalid, type Names } from '../../options/options.ts'
import { linkedController } from '../linked-signal.ts'
import type { OrphanHandler, OrphanSources, Pace } from './orphans.ts'

/** How long one is told. */
export interface OrphanOptions {
  /** Stops it, as what `onOrphan` returns does. */
  readonly signal?: AbortSignal | undefined
}

const ORPHAN: Names<OrphanOptions> = { signal: true }

/** Tells a handler of runs whose runner is gone, until it is stopped or all ends. */
export function followOrphans(
  sources: OrphanSources,
  handler: OrphanHandler,
  options: OrphanOptions,
  pace?: Pace,
): () => void {
  const { signal: given } = checkOptions('onOrphan', options, ORPHAN)
  if (typeof (handler as unknown) !== 'function') throw invalid('handler', 'a function')
  checkSignal(given)
  const { controller, unlink } = linkedController([given, sources.closed])
  const { signal } = controller
  signal.addEventListener('abort', unlink, { once: true })
  const follow = async (): Promise<void> => {
    const { Orphans } = await part(() => import('./orphans.ts'))
    if (!signal.aborted) await new Orphans(sources, handler, { signal, pace }).follow()
  }
  follow().catch((error: CheckpointerError) => {
    if (!signal.aborted) sources.news.onWarning(error)
  })
  return () => controller.abort()
}
