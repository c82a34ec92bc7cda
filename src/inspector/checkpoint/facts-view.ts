import type { CheckpointInfo } from '../../index.ts'
import { h } from '../dom/h.ts'
import { shown } from '../text/shown.ts'
import { instant } from '../text/units.ts'
import { ValueTree } from '../values/value-tree.ts'

/** All that is known of a checkpoint beside its state. */
export function factsView(thread: string, info: CheckpointInfo): HTMLElement {
  const {
    seq,
    id,
    parentId,
    namespace,
    createdAt,
    node,
    next,
    step,
    runId,
    workflow,
    label,
    source,
    path,
    extra,
  } = info
  const facts: readonly (readonly [name: string, text: string | undefined])[] = [
    ['thread', thread],
    ['seq', String(seq)],
    ['id', id],
    ['parent', parentId ?? 'none'],
    ['namespace', namespace === '' ? 'root' : namespace],
    ['saved', instant(createdAt)],
    ['label', label],
    ['node', node],
    ['next', next?.join(', ')],
    ['step', step?.toString()],
    ['source', source],
    ['run', runId],
    ['workflow', workflow],
    ['path', path?.join(' › ')],
  ]
  const rows = facts.flatMap(([name, text]) =>
    text === undefined ? [] : [h('dt', {}, name), h('dd', {}, shown(text.slice(0, 2_000)))],
  )
  return h(
    'div',
    {},
    h('dl', { class: 'facts' }, ...rows),
    extra && h('section', { class: 'block' }, h('h3', {}, 'extra'), new ValueTree(extra, 'extra').element),
  )
}
