/** A page with nothing but an inspector. Tests reach its checkpointer here, as an app would its own. */
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import 'forkpoint/inspector'
import type { InspectorLoad, InspectorSelection } from 'forkpoint/inspector'

declare global {
  interface Window {
    checkpointer: Checkpointer
    told: { readonly type: string; readonly seq: number; readonly state?: unknown }[]
    hostile: () => unknown
  }
}

const element = document.querySelector('forkpoint-inspector')
if (!element) throw new Error('The page has no inspector.')

const tell = (type: string, { seq }: InspectorSelection): void => void window.told.push({ type, seq })
window.told = []
element.addEventListener('forkpoint-select', ({ type, detail }) => tell(type, detail))
document.addEventListener('forkpoint-load', ({ type, detail }) => {
  const { seq, checkpoint }: InspectorLoad = detail
  window.told.push({ type, seq, state: checkpoint.state })
})

window.checkpointer = await openCheckpointer({ name: 'inspected' })
element.checkpointer = window.checkpointer
