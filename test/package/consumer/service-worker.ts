import { openCheckpointer, type CheckpointerError } from 'forkpoint'

interface Chat {
  messages: string[]
  readonly since: Date
}

/** What main.ts does, where there is no page, no `Worker` and no `import()`. */
async function work(): Promise<string> {
  const warnings: CheckpointerError[] = []
  const store = await openCheckpointer({
    name: 'of-the-worker',
    worker: false,
    onWarning: (warning) => void warnings.push(warning),
  })
  const chat = store.thread<Chat>('chat')
  const state: Chat = { messages: [], since: new Date(0) }
  for (const word of ['one', 'two', 'three', 'four', 'five']) {
    state.messages.push(word)
    await chat.save(state, { node: word })
  }
  await chat.fork({ at: 2, as: 'fork', edit: (draft) => void draft.messages.push('2½') })
  await chat.prune({ keepLast: 2 })
  const seqs: number[] = []
  for await (const { seq } of chat.history()) seqs.push(seq)
  const states = [await chat.load(), await store.thread<Chat>('fork').load()].map((found) => found?.state)
  const { problems } = await store.verify()
  if (problems.length > 0) return JSON.stringify(problems)
  await store.destroy()
  return warnings.length > 0 ? warnings.join('\n') : JSON.stringify({ seqs, states })
}

Object.assign(globalThis, { said: work().catch(String) })
