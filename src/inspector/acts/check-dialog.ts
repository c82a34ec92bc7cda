import type { Act, Problem, Verification } from '../../index.ts'
import type { Desk } from '../desk.ts'
import { h, type Child } from '../dom/h.ts'
import { errorText } from '../text/errors.ts'
import { line } from '../text/shown.ts'
import { count, counted } from '../text/units.ts'
import { Dialog, field } from './dialog.ts'

/** Checks all that is stored, and mends it if that is wanted. */
export function askCheck(desk: Desk): void {
  const repair = h(
    'select',
    {},
    h('option', { value: 'no' }, 'only say what is wrong'),
    h('option', { value: 'plan' }, 'say what a repair would do'),
    h('option', { value: 'yes' }, 'repair it; nothing is thrown away'),
  )
  new Dialog(desk, {
    title: 'Check what is stored',
    body: [h('p', {}, 'Reads every row and every state.'), field('What is wrong', repair)],
    act: 'Check',
    work: async (signal, tell) => {
      const wanted = repair.value === 'plan' ? 'plan' : repair.value === 'yes'
      let done: readonly Act[] = []
      const onProgress = (checked: number, acts: readonly Act[]): void => {
        done = acts
        tell(`${count(checked)} checked …`)
      }
      let verified: Verification
      try {
        verified = await desk.checkpointer.verify({ repair: wanted, signal, onProgress })
      } catch (error) {
        if (wanted !== true || done.length === 0) throw error
        return [h('p', {}, errorText(error), ' Done before that:'), list(done.map(shownAct))]
      }
      const { checked, problems, acts } = verified
      const rows = `${counted(checked, 'row and state', 'rows and states')} checked`
      if (problems.length === 0) return `${rows}: nothing is wrong.`
      return [
        h('p', {}, `${rows}: ${counted(problems.length, 'problem')}.`),
        list(problems.map((found) => [found.kind, found.problem, found])),
        acts.length > 0 && h('p', {}, wanted === 'plan' ? 'A repair would do this:' : 'Done about it:'),
        list(acts.map(shownAct)),
      ]
    },
  })
}

const NAMED = 50

type Entry = readonly [kind: string, text: string, place: Problem | Act]

const shownAct = (act: Act): Entry => [act.act, act.what, act]

function list(entries: readonly Entry[]): Child {
  const more = entries.length - NAMED
  const items = entries
    .slice(0, NAMED)
    .map(([kind, text, place]) =>
      h('li', {}, h('strong', {}, kind), ' ', line(placeOf(place)), line(text, 500)),
    )
  return (
    entries.length > 0 &&
    h('ul', { class: 'names' }, ...items, more > 0 && h('li', { class: 'less' }, `and ${count(more)} more`))
  )
}

function placeOf({ thread, namespace = '', seq }: Problem | Act): string {
  if (thread === undefined) return ''
  return `${thread}${namespace === '' ? '' : ` / ${namespace}`}${seq === undefined ? '' : `, seq ${seq}`}: `
}
