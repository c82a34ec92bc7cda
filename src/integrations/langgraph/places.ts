import type { RunnableConfig } from '@langchain/core/runnables'
import { getCheckpointId } from '@langchain/langgraph-checkpoint'
import type { CheckpointerError } from '../../errors.ts'
import { invalid } from '../shared/needed.ts'

/** Where a config of LangGraph's leads: its thread, and its `checkpoint_ns` as the namespace. */
export interface Place {
  readonly thread: string
  readonly namespace: string
}

export const nameOf = ({ thread, namespace }: Place): string => JSON.stringify([thread, namespace])

/** `undefined` without a thread: LangGraph looks before it knows one. */
export function placeOf({ configurable }: RunnableConfig): Place | undefined {
  const thread: unknown = configurable?.['thread_id']
  if (thread === undefined || thread === null) return undefined
  return { thread: thread as string, namespace: configurable?.['checkpoint_ns'] ?? '' }
}

export function needPlace(doing: string, config: RunnableConfig): Place {
  const place = placeOf(config)
  if (place) return place
  throw lacks(doing, 'thread_id')
}

const lacks = (doing: string, what: string): CheckpointerError =>
  invalid(`config.configurable.${what}`, `given to ${doing}`)

/** The checkpoint that a config names. */
export const idIn = (config: RunnableConfig): string | undefined => getCheckpointId(config) || undefined

export function needId(doing: string, config: RunnableConfig): string {
  const id = idIn(config)
  if (id !== undefined) return id
  throw lacks(doing, 'checkpoint_id')
}

export const configOf = ({ thread, namespace }: Place, id: string): RunnableConfig => ({
  configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id },
})

/** The run that a checkpoint belongs to, as LangGraph or its caller names it. */
export function runIdIn(config: RunnableConfig, metadata: object): string | undefined {
  const named: unknown =
    (metadata as { run_id?: unknown }).run_id ??
    config.configurable?.['run_id'] ??
    config.metadata?.['run_id'] ??
    config.runId
  return typeof named === 'string' && named !== '' ? named : undefined
}
