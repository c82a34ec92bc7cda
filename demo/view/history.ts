/** A thread's checkpoints, newest first, as a trail. */
import type { CheckpointInfo, Origin } from 'forkpoint'
import { byId, el, onRow, placeOf, setAttribute, showRows, timeOf } from './dom.ts'

export function onCheckpoint(choose: (seq: number) => void): void {
  onRow(byId('history', HTMLElement), (key) => choose(Number(key)))
}

export interface Trail {
  readonly checkpoints: readonly CheckpointInfo[]
  readonly selected: number | undefined
  readonly forkOf: Origin | undefined
}

export function showHistory({ checkpoints, selected, forkOf }: Trail): void {
  const list = byId('history', HTMLElement)
  byId('count', HTMLElement).textContent = checkpoints.length === 0 ? '' : String(checkpoints.length)
  byId('history-empty', HTMLElement).hidden = checkpoints.length > 0
  const seqById = new Map(checkpoints.map(({ id, seq }) => [id, seq]))
  const previous = new Map(checkpoints.map(({ seq }, i) => [seq, checkpoints[i + 1]?.id]))
  showRows(
    list,
    checkpoints,
    ({ seq }) => String(seq),
    (row, info) => {
      const isShared = forkOf !== undefined && info.seq <= forkOf.seq
      setAttribute(row, 'aria-current', info.seq === selected && 'true')
      setAttribute(row, 'data-shared', isShared)
      setAttribute(row, 'data-source', info.source)
      const notes = notesOf(info, previous.get(info.seq), seqById)
      if (forkOf && info.seq === forkOf.seq) notes.push(`forked here from ${forkOf.thread}`)
      else if (isShared) notes.push('shared')
      return [
        el(
          'span',
          { class: 'line' },
          el('span', { class: 'seq' }, placeOf(info.seq, info.step)),
          el('strong', {}, info.node ?? 'checkpoint'),
          timeOf(info.createdAt),
        ),
        el(
          'span',
          { class: 'line faint' },
          info.label !== undefined && el('span', { class: 'label' }, info.label),
          notes.join(' · '),
        ),
      ]
    },
  )
}

function notesOf(
  { parentId, next }: CheckpointInfo,
  previousId: string | undefined,
  seqById: ReadonlyMap<string, number>,
): string[] {
  const notes = next === undefined ? [] : [next.length > 0 ? `then ${next.join(', ')}` : 'end']
  if (parentId === undefined || parentId === previousId) return notes
  const parent = seqById.get(parentId)
  return [...notes, parent === undefined ? 'what it continues was pruned' : `branches off seq ${parent}`]
}
