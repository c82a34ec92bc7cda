import { forkLabel } from '../ids.ts'
import type { StoredSummary } from '../operations/host.ts'

interface Forked {
  readonly forkOf?: StoredSummary['forkOf']
  readonly label?: string
}

/** Of where a thread comes from only what the caller is allowed; the label that a fork has by itself says it, too. */
export async function shownTo<T extends Forked>(
  item: T,
  isAllowed: (thread: string) => boolean | PromiseLike<boolean>,
): Promise<T | Omit<T, 'forkOf' | 'label'>> {
  const { forkOf, label, ...rest } = item
  if (!forkOf || (await isAllowed(forkOf.thread)) === true) return item
  return label === undefined || label === forkLabel(forkOf.thread) ? rest : { ...rest, label }
}
