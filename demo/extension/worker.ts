/** The service worker; in Firefox, the background page. It has the store, and runs the agent. */
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { isExtensionPage, serveCheckpointer } from 'forkpoint/extension'
import { newNotes, takeNotes, type Notes } from './agent.ts'
import { browser, type Tab } from './browser.ts'
import { Wake } from './wake.ts'

// All listeners are added in the first turn: a browser that starts this for an event tells it right after that.
const opened = openCheckpointer({ name: 'notes', worker: false })
serveCheckpointer(opened)

void opened.then((checkpointer) =>
  checkpointer.onOrphan(({ thread, runId }) => work(checkpointer, thread, { runId, wait: false })),
)

const wake = new Wake(browser.alarms, async () => isBusy(await opened))
browser.alarms.onAlarm.addListener(() => wake.settle())
// Not all browsers keep alarms over their own end: that this listens has it started with them.
browser.runtime.onStartup.addListener(() => wake.settle())

browser.action.onClicked.addListener((tab) => {
  // At once: panels are opened only while a click is being handled.
  void (browser.sidePanel?.open({ windowId: tab.windowId }) ?? browser.sidebarAction?.open())
  void begin(tab)
})

browser.runtime.onMessage.addListener((message, sender, reply) => {
  if (message !== 'take notes' || !isExtensionPage(sender)) return
  void browser.tabs
    .query({ active: true, lastFocusedWindow: true })
    .then(([tab]) => begin(tab))
    .then(reply, (error: unknown) => reply({ error: String(error) }))
  // The answer comes later.
  return true
})

/** The thread that the notes go to; nothing when this tab may not be read. */
async function begin(tab: Tab | undefined): Promise<{ readonly thread?: string }> {
  if (tab?.id === undefined || !tab.url?.startsWith('http')) return {}
  const thread = crypto.randomUUID()
  const initial = newNotes(tab.id)
  // How it ends stands in the store, and the panel shows it.
  void work(await opened, thread, { runId: thread, initial }).catch(() => {})
  return { thread }
}

async function work(
  checkpointer: Checkpointer,
  id: string,
  options: { readonly runId: string; readonly initial?: Notes; readonly wait?: false },
): Promise<void> {
  await wake.during(() => checkpointer.thread<Notes>(id).run(options, takeNotes))
}

async function isBusy(checkpointer: Checkpointer): Promise<boolean> {
  for await (const _ of checkpointer.runs({ status: ['running', 'orphaned'] })) return true
  return false
}
