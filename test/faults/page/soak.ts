/** A long life: many threads, each a growing conversation, now and then a fork that is thrown away. */
import { openCheckpointer, type Checkpointer, type RetentionPolicy, type Thread } from 'forkpoint'

interface Talk {
  readonly thread: number
  readonly messages: readonly string[]
}

interface SoakOptions {
  readonly name: string
  readonly retention: RetentionPolicy
  readonly threads: number
}

/** A run of an agent saves so often to its thread before another one has its turn. */
const IN_A_ROW = 10
const FORK_EVERY = 500
/** A talk that has grown so long goes on with its last few messages, so that it is not the states that grow. */
const MOST_MESSAGES = 50
const FEW = 10

let life:
  | { readonly checkpointer: Checkpointer; readonly talks: Talk[]; readonly warnings: string[] }
  | undefined

const threadOf = (checkpointer: Checkpointer, n: number): Thread<Talk> => checkpointer.thread(`thread ${n}`)

export async function soak(options: SoakOptions, from: number, saves: number): Promise<void> {
  life ??= await begin(options)
  const { checkpointer, talks } = life
  for (let n = from; n < from + saves; n++) {
    const which = Math.floor(n / IN_A_ROW) % options.threads
    const before = talks[which] ?? { thread: which, messages: [] }
    const kept = before.messages.length < MOST_MESSAGES ? before.messages : before.messages.slice(-FEW)
    const talk = { ...before, messages: [...kept, `${n} ${'word '.repeat(40)}`] }
    talks[which] = talk
    const thread = threadOf(checkpointer, which)
    await thread.save(talk)
    if (n % FORK_EVERY !== 0) continue
    const fork = await thread.fork()
    await fork.save({ ...talk, messages: [] })
    await fork.delete()
  }
}

async function begin({ name, retention }: SoakOptions) {
  const warnings: string[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning.message)
  return { checkpointer: await openCheckpointer({ name, retention, onWarning }), talks: [], warnings }
}

/** What is stored, by its own count. */
export async function soaked(): Promise<{ bytes: number; checkpoints: number; warnings: string[] }> {
  if (!life) throw new Error('nothing was saved yet')
  const { bytes, checkpoints } = await life.checkpointer.usage()
  return { bytes, checkpoints, warnings: life.warnings }
}

/** After all: every thread's head is what was saved last, and the longest that any thread is. */
export async function soakedWhole(): Promise<{ wrong: string[]; longest: number; problems: string[] }> {
  if (!life) throw new Error('nothing was saved yet')
  const { checkpointer, talks } = life
  const wrong: string[] = []
  let longest = 0
  for (const talk of talks) {
    const thread = threadOf(checkpointer, talk.thread)
    const found = await thread.load()
    if (JSON.stringify(found?.state) !== JSON.stringify(talk)) wrong.push(thread.id)
    let length = 0
    for await (const _ of thread.history()) length++
    longest = Math.max(longest, length)
  }
  const { problems } = await checkpointer.verify()
  await checkpointer.close()
  return { wrong, longest, problems: problems.map((each) => JSON.stringify(each)) }
}
