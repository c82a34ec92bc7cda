import { CheckpointerError } from '../../errors.ts'
import { checkIdAt, checkOptions, type Names } from '../options/options.ts'
import { ANSWER, readJournal, type JournalStep, type Outcome } from './journal/entries.ts'
import type { Ground } from './ground/ground.ts'
import { untilKnown } from './ground/until-known.ts'
import { withStatus } from './run-state.ts'
import type { AnswerOptions } from './types.ts'
import { isAboutStep, isDecision } from './journal/unknown.ts'
import { storedEntry } from './journal/writer.ts'

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
  const asked = key === undefined ? questions.find(({ outcome }) => !outcome) : meant(questions, key)
  if (!head || !run || !asked) throw nothingAsked(ground.thread, key)
  if (asked.outcome) throw answered(ground.thread, asked)
  if (isAboutStep(asked.question) && !isDecision(value)) throw noDecision(asked.question.name)
  const request = {
    checkpoint: head.seq,
    writes: [storedEntry({ key: asked.key, at: ANSWER, value: { value } }, ground.codec)],
    turn: run.turn,
    // Also of one that does not wait yet: when it is about to, it sees by this that it was answered.
    run: withStatus(run, 'running'),
  }
  const isOurs = async (unsure: CheckpointerError): Promise<boolean> => {
    const { writes: now } = await ground.journalOf(head.seq)
    const step = readJournal(now, run.id).steps.find((each) => each.key === asked.key)
    if (!step) throw unsure
    return step.outcome !== undefined && isSame(ground, step.outcome, value)
  }
  await untilKnown(async (unsure) => {
    // The run may have gone on with what was stored by the try before: it is not to be told that it waits no more.
    if (unsure && (await isOurs(unsure))) return
    const { written } = await ground.tryWrites(request)
    // Or that try was late, and came just now.
    if (written === 0 && !(unsure && (await isOurs(unsure)))) throw answered(ground.thread, asked)
  })
}

/** Of a step that was asked about again and again, the last question by that step's own key. */
const meant = (questions: readonly JournalStep[], key: string): JournalStep | undefined =>
  questions.find((each) => each.key === key) ??
  questions.findLast(({ question }) => isAboutStep(question) && question.key === key)

const isSame = ({ codec }: Pick<Ground<unknown>, 'codec'>, stored: Outcome, value: unknown): boolean =>
  'value' in stored && codec.capture(value, codec.capture(stored.value).state).delta?.length === 0

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
