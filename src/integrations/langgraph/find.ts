import {
  maxChannelVersion,
  TASKS,
  type CheckpointMetadata,
  type CheckpointTuple,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint'
import type { Checkpoint, PendingWrite } from '../../checkpoint.ts'
import type { Thread } from '../../checkpointer/thread.ts'
import { configOf } from './places.ts'
import {
  factsIn,
  isPutAgain,
  needFacts,
  parentIn,
  toCheckpoint,
  type Put,
  type StoredCheckpoint,
} from './stored.ts'
import { fromForm } from './form.ts'
import { nextVersion } from './versions.ts'

/** A checkpoint of LangGraph's as it was found. */
export interface Found extends Put {
  readonly id: string
  readonly writes: readonly PendingWrite[]
}

/** The one with this id, or else LangGraph's latest: the one with the greatest id. */
export async function find(thread: Thread, id?: string): Promise<Found | undefined> {
  if (id !== undefined) return foundIn(await thread.load({ id }))
  const head = await thread.load()
  const latest = head && factsIn(head)?.latest
  if (latest === undefined || latest === head?.id) return foundIn(head)
  return foundIn((await thread.load({ id: latest })) ?? (await withGreatestId(thread)))
}

/** The one that the head names as the latest has been deleted: then all are looked at. */
async function withGreatestId(thread: Thread): Promise<Checkpoint | undefined> {
  let greatest: string | undefined
  for await (const { id } of thread.history()) if (greatest === undefined || id > greatest) greatest = id
  return greatest === undefined ? undefined : thread.load({ id: greatest })
}

function foundIn(checkpoint: Checkpoint | undefined): Found | undefined {
  if (!checkpoint) return undefined
  const { metadata } = needFacts(checkpoint)
  const parent = parentIn(checkpoint)
  const again = checkpoint.pendingWrites.find(isPutAgain)?.value as Put | undefined
  const first: Put = {
    state: checkpoint.state as StoredCheckpoint,
    metadata,
    ...(parent === undefined ? {} : { parent }),
  }
  const writes = checkpoint.pendingWrites.filter((write) => !isPutAgain(write))
  return { ...(again ?? first), id: checkpoint.id, writes }
}

export async function toTuple(
  serde: SerializerProtocol,
  thread: Thread,
  found: Found,
): Promise<CheckpointTuple> {
  const { id, state, metadata, parent, writes } = found
  const place = { thread: thread.id, namespace: thread.namespace }
  const checkpoint = await toCheckpoint(serde, id, state)
  if (state.v < 4 && parent !== undefined) {
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_values[TASKS] = await sentBy(serde, thread, parent)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : nextVersion(undefined)
  }
  return {
    config: configOf(place, id),
    checkpoint,
    metadata: (await fromForm(serde, metadata)) as CheckpointMetadata,
    ...(parent === undefined ? {} : { parentConfig: configOf(place, parent) }),
    pendingWrites: await Promise.all(
      writes.map(async ({ taskId, channel, value }) => [taskId, channel, await fromForm(serde, value)]),
    ),
  }
}

/** Before their version 4, checkpoints left what was sent (`Send`) with the writes of their parents. */
async function sentBy(serde: SerializerProtocol, thread: Thread, parent: string): Promise<unknown[]> {
  const writes = (await find(thread, parent))?.writes ?? []
  const sent = writes.filter(({ channel }) => channel === TASKS)
  return Promise.all(sent.map(({ value }) => fromForm(serde, value)))
}
