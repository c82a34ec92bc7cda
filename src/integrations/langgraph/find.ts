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
  metadataIn,
  parentIn,
  toCheckpoint,
  type Put,
  type StoredCheckpoint,
} from './stored.ts'
import { fromForm } from './serialised/form.ts'
import { childOf, isShared, unshare } from './writes/sharing.ts'
import { nextVersion } from './versions.ts'
import { isSpecial, sentIn, writesIn } from './writes/writes.ts'

/** A checkpoint of LangGraph's as it was found. */
export interface Found extends Put {
  readonly id: string
  readonly writes: readonly PendingWrite[]
  /** As it was put first: what shares with it refers to this. */
  readonly first: StoredCheckpoint
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
  const metadata = metadataIn(checkpoint)
  const parent = parentIn(checkpoint)
  const again = checkpoint.pendingWrites.find(isPutAgain)?.value as Put | undefined
  const first: Put = {
    state: checkpoint.state as StoredCheckpoint,
    metadata,
    ...(parent === undefined ? {} : { parent }),
  }
  const writes = writesIn(checkpoint.pendingWrites)
  return { ...(again ?? first), id: checkpoint.id, writes, first: first.state }
}

/** `later`: another of the same place that is at hand, and may be its child. */
export async function toTuple(
  serde: SerializerProtocol,
  thread: Thread,
  found: Found,
  later?: Found,
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
      (await wholeWrites(thread, writes, later)).map(async ({ taskId, channel, value }) => [
        taskId,
        channel,
        await fromForm(serde, value),
      ]),
    ),
  }
}

/**
 * With what they share with a child put in its place. What was shared with one that was deleted went with that: then its
 * task has yielded nothing, and is done again, since the rest alone would pass for all of it.
 */
async function wholeWrites(
  thread: Thread,
  writes: readonly PendingWrite[],
  later: Found | undefined,
): Promise<readonly PendingWrite[]> {
  const children = new Map(later ? [[later.id, later.first]] : [])
  const broken = new Set<string>()
  const whole: PendingWrite[] = []
  for (const write of writes) {
    const { taskId, channel, value } = write
    if (!isShared(value)) {
      whole.push(write)
      continue
    }
    const id = childOf(value)
    const state = children.get(id) ?? (await find(thread, id))?.first
    if (state) children.set(id, state)
    if (state && Object.hasOwn(state.values, channel))
      whole.push({ ...write, value: unshare(value, state.values[channel]) })
    else broken.add(taskId)
  }
  return whole.filter((write) => isSpecial(write) || !broken.has(write.taskId))
}

/** Before their version 4, checkpoints left what was sent (`Send`) with the writes of their parents. */
async function sentBy(serde: SerializerProtocol, thread: Thread, parent: string): Promise<unknown[]> {
  const writes = (await find(thread, parent))?.writes ?? []
  const sent = sentIn(await wholeWrites(thread, writes, undefined))
  return Promise.all(sent.map(({ value }) => fromForm(serde, value)))
}
