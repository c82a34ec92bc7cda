import { forkLabel } from '../../ids.ts'
import type { StoredSummary } from '../host.ts'

export interface Forked {
  readonly forkOf?: StoredSummary['forkOf']
  readonly label?: string
}

/** Without where it comes from; the label that a fork has by itself says it, too. */
export function withoutOrigin<T extends Forked>(
  item: T,
): Omit<T, 'forkOf' | 'label'> & Pick<Forked, 'label'> {
  const { forkOf, label, ...rest } = item
  return label === undefined || (forkOf && label === forkLabel(forkOf.thread)) ? rest : { ...rest, label }
}
