import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { serveCheckpointer } from 'forkpoint/extension'
import { chrome } from './chrome.ts'
import { noteStart, send, takeUp } from './errand.ts'
import { FRIEND } from './friend.ts'
import { saveMany } from './saves.ts'

const started = Date.now()
const born = crypto.randomUUID()
const opened = openCheckpointer({ name: 'under-test', worker: false }).then((checkpointer) =>
  noteStart(checkpointer, started),
)
serveCheckpointer(opened)
serveCheckpointer(opened, {
  name: 'shared',
  external: true,
  allow: (_, verb, thread) => verb === 'connect' || thread === 'shared',
})
serveCheckpointer(opened, {
  name: 'friends',
  external: true,
  allow: ({ id }, verb, thread) => id === FRIEND && (verb === 'connect' || thread === 'shared'),
})
serveCheckpointer(opened, {
  name: 'tabs',
  external: true,
  allow: ({ origin, tab }, verb, thread) => verb === 'connect' || thread === `tab ${tab?.id} of ${origin}`,
})

// Should it die while nobody has a page of the extension open, this starts it again. Every half a minute, it would
// never die.
void chrome.alarms.create('go on', { periodInMinutes: 1 })
chrome.alarms.onAlarm.addListener(() => {})
void opened.then((checkpointer) => takeUp(checkpointer, started))

interface Asked {
  readonly ask: keyof typeof answers
  readonly thread: string
  readonly count: number
  readonly from: number
  readonly site: string
}

/** What is done in here, without a port between. */
const answers = {
  born: async () => born,
  saves: async (checkpointer: Checkpointer, { thread, count, from }: Asked) =>
    saveMany(checkpointer.thread(thread), count, from),
  send: async (checkpointer: Checkpointer, { site, count }: Asked) =>
    void send(checkpointer, site, count).catch(console.error),
}

chrome.runtime.onMessage.addListener((message: Asked, _, reply) => {
  void opened
    .then((checkpointer): Promise<unknown> => answers[message.ask](checkpointer, message))
    .then(reply, (error: unknown) => reply({ error: String(error) }))
  return true
})
