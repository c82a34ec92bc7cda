import { openCheckpointer } from 'forkpoint'
import { serveCheckpointer } from 'forkpoint/extension'
import { agent, type Research } from './agent.ts'

const opened = openCheckpointer({ name: 'my-agent', worker: false }) // there is no Worker in a service worker
serveCheckpointer(opened) // in the first turn of the script, as all listeners: hence the promise

// At each start: what was cut off goes on where it was.
void opened.then((checkpointer) =>
  checkpointer.onOrphan(({ thread, runId }) =>
    checkpointer.thread<Research>(thread).run({ runId, wait: false }, agent),
  ),
)

// When nobody has a page open, this starts it again. Each half a minute, it would never die.
void chrome.alarms.create('go on', { periodInMinutes: 1 })
chrome.alarms.onAlarm.addListener(() => {})
chrome.runtime.onStartup.addListener(() => {}) // not all browsers keep alarms over their own end

chrome.runtime.onMessage.addListener(({ questions }: Pick<Research, 'questions'>) => {
  const initial: Research = { questions, answers: [] }
  void opened.then((checkpointer) => checkpointer.thread<Research>('research').run({ initial }, agent))
})
