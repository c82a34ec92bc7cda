import { openCheckpointer, type Checkpointer } from 'forkpoint'
import type { ForkpointInspector, InspectorLoad } from 'forkpoint/inspector'
import { expect, it, onTestFinished, vi } from 'vitest'
import { newName } from '../../support/workers.ts'

async function opened(): Promise<Checkpointer> {
  const checkpointer = await openCheckpointer({ name: newName() })
  onTestFinished(() => checkpointer.destroy())
  await checkpointer.thread('a trip').save({ city: 'Lisbon' })
  await checkpointer.thread('a trip').save({ city: '<b>Porto\u202E' }, { node: 'plan' })
  return checkpointer
}

function placed(): ForkpointInspector {
  const element = document.createElement('forkpoint-inspector')
  onTestFinished(() => element.remove())
  document.body.append(element)
  return element
}

const textOf = ({ shadowRoot }: ForkpointInspector): string => shadowRoot?.textContent ?? ''
const shows = (element: ForkpointInspector, text: string) =>
  vi.waitFor(() => expect(textOf(element)).toContain(text), { timeout: 10_000 })

const press = (element: ForkpointInspector, name: string): void => {
  const all = [...(element.shadowRoot?.querySelectorAll('button') ?? [])]
  all.find(({ textContent }) => textContent === name)?.click()
}

it('takes what was set before it was defined, and shows it as text', async () => {
  const checkpointer = await opened()
  const element = placed()
  // No page of these tests has loaded it yet.
  expect(customElements.get('forkpoint-inspector')).toBeUndefined()
  element.checkpointer = checkpointer
  element.thread = 'a trip'
  await import('forkpoint/inspector')
  await shows(element, 'city: "<b>PortoU+202E"')
  expect(element.getAttribute('thread')).toBe('a trip')
  expect(element.shadowRoot?.querySelectorAll('b, style, [style=""]')).toHaveLength(0)
})

it('tells the app what to load, and follows what is saved', async () => {
  await import('forkpoint/inspector')
  const checkpointer = await opened()
  const element = placed()
  const told: InspectorLoad[] = []
  element.addEventListener('forkpoint-load', ({ detail }) => void told.push(detail))
  element.checkpointer = checkpointer
  element.setAttribute('thread', 'a trip')
  await shows(element, 'seq 2')
  await checkpointer.thread('a trip').save({ city: 'Faro' })
  await shows(element, 'city: "Faro"')
  press(element, 'Load')
  expect(told).toMatchObject([
    { thread: 'a trip', namespace: '', seq: 3, checkpoint: { state: { city: 'Faro' } } },
  ])
})

it('can be moved, given another checkpointer, and taken away', async () => {
  await import('forkpoint/inspector')
  const [first, second] = [await opened(), await opened()]
  await second.thread('another').save({ n: 1 })
  const element = placed()
  element.checkpointer = first
  await shows(element, 'a trip')
  const box = document.createElement('div')
  onTestFinished(() => box.remove())
  document.body.append(box)
  box.append(element)
  await shows(element, 'a trip')
  element.checkpointer = second
  await shows(element, 'another')
  expect(element.shadowRoot?.querySelectorAll('.app')).toHaveLength(1)
  element.checkpointer = undefined
  expect(textOf(element)).toBe('')
})
