import type { PendingWrite } from '../../index.ts'

/** A step of a run as its journal has it. */
export interface JournalStep {
  readonly key: string
  readonly name: string
  readonly kind: string
  readonly runId: string
  readonly order: number
  readonly attempt: number
  readonly status: 'started' | 'done' | 'failed' | 'waiting'
  readonly isExternal: boolean
  /** What it has given, or was asked, by name; as far as there is any. */
  readonly facts: ReadonlyMap<string, unknown>
}

/** How a run has ended. */
export interface JournalEnd {
  readonly runId: string
  readonly status: string
  readonly value: unknown
}

export interface PendingRead {
  readonly steps: readonly JournalStep[]
  readonly ends: readonly JournalEnd[]
  /** What is no journal's, or cannot be understood as one. */
  readonly writes: readonly PendingWrite[]
}

/** Pending writes under these channels are the journal of a run. */
const PREFIX = 'forkpoint:'

export function readPending(all: readonly PendingWrite[]): PendingRead {
  const steps: JournalStep[] = []
  const ends: JournalEnd[] = []
  const writes: PendingWrite[] = []
  for (const [key, task] of byTask(all)) {
    const step = stepOf(key, task)
    const end = endOf(task)
    if (step) steps.push(step)
    else if (end) ends.push(end)
    else writes.push(...task)
    if (step || end) writes.push(...task.filter(({ channel }) => !channel.startsWith(PREFIX)))
  }
  return { steps: steps.sort((a, b) => a.order - b.order), ends, writes }
}

function stepOf(key: string, task: readonly PendingWrite[]): JournalStep | undefined {
  const intent = recordAt(task, 'step')
  const name = intent?.get('name')
  if (!intent || typeof name !== 'string') return undefined
  const outcome = recordAt(task, 'outcome')
  const attempt = task.find(({ channel }) => channel === `${PREFIX}attempt`)?.value
  const kind = String(intent.get('kind'))
  const chunks = task
    .filter(({ channel }) => channel === `${PREFIX}chunks`)
    .sort((a, b) => a.index - b.index)
    .flatMap(({ value }) => recordOf(value)?.get('chunks') ?? [])
  const facts = new Map<string, unknown>()
  if (intent.has('question')) facts.set('question', intent.get('question'))
  if (outcome?.has('value')) facts.set('value', outcome.get('value'))
  if (outcome?.has('error')) facts.set('error', outcome.get('error'))
  if (chunks.length > 0) facts.set('chunks', chunks)
  return {
    key,
    name,
    kind,
    runId: String(intent.get('runId')),
    order: Number(intent.get('order')),
    attempt: typeof attempt === 'number' ? attempt : 1,
    status: outcome
      ? outcome.has('error')
        ? 'failed'
        : 'done'
      : kind === 'question'
        ? 'waiting'
        : 'started',
    isExternal: intent.get('external') === true,
    facts,
  }
}

function endOf(task: readonly PendingWrite[]): JournalEnd | undefined {
  const end = recordAt(task, 'end')
  if (!end) return undefined
  const value = end.has('result') ? end.get('result') : end.get('error')
  return { runId: String(end.get('runId')), status: String(end.get('status')), value }
}

function recordAt(task: readonly PendingWrite[], name: string): ReadonlyMap<string, unknown> | undefined {
  return recordOf(task.find(({ channel }) => channel === PREFIX + name)?.value)
}

const recordOf = (value: unknown): ReadonlyMap<string, unknown> | undefined =>
  typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined

function byTask(all: readonly PendingWrite[]): Map<string, PendingWrite[]> {
  const tasks = new Map<string, PendingWrite[]>()
  for (const write of all) {
    const task = tasks.get(write.taskId)
    if (task) task.push(write)
    else tasks.set(write.taskId, [write])
  }
  return tasks
}
