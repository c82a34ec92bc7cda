import type { RemoteThreadListAdapter } from '@assistant-ui/react'
import type { ThreadSummary } from '../../checkpoint.ts'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { CheckpointerError } from '../../errors.ts'
import { metadataOf } from './about.ts'

type Page = Awaited<ReturnType<RemoteThreadListAdapter['list']>>

/** Where a page ended: the time of its last thread, and which of that time were listed. */
interface Cursor {
  readonly at: number
  readonly listed: readonly string[]
}

interface Listed {
  readonly summary: ThreadSummary
  readonly metadata: Page['threads'][number]
}

/** The chats that were last written to, or those that come after a page; threads of others are passed over. */
export async function pageOfThreads(
  checkpointer: Checkpointer,
  size: number,
  after: string | undefined,
): Promise<Page> {
  const cursor = after === undefined ? undefined : cursorIn(after)
  // Several may have been written to in the same millisecond: those before it, and of it those that are new.
  const threads = checkpointer.threads(cursor ? { before: new Date(cursor.at + 1) } : {})
  const listed: Listed[] = []
  for await (const batch of inBatches(threads, size + 1)) {
    const fresh = batch.filter(({ id }) => !cursor?.listed.includes(id))
    const looked = await Promise.all(fresh.map((summary) => chatIn(checkpointer, summary)))
    listed.push(...looked.filter((each) => each !== undefined))
    if (listed.length > size) break
  }
  const page = listed.slice(0, size)
  const found = page.map(({ metadata }) => metadata)
  return listed.length > size ? { threads: found, nextCursor: cursorAfter(page, cursor) } : { threads: found }
}

async function chatIn(checkpointer: Checkpointer, summary: ThreadSummary): Promise<Listed | undefined> {
  const metadata = await metadataOf(checkpointer, summary)
  return metadata && { summary, metadata }
}

async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  yield batch
}

function cursorAfter(page: readonly Listed[], before: Cursor | undefined): string {
  const times = page.map(({ summary: { id, updatedAt } }) => ({ id, at: updatedAt.getTime() }))
  const at = times.at(-1)?.at ?? 0
  const same = times.filter((each) => each.at === at).map(({ id }) => id)
  const cursor: Cursor = { at, listed: before?.at === at ? [...before.listed, ...same] : same }
  return JSON.stringify(cursor)
}

function cursorIn(text: string): Cursor {
  try {
    const { at, listed } = JSON.parse(text) as Partial<Cursor>
    if (Number.isFinite(at) && Array.isArray(listed)) return { at: Number(at), listed }
  } catch {
    // Told below, as everything else that is no cursor.
  }
  throw new CheckpointerError('INVALID', '`after` must be the `nextCursor` of a page.', { path: 'after' })
}
