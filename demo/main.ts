/** Opens the checkpointer and hands it to the page. */
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { App } from './app.ts'
import { newName } from './names.ts'
import { byId } from './view/dom.ts'
import { fail, warn } from './view/status.ts'

addEventListener('unhandledrejection', ({ reason }) => fail(reason))

try {
  const checkpointer = await openCheckpointer({ name: 'demo', onWarning: warn })
  new App(checkpointer, (await latestOf(checkpointer)) ?? newName()).start()
} catch (error) {
  byId('run-state', HTMLElement).textContent = 'Not open'
  fail(error)
}

async function latestOf(checkpointer: Checkpointer): Promise<string | undefined> {
  for await (const { id } of checkpointer.threads({ limit: 1 })) return id
  return undefined
}
