import { openCheckpointer, type CheckpointerError } from 'forkpoint'

interface Chat {
  messages: string[]
  readonly since: Date
}

const fail = (warning: CheckpointerError): never => {
  throw warning
}
const store = await openCheckpointer({ name: 'chats', onWarning: fail })
const chat = store.thread<Chat>('chat')
if ((await chat.load()) === undefined) {
  const state: Chat = { messages: [], since: new Date(0) }
  for (const word of ['one', 'two', 'three', 'four', 'five']) {
    state.messages.push(word)
    await chat.save(state, { node: word })
  }
  await chat.fork({ at: 2, as: 'fork', edit: (draft) => void draft.messages.push('2½') })
  await chat.prune({ keepLast: 2 })
}
const seqs: number[] = []
for await (const { seq } of chat.history()) seqs.push(seq)
const states = [await chat.load(), await store.thread<Chat>('fork').load()].map((found) => found?.state)
// Few ask for these: their code comes when they do, and so does that of another door.
const { problems } = await store.verify()
let size = 0
for await (const bytes of store.export()) size += bytes.length
await import('forkpoint/inspector')
const inspector = document.createElement('forkpoint-inspector')
if (problems.length > 0 || size === 0 || inspector.constructor === HTMLElement)
  throw new Error(`${problems.length} problems, ${size} bytes, ${inspector.constructor.name}`)
const said = document.createElement('output')
said.id = 'said'
said.textContent = JSON.stringify({ seqs, states })
document.body.append(said)
