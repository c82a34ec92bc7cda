/** A store whose every state can be made again, so that each can be told right from wrong after its files were damaged. */
import { CheckpointerError, openCheckpointer, type Checkpointer, type OpenOptions } from 'forkpoint'

const THREADS = ['a', 'b', 'c']
const STEPS = 30
const LARGE = 150_000

interface Step {
  readonly n: number
  readonly large: string
  readonly words: readonly string[]
}

const stateOf = (thread: string, n: number): Step => ({
  n,
  large: n % 10 === 9 ? noise(`${thread} ${n}`, LARGE) : '',
  words: Array.from({ length: n }, (_, i) => noise(`${thread} ${i}`, 200)),
})

/** Text that does not compress, the same for the same name. */
function noise(name: string, length: number): string {
  let state = [...name].reduce((sum, char) => Math.imul(sum ^ char.charCodeAt(0), 16_777_619), 2_166_136_261)
  let text = ''
  while (text.length < length) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
    text += ((state ^ (state >>> 13)) >>> 0).toString(36)
  }
  return text.slice(0, length)
}

export async function fillForDamage(options: OpenOptions): Promise<void> {
  const checkpointer = await openCheckpointer(options)
  for (let n = 1; n <= STEPS; n++)
    for (const id of THREADS) await checkpointer.thread<Step>(id).save(stateOf(id, n))
  await checkpointer.close()
}

interface Damages {
  readonly intact: number
  readonly missing: number
  readonly wrong: readonly string[]
  /** Everything that said so: codes of errors and of warnings, problems that `verify` found. */
  readonly told: readonly string[]
}

/** Reads every state by itself. Whatever fails has said so; what is simply not there has to have been said elsewhere. */
export async function lookClosely(options: OpenOptions): Promise<Damages> {
  const told: string[] = []
  const wrong: string[] = []
  let intact = 0
  let missing = 0
  const orTell = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      told.push(`${what} ${CheckpointerError.is(error) ? error.code : `NO CODE ${String(error)}`}`)
      return undefined
    }
  }
  let checkpointer: Checkpointer | undefined
  // A call that was told of a loss may be made again, as a caller would.
  for (let tried = 0; tried < 3 && !checkpointer; tried++)
    checkpointer = await orTell('open', () =>
      openCheckpointer({ ...options, onWarning: ({ code }) => told.push(`warning ${code}`) }),
    )
  if (!checkpointer) return { intact, missing, wrong, told }
  for (const id of THREADS) {
    const thread = checkpointer.thread<Step>(id)
    for (let n = 1; n <= STEPS; n++) {
      const before = told.length
      const found = await orTell(`load ${id} ${n}`, () => thread.load(n))
      if (told.length > before) continue
      if (!found) missing++
      else if (JSON.stringify(found.state) === JSON.stringify(stateOf(id, n))) intact++
      else wrong.push(`${id} ${n}`)
    }
  }
  const opened = checkpointer
  const verified = await orTell('verify', () => opened.verify())
  for (const { problem } of verified?.problems ?? []) told.push(`problem ${problem}`)
  await orTell('save', () => opened.thread<Step>('new').save(stateOf('new', 3)))
  await orTell('close', () => opened.close())
  return { intact, missing, wrong, told }
}
