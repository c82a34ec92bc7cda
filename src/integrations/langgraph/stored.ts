import {
  copyCheckpoint,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointMetadata,
  type SerializerProtocol,
} from '@langchain/langgraph-checkpoint'
import type { CheckpointFields, CheckpointInfo, PendingWrite } from '../../checkpoint.ts'
import { CheckpointerError } from '../../errors.ts'
import { isSame } from './filter.ts'
import { fromForm, toForm, type Form } from './serialised/form.ts'

/** A checkpoint of LangGraph's as a state of ours; its id is ours too. */
export interface StoredCheckpoint {
  readonly v: number
  readonly ts: string
  /** By channel. */
  readonly values: Readonly<Record<string, Form>>
  readonly versions: Checkpoint['channel_versions']
  readonly seen: Checkpoint['versions_seen']
}

/** What stands beside it, in `extra.langgraph`, where it can be read without the state. */
export interface Facts {
  /** Absent where it is no more than the step, the source, which are fields of the checkpoint, and no parents. */
  readonly metadata?: Form
  /** The checkpoint that it continues, if that was not there when this one was put. */
  readonly parent?: string
  /** See `Head`. */
  readonly latest?: string
}

/** What was put again under an id. */
export interface Put {
  readonly state: StoredCheckpoint
  readonly metadata: Form
  readonly parent?: string
}

/**
 * Checkpoints of ours are never changed. So what is put again under an id is a write beside it, which the next one
 * overwrites: one commit, and whenever it is cut off, either the old one or the new one is there. No task of
 * LangGraph's has writes of this index.
 */
export const AGAIN = { taskId: 'forkpoint', channel: '__put_again__', index: -1000 } as const

export const isPutAgain = ({ index }: PendingWrite): boolean => index === AGAIN.index

export type ChannelForm = (channel: string, value: unknown) => Promise<Form>

/** Asks the serialiser for everything before this returns; for channels by what they were last, where that is known. */
export async function storedPut(
  serde: SerializerProtocol,
  channelForm: ChannelForm | undefined,
  checkpoint: Checkpoint,
  metadata: CheckpointMetadata,
  parent: string | undefined,
): Promise<Put> {
  const formOf: ChannelForm = channelForm ?? ((_, value) => toForm(serde, value))
  const { v, ts, channel_values, channel_versions, versions_seen } = copyCheckpoint(checkpoint)
  const [told, ...values] = await Promise.all([
    toForm(serde, metadata),
    ...Object.entries(channel_values).map(
      async ([name, value]) => [name, await formOf(name, value)] as const,
    ),
  ])
  return {
    state: { v, ts, values: Object.fromEntries(values), versions: channel_versions, seen: versions_seen },
    metadata: told,
    ...(parent === undefined ? {} : { parent }),
  }
}

export async function toCheckpoint(
  serde: SerializerProtocol,
  id: string,
  { v, ts, values, versions, seen }: StoredCheckpoint,
): Promise<Checkpoint> {
  const live = Object.entries(values).map(
    async ([name, value]) => [name, await fromForm(serde, value)] as const,
  )
  return {
    v,
    id,
    ts,
    channel_values: Object.fromEntries(await Promise.all(live)),
    channel_versions: versions,
    versions_seen: seen,
  }
}

/** The channels that came with a version which is not new: their values were saved before, if ever. */
export const carriedOver = (
  { values, versions }: StoredCheckpoint,
  newVersions: ChannelVersions,
): readonly string[] =>
  Object.keys(values).filter((name) => Object.hasOwn(versions, name) && !Object.hasOwn(newVersions, name))

export const without = (state: StoredCheckpoint, names: ReadonlySet<string>): StoredCheckpoint => ({
  ...state,
  values: Object.fromEntries(Object.entries(state.values).filter(([name]) => !names.has(name))),
})

/** What goes into the fields that `history` shows. */
export type Shown = Pick<CheckpointFields, 'step' | 'source' | 'runId'>

/** The metadata that its fields say already. */
const usual = ({ step, source }: Shown): Form => ({ source, step, parents: {} })

export const beyondShown = (metadata: Form, shown: Shown): Pick<Facts, 'metadata'> =>
  isSame(usual(shown), metadata) ? {} : { metadata }

export const metadataIn = (info: CheckpointInfo): Form => needFacts(info).metadata ?? usual(info)

/** `undefined` for a checkpoint that was not saved by LangGraph. */
export const factsIn = ({ extra }: CheckpointInfo): Facts | undefined =>
  extra?.['langgraph'] as Facts | undefined

export const parentIn = (info: CheckpointInfo): string | undefined => info.parentId ?? factsIn(info)?.parent

function needFacts(info: CheckpointInfo): Facts {
  const facts = factsIn(info)
  if (facts) return facts
  const { thread, namespace, seq } = info
  throw new CheckpointerError(
    'UNSUPPORTED',
    `Checkpoint ${seq} of thread '${thread}' was not saved by LangGraph. Give graphs their own threads.`,
    { thread, namespace, seq },
  )
}
