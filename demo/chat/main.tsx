/** Opens the checkpointer and hands it to the page. */
import { openCheckpointer, type CheckpointerError } from 'forkpoint'
import { render } from 'preact'
import { App } from './app.ts'
import { registerOffline } from './offline/register.ts'
import { trustOwn } from './trusted.ts'
import { NotOpened } from './view/not-opened.tsx'
import { Page } from './view/page.tsx'

trustOwn()
const place = document.getElementById('page')
if (!place) throw new Error('The page has no place for the app.')
try {
  const early: CheckpointerError[] = []
  let warn = (warning: CheckpointerError): void => void early.push(warning)
  const checkpointer = await openCheckpointer({ name: 'chat', onWarning: (warning) => warn(warning) })
  const app = new App(checkpointer)
  warn = (warning) => app.warn(warning)
  early.forEach(warn)
  addEventListener('unhandledrejection', ({ reason }) => app.attempt(Promise.reject(reason)))
  place.textContent = ''
  render(<Page app={app} />, place)
} catch (error) {
  place.textContent = ''
  render(<NotOpened error={error} />, place)
  throw error
}
registerOffline()
