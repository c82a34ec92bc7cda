import { TASKS, WRITES_IDX_MAP, type SerializerProtocol } from '@langchain/langgraph-checkpoint'
import type { PendingWrite } from '../../../checkpoint.ts'
import type { TaskWrite } from '../../../checkpointer/threads/types.ts'
import { toForm, type Form } from '../serialised/form.ts'
import { share, type Child } from './sharing.ts'
import { isPutAgain } from '../stored.ts'

/**
 * What a task has written at once stands together, under an index that tells how many there are: so what is written
 * again is the same, and what is more stands beside it.
 */
interface Together {
  readonly writes: readonly (readonly [channel: string, value: Form])[]
  /** From this LangGraph knows in which order tasks were called for. */
  readonly path?: string
}

const TOGETHER = { channel: '__writes__', index: 100_000 } as const
const MOST_TOGETHER = 10_000

const isTogether = ({ index }: PendingWrite): boolean =>
  index > TOGETHER.index && index <= TOGETHER.index + MOST_TOGETHER

/** An error, an interrupt, an answer and the like: what a task is to know when it is done again. */
export const isSpecial = ({ index = 0 }: Pick<TaskWrite, 'index'>): boolean => index < 0

/** Asks the serialiser before this returns. */
export const captureWrites = (
  serde: SerializerProtocol,
  writes: readonly (readonly [channel: string, value: unknown])[],
): Promise<readonly TaskWrite[]> =>
  Promise.all(
    writes.map(async ([channel, value], i) => {
      const special = Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined
      return { channel, value: await toForm(serde, value), index: special ?? i }
    }),
  )

/** As they are stored. With a child, what that holds too is left to it. */
export function storedWrites(
  captured: readonly TaskWrite[],
  child: Child | undefined,
  path: string,
): readonly TaskWrite[] {
  const writes = captured.map((write) =>
    child ? { ...write, value: share(child, write.channel, write.value) } : write,
  )
  const isAlone = writes.length === 1 && path === ''
  if (writes.some(isSpecial) || isAlone || writes.length === 0 || writes.length > MOST_TOGETHER) return writes
  const value: Together = {
    writes: writes.map((write) => [write.channel, write.value]),
    ...(path === '' ? {} : { path }),
  }
  return [{ channel: TOGETHER.channel, index: TOGETHER.index + writes.length, value }]
}

/**
 * As they were written: by the paths of their tasks, where these are known; else, and within a task, as they came. Of
 * two under one index of a task, the first counts.
 */
export function writesIn(stored: readonly PendingWrite[]): readonly PendingWrite[] {
  const paths = new Map<string, string>()
  const found = new Map<string, PendingWrite>()
  for (const write of stored)
    for (const each of isTogether(write) ? apart(write, paths) : [write]) {
      const name = JSON.stringify([each.taskId, each.index])
      if (!isPutAgain(each) && !found.has(name)) found.set(name, each)
    }
  const pathOf = ({ taskId }: PendingWrite): string => paths.get(taskId) ?? ''
  return [...found.values()].sort((a, b) => compare(pathOf(a), pathOf(b)))
}

function apart({ taskId, value }: PendingWrite, paths: Map<string, string>): readonly PendingWrite[] {
  const { writes, path } = value as Together
  if (path !== undefined && !paths.has(taskId)) paths.set(taskId, path)
  return writes.map(([channel, each], index) => ({ taskId, channel, index, value: each }))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What was sent (`Send`). */
export const sentIn = (writes: readonly PendingWrite[]): readonly PendingWrite[] =>
  writes.filter(({ channel }) => channel === TASKS)
