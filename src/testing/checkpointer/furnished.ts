import { joined } from '../../platform/bytes.ts'
import type { Checkpoint, ThreadSummary } from '../../checkpoint.ts'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { fill, listOf, range, talk, type Talk } from './ground.ts'

/** Some of everything: branches, namespaces, labels, forks of forks, gaps, large states, pending writes. */
export async function furnish(checkpointer: Checkpointer): Promise<void> {
  const origin = checkpointer.thread<Talk>('origin')
  await fill(origin, 12)
  await origin.save(talk(3, 'branch'), {
    parent: 2,
    label: 'other way',
    id: 'of my own',
    runId: 'run',
    next: ['a', 'b'],
    path: ['x'],
    workflow: 'w',
    extra: { at: new Date(0), ['__proto__']: 1n, list: [undefined, Number.NaN] },
  })
  const fork = await origin.fork({ at: 8, as: 'fork of: it/ü', label: 'what if' })
  await fill(fork, 11, 9, 'fork')
  const deep = await fork.fork({ at: 10, as: 'deep', edit: (draft) => void (draft.count = 99) })
  await fill(deep, 14, 12, 'deep')
  await origin.copy('copy')
  const sub = checkpointer.thread('origin', { namespace: 'sub/1' })
  await sub.save({ large: 'état '.repeat(30_000), when: new Date(7) })
  await sub.save({ large: `${'état '.repeat(30_000)}!`, when: new Date(8) })
  await deep.putWrites(5, 'task', [{ channel: 'found', value: new Map([['k', 1n]]) }])
  await deep.putWrites(14, 'task', [{ channel: 'much', value: 'words '.repeat(20_000) }])
  await origin.deleteCheckpoints([4, 5, 6])
  await fork.deleteCheckpoints([2, 7])
  await checkpointer.thread('by itself').save({ n: -0, map: new Map([[{}, new Set([1])]]) })
}

/** All that can be read of some threads, to compare. */
export async function pictureOf(checkpointer: Checkpointer, ids?: readonly string[]): Promise<unknown> {
  const threads = await listOf(checkpointer.threads())
  const places = threads
    .filter(({ id }) => !ids || ids.includes(id))
    .flatMap(({ id }) => [
      { id, namespace: '' },
      ...(id === 'origin' || id === 'copy' ? [{ id, namespace: 'sub/1' }] : []),
    ])
  const shown: Record<string, readonly Checkpoint[]> = {}
  for (const { id, namespace } of places) {
    const thread = checkpointer.thread(id, { namespace })
    const seqs = (await listOf(thread.history())).map(({ seq }) => seq)
    const all: Checkpoint[] = []
    for (const seq of seqs) all.push((await thread.load(seq)) as Checkpoint)
    shown[`${id} ${namespace}`] = all
  }
  const summaries: ThreadSummary[] = threads.filter(({ id }) => !ids || ids.includes(id))
  return { summaries: summaries.sort((a, b) => (a.id < b.id ? -1 : 1)), shown }
}

export const FURNISHED = ['by itself', 'copy', 'deep', 'fork of: it/ü', 'origin'] as const

/** Deletes all that `furnish` made. */
export async function unfurnish(checkpointer: Checkpointer): Promise<void> {
  for (const id of FURNISHED) await checkpointer.thread(id).delete()
}

/**
 * What of its usage is its own: of the rest of the device it says something else each time. What was written behind is made
 * durable some seconds later by itself, which leaves a mark that is counted: so that is done before.
 */
export async function heldIn(checkpointer: Checkpointer) {
  await checkpointer.flush()
  const { bytes, threads, checkpoints } = await checkpointer.usage()
  return { bytes, threads, checkpoints }
}

export async function bytesOf(file: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  return joined(await listOf(file))
}

/** A file in pieces of any size. */
export async function* inPieces(file: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (const i of range(0, Math.ceil(file.length / size) - 1)) yield file.slice(i * size, (i + 1) * size)
}
