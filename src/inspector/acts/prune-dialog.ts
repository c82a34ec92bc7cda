import type { PruneOptions, Removed } from '../../index.ts'
import { threadAt, type Desk, type Place } from '../desk.ts'
import { fill, h } from '../dom/h.ts'
import { soon } from '../soon.ts'
import { errorText } from '../text/errors.ts'
import { bytes, count, counted } from '../text/units.ts'
import { Dialog, field } from './dialog.ts'

const DAY = 86_400_000

/** Prunes by rules, after showing what they would do. */
export function askPrune(desk: Desk, place: Place): void {
  const keepLast = number('20')
  const days = number('')
  const keepEvery = number('')
  const labelled = h('input', { type: 'checkbox', checked: true })
  const branches = h(
    'select',
    {},
    option('', 'by the rules above'),
    option('keep', 'keep the tip of each'),
    option('drop', 'drop all but the head’s'),
  )
  const plan = h('div', { class: 'plan', 'aria-live': 'polite' }, 'Looking …')
  const rules = (): PruneOptions => ({
    keepLast: valueOf(keepLast),
    olderThan: days.value === '' ? undefined : days.valueAsNumber * DAY,
    keepEvery: valueOf(keepEvery),
    keepLabelled: labelled.checked,
    branches: branches.value === '' ? undefined : branches.value === 'keep' ? 'keep' : 'drop',
  })
  const looking = new AbortController()
  const thread = threadAt(desk, place)
  const dialog = new Dialog(desk, {
    title: 'Prune checkpoints',
    body: [
      field('Keep the last', keepLast),
      field('Only older, in days', days),
      field('Keep every', keepEvery, 'by seq: 10 keeps 10, 20, 30 …'),
      h('label', { class: 'field check' }, labelled, h('span', {}, 'Keep those with a label')),
      field('Branches', branches),
      plan,
    ],
    act: 'Prune',
    isDanger: true,
    work: async (signal, tell) => {
      const onProgress = (removed: number): void => tell(`${counted(removed, 'checkpoint')} gone …`)
      const gone = await thread.prune({ ...rules(), signal, onProgress })
      return `Pruned ${counted(gone.removed.length, 'checkpoint')}, ${bytes(gone.bytes)}. ${count(gone.kept)} kept.`
    },
    onEnd: () => looking.abort(),
  })
  const show = (content: Node | string, act = 'Prune', canGo = false): void => {
    fill(plan, content)
    dialog.act.textContent = act
    dialog.act.disabled = !canGo
  }
  const look = soon(
    async () => {
      try {
        const would = await thread.prune({ ...rules(), dryRun: true, signal: looking.signal })
        const many = would.removed.length
        show(told(would), many > 0 ? `Prune ${counted(many, 'checkpoint')}` : 'Prune', many > 0)
      } catch (error) {
        if (!looking.signal.aborted) show(errorText(error))
      }
    },
    100,
    { signal: looking.signal, onError: desk.fail },
  )
  for (const input of [keepLast, days, keepEvery, labelled, branches])
    input.addEventListener('input', () => {
      show('Looking …')
      look()
    })
  dialog.act.disabled = true
  look()
}

function told({ removed, bytes: freed, kept }: Removed): string {
  if (removed.length === 0) return `Nothing would go; ${counted(kept, 'checkpoint')} would stay.`
  const seqs = removed.slice(0, 12).map(({ seq }) => count(seq))
  const more = removed.length > seqs.length ? ' …' : ''
  return `${counted(removed.length, 'checkpoint')} would go, ${bytes(freed)}; ${count(kept)} would stay. Seqs ${seqs.join(', ')}${more}`
}

const number = (value: string): HTMLInputElement => h('input', { type: 'number', min: 0, step: 1, value })

const valueOf = (input: HTMLInputElement): number | undefined =>
  input.value === '' ? undefined : input.valueAsNumber

const option = (value: string, text: string): HTMLOptionElement => h('option', { value }, text)
