import type { Imported } from '../../index.ts'
import type { Desk } from '../desk.ts'
import { h, type Child } from '../dom/h.ts'
import { line } from '../text/shown.ts'
import { counted } from '../text/units.ts'
import { Dialog, field } from './dialog.ts'
import { toldOf } from './export-dialog.ts'

/** Brings in a file that an export has made, and reports what came of it. */
export function askImport(desk: Desk): void {
  const file = h('input', { type: 'file', required: true })
  const conflict = h(
    'select',
    {},
    h('option', { value: 'refuse' }, 'refuse the whole file'),
    h('option', { value: 'skip' }, 'leave them out'),
    h('option', { value: 'rename' }, 'give them new ids'),
  )
  new Dialog(desk, {
    title: 'Import threads',
    body: [
      field('File', file, 'What an export has made, packed or not.'),
      field('Threads that are here already', conflict),
    ],
    act: 'Import',
    work: async (signal, tell) => {
      const [chosen] = file.files ?? []
      if (!chosen) throw new Error('Choose a file first.')
      const onConflict = conflict.value === 'skip' || conflict.value === 'rename' ? conflict.value : 'refuse'
      return report(
        await desk.checkpointer.import(chosen, {
          onConflict,
          signal,
          onProgress: (progress) => tell(`${toldOf(progress)} …`),
        }),
      )
    },
  })
}

const NAMED = 20

function report({ threads, skipped, renamed, checkpoints, missing }: Imported): Child[] {
  return [
    h(
      'p',
      {},
      `Imported ${counted(threads.length, 'thread')}. The file has ${counted(checkpoints, 'checkpoint')}.`,
    ),
    list(threads),
    missing > 0 &&
      h('p', {}, `${counted(missing, 'checkpoint')} were damaged when the file was made, and are not in it.`),
    skipped.length > 0 && h('p', {}, `Left out, as they are here already: ${skipped.length}`),
    list(skipped),
    renamed.length > 0 && h('p', {}, 'Under new ids:'),
    list(renamed.map(({ from, to }) => `${from} → ${to}`)),
  ]
}

function list(names: readonly string[]): HTMLElement | false {
  const more = names.length - NAMED
  const items = names.slice(0, NAMED).map((name) => h('li', {}, line(name)))
  return (
    names.length > 0 &&
    h('ul', { class: 'names' }, ...items, more > 0 && h('li', { class: 'less' }, `and ${more} more`))
  )
}
