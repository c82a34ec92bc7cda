import type { CarryProgress } from '../../index.ts'
import type { Desk } from '../desk.ts'
import { h } from '../dom/h.ts'
import { cut } from '../text/shown.ts'
import { bytes, counted } from '../text/units.ts'
import { Dialog } from './dialog.ts'

/** Writes a thread, or all of them, to a file of the user's. */
export function askExport(desk: Desk, thread: string | undefined): void {
  const whole = h('input', {
    type: 'checkbox',
    checked: thread === undefined,
    disabled: thread === undefined,
  })
  const packed = h('input', { type: 'checkbox', checked: typeof CompressionStream !== 'undefined' })
  const skip = h('input', { type: 'checkbox' })
  new Dialog(desk, {
    title: thread === undefined ? 'Export all threads' : 'Export this thread',
    body: [
      thread !== undefined && check(whole, 'All threads, not this one alone'),
      check(packed, 'Packed with gzip'),
      check(skip, 'Leave out what is damaged'),
    ],
    act: 'Export',
    work: async (signal, tell) => {
      const only = whole.checked ? undefined : thread
      const onProgress = (progress: CarryProgress): void => tell(`${toldOf(progress)} …`)
      let last: CarryProgress = { checkpoints: 0, bytes: 0 }
      const pieces: Uint8Array<ArrayBuffer>[] = []
      const options = {
        compress: packed.checked,
        onDamage: skip.checked ? 'skip' : 'refuse',
        signal,
      } as const
      for await (const piece of desk.checkpointer.export(only, {
        ...options,
        onProgress: (now) => onProgress((last = now)),
      }))
        pieces.push(piece)
      save(new Blob(pieces), `${fileName(only ?? 'forkpoint')}.forkpoint${packed.checked ? '.gz' : ''}`)
      return `Exported ${toldOf(last)}.`
    },
  })
}

export const toldOf = ({ checkpoints, bytes: size }: CarryProgress): string =>
  `${counted(checkpoints, 'checkpoint')}, ${bytes(size)}`

const check = (input: HTMLInputElement, text: string): HTMLElement =>
  h('label', { class: 'field check' }, input, h('span', {}, text))

/** A thread's id may hold anything; the name of a file may not. */
const fileName = (id: string): string => cut(id.replace(/[^\p{L}\p{N}_-]+/gu, '-'), 60) || 'thread'

/** Long enough for any browser to have begun with the file. */
const KEPT_FOR = 60_000

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  h('a', { href: url, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(url), KEPT_FOR)
}
