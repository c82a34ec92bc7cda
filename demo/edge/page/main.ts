import { CheckpointerError, openCheckpointer } from 'forkpoint'
import { remoteHost } from 'forkpoint/client'

interface Notes {
  readonly notes: readonly string[]
}

/** Everything is kept here first; the edge is for other devices. */
const here = await openCheckpointer({ name: 'edge-demo' })
const edge = await openCheckpointer({
  name: 'edge',
  host: remoteHost(new URL('/store/', location.href), {
    headers: () => ({ authorization: `Bearer ${localStorage.getItem('token') ?? ''}` }),
  }),
})
const thread = here.thread<Notes>('notes')

const find = <T extends HTMLElement>(id: string): T => document.querySelector<T>(`#${id}`) as T
const [token, note] = [find<HTMLInputElement>('token'), find<HTMLInputElement>('note')]
const say = (text: string): void => void (find('status').textContent = text)
token.value = localStorage.getItem('token') ?? ''

async function show(): Promise<void> {
  list('notes', (await thread.load())?.state.notes)
  const [, other] = await thread.heads()
  list('other', other && (await thread.load(other.id))?.state.notes)
  find('apart').hidden = other === undefined
}

function list(id: string, notes: readonly string[] = []): void {
  const items = notes.map((text) => Object.assign(document.createElement('li'), { textContent: text }))
  find(id).replaceChildren(...items)
}

/** Fails without a network, and does no harm: the next one goes on. */
async function sync(): Promise<void> {
  say('Syncing …')
  try {
    const { sent, received, diverged } = await here.sync(edge)
    const told = `Sent ${sent.checkpoints}, received ${received.checkpoints}.`
    say(diverged.length > 0 ? `${told} Another device has gone on, too.` : told)
  } catch (error) {
    const isRefused = CheckpointerError.is(error, 'FORBIDDEN')
    say(isRefused ? 'This token is not taken.' : 'Kept here. The edge is not to be reached.')
  }
  await show()
}

async function choose(which: 0 | 1): Promise<void> {
  const head = (await thread.heads())[which]
  if (head) await thread.chooseHead(head.id)
  await sync()
}

find('who').addEventListener('submit', (event) => {
  event.preventDefault()
  localStorage.setItem('token', token.value.trim())
  void sync()
})
find('write').addEventListener('submit', (event) => {
  event.preventDefault()
  void keep()
})
async function keep(): Promise<void> {
  const notes = (await thread.load())?.state.notes ?? []
  await thread.save({ notes: [...notes, note.value] })
  note.value = ''
  await show()
  await sync()
}
find('sync').addEventListener('click', () => void sync())
find('own').addEventListener('click', () => void choose(0))
find('theirs').addEventListener('click', () => void choose(1))
addEventListener('online', () => void sync())

await show()
find<HTMLFieldSetElement>('all').disabled = false
if (token.value) await sync()
else say('Kept here. With a token it is kept at the edge as well.')
