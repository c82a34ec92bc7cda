import type { Model } from './model.ts'
import { scripted } from './scripted/scripted.ts'
import { settings } from './settings.ts'

/** The others are loaded when they are wanted. */
export async function chosenModel(): Promise<Model> {
  const { kind, url, model, key } = settings.value
  if (kind === 'endpoint') return (await import('./endpoint/endpoint.ts')).endpoint({ url, model, key })
  if (kind === 'browser') return (await import('./browser/browser.ts')).browserModel()
  return scripted
}
