import type { CheckpointInfo, ThreadSummary } from '../../index.ts'
import { threadAt, type Desk, type Place } from '../desk.ts'
import { h } from '../dom/h.ts'
import { line } from '../text/shown.ts'
import { bytes, counted } from '../text/units.ts'
import { Dialog } from './dialog.ts'

/** Deletes one checkpoint, once that was confirmed. */
export function askDeleteCheckpoint(desk: Desk, place: Place, { seq }: CheckpointInfo): void {
  new Dialog(desk, {
    title: `Delete checkpoint ${seq}?`,
    body: [h('p', {}, 'All others stay whole. It cannot be brought back.')],
    act: 'Delete',
    isDanger: true,
    work: async (signal) => {
      const gone = await threadAt(desk, place).deleteCheckpoints([seq], { signal })
      return gone.removed.length > 0
        ? `Deleted checkpoint ${seq}, ${bytes(gone.bytes)}.`
        : `Checkpoint ${seq} was gone already.`
    },
  })
}

/** Deletes a whole thread, once that was confirmed. */
export function askDeleteThread(desk: Desk, id: string, forks: readonly ThreadSummary[]): void {
  const stay =
    forks.length > 0 &&
    h(
      'p',
      {},
      `Its ${counted(forks.length, 'fork')} stay${forks.length === 1 ? 's' : ''}: `,
      line(forks.map((fork) => fork.id).join(', '), 300),
    )
  new Dialog(desk, {
    title: 'Delete this thread?',
    body: [
      h(
        'p',
        {},
        h('strong', {}, line(id, 300)),
        ' goes, with all its checkpoints and namespaces. It cannot be brought back; an export could.',
      ),
      stay,
    ],
    act: 'Delete',
    isDanger: true,
    work: async () => {
      const was = await desk.checkpointer.thread(id).delete()
      return was ? `Deleted ${id}.` : `${id} was gone already.`
    },
  })
}
