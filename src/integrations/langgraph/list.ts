import type { RunnableConfig } from '@langchain/core/runnables'
import type {
  CheckpointListOptions,
  CheckpointTuple,
  SerializerProtocol,
} from '@langchain/langgraph-checkpoint'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { fits } from './filter.ts'
import { find, toTuple, type Found } from './find.ts'
import { idIn, placeOf } from './places.ts'
import type { Form } from './serialised/form.ts'
import { factsIn, metadataIn, parentIn } from './stored.ts'

interface Listed {
  readonly thread: Thread
  readonly id: string
  readonly parent: string | undefined
  readonly metadata: Form
}

/** The greatest id first, in all threads and namespaces that the config does not leave out. */
export async function* list(
  checkpointer: Checkpointer,
  serde: SerializerProtocol,
  config: RunnableConfig,
  { limit = Number.POSITIVE_INFINITY, before, filter = {} }: CheckpointListOptions = {},
): AsyncGenerator<CheckpointTuple> {
  const only = idIn(config)
  const end = before && idIn(before)
  let left = limit
  if (left <= 0) return
  const last = new Map<Thread, Found>()
  for await (const { thread, id } of listed(await threadsOf(checkpointer, config))) {
    if ((only !== undefined && id !== only) || (end !== undefined && id >= end)) continue
    const found = await find(thread, id)
    // It may have been deleted since.
    const tuple = found && (await toTuple(serde, thread, found, last.get(thread)))
    if (found) last.set(thread, found)
    if (!tuple || !fits(tuple.metadata ?? {}, filter)) continue
    yield tuple
    if (--left <= 0) return
  }
}

async function threadsOf(checkpointer: Checkpointer, config: RunnableConfig): Promise<readonly Thread[]> {
  const namespace: string | undefined = config.configurable?.['checkpoint_ns']
  const one = placeOf(config)?.thread
  const ids: string[] = []
  if (one !== undefined) ids.push(one)
  else for await (const { id } of checkpointer.threads()) ids.push(id)
  const found = await Promise.all(ids.map((id) => namespacesOf(checkpointer, id, namespace)))
  return found.flat()
}

/** Handles on a thread's namespaces, or on the one that is wanted. */
export async function namespacesOf(
  checkpointer: Checkpointer,
  id: string,
  wanted?: string,
): Promise<readonly Thread[]> {
  const names = wanted === undefined ? await checkpointer.thread(id).namespaces() : [wanted]
  return names.map((namespace) => checkpointer.thread(id, { namespace }))
}

async function* listed(threads: readonly Thread[]): AsyncGenerator<Listed> {
  const [only, another] = threads
  if (only && !another) return yield* byId(only)
  const all: Listed[] = []
  for (const thread of threads) for await (const each of byId(thread)) all.push(each)
  yield* greatestFirst(all)
}

/** The checkpoints that LangGraph has put, the greatest id first: they mostly come so, and then a page at a time. */
export async function* byId(thread: Thread): AsyncGenerator<Listed> {
  const late: Listed[] = []
  let isInOrder: boolean | undefined
  for await (const info of thread.history()) {
    const facts = factsIn(info)
    if (!facts) continue
    isInOrder ??= facts.latest === undefined
    const each = { thread, id: info.id, parent: parentIn(info), metadata: metadataIn(info) }
    if (isInOrder) yield each
    else late.push(each)
  }
  yield* greatestFirst(late)
}

const greatestFirst = (items: readonly Listed[]): Listed[] =>
  [...items].sort((a, b) => (a.id < b.id ? 1 : -1))
