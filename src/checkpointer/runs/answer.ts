import { CheckpointerError } from '../../errors.ts'
import { checkIdAt, checkOptions, type Names } from '../options/options.ts'
import { ANSWER, readJournal, type JournalStep } from './entries.ts'
import type { Ground } from './ground.ts'
import { withStatus } from './run-state.ts'
import type { AnswerOptions } from './types.ts'
import { isAboutStep, isDecision } from './unknown.ts'
import { storedEntry } from './writer.ts'

const OPTIONS: Names<AnswerOptions> = { key: true }

/** Puts the answer to a question into the journal. Whoever runs the thread goes on with it, or will. */
export async function answer<State>(
  ground: Ground<State>,
  value: unknown,
  given: AnswerOptions = {},
): Promise<void> {
  const { key } = checkOptions('answer', given, OPTIONS)
  if (key !== undefined) checkIdAt('key', 'A key', key)
  const head = await ground.head()
  const { run, writes } = head ? await ground.journalOf(head.seq) : { run: undefined, writes: [] }
  const steps =
    run && (run.status === 'running' || run.status === 'waiting') ? readJournal(writes, run.id).steps : []
  const questions = steps.filter(({ kind }) => kind === 'question')
  const asked = questions.find((each) => (key === undefined ? !each.outcome : each.key === key))
  if (!head || !run || !asked) throw nothingAsked(ground.thread, key)
  if (asked.outcome) throw answered(ground.thread, asked)
  if (isAboutStep(asked.question) && !isDecision(value)) throw noDecision(asked.question.name)
  const { written } = await ground.putWrites({
    checkpoint: head.seq,
    writes: [storedEntry({ key: asked.key, at: ANSWER, value: { value } }, ground.codec)],
    turn: run.turn,
    ...(run.status === 'waiting' ? { run: withStatus(run, 'running') } : {}),
  })
  if (written === 0) throw answered(ground.thread, asked)
}

const nothingAsked = (thread: string, key: string | undefined): CheckpointerError =>
  new CheckpointerError(
    'NOT_FOUND',
    key === undefined
      ? `Thread '${thread}' asks nothing. It may have been answered, or its run has ended.`
      : `Thread '${thread}' has no question with the key ${JSON.stringify(key)}.`,
    { thread },
  )

const answered = (thread: string, { name }: JournalStep): CheckpointerError =>
  new CheckpointerError(
    'CONFLICT',
    `Thread '${thread}': '${name}' was answered already; that answer holds.`,
    {
      thread,
    },
  )

const noDecision = (name: string): CheckpointerError =>
  new CheckpointerError(
    'INVALID',
    `It is asked what became of step '${name}': answer 'retry', 'skip', { value } or { error }.`,
    { path: 'value' },
  )
