import { colours } from './colours.ts'
import { controls } from './controls.ts'
import { frame } from './frame.ts'
import { lists } from './lists.ts'
import { values } from './values.ts'

let sheet: CSSStyleSheet | undefined

/** One for all inspectors of the page. No policy keeps a sheet out that was made by a script. */
export function styles(): CSSStyleSheet {
  if (sheet) return sheet
  sheet = new CSSStyleSheet()
  sheet.replaceSync(colours + frame + controls + lists + values)
  return sheet
}
