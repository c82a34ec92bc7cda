import { tellOfWrites } from './noticing.ts'
import { runAgentIn } from './agents.ts'
import { RACES, type Kind, type Racer } from './races.ts'
import { keep, missing } from './witness.ts'

tellOfWrites()

type Asked = { readonly name: string } & (
  | { readonly call: 'keep'; readonly steps: Readonly<Record<string, number>> }
  | { readonly call: 'missing' | 'agent' }
  | { readonly call: 'race'; readonly kind: Kind; readonly racer: Racer }
)

/** The same as a page does, where there is neither a `Worker` nor `localStorage`. */
addEventListener('message', (event: MessageEvent<Asked>) => {
  const { data, ports } = event
  const working = answer(data)
  // Or it may be ended in the midst of it.
  if ('waitUntil' in event && typeof event.waitUntil === 'function') event.waitUntil(working)
  void working.then(
    (result) => ports[0]?.postMessage({ result }),
    (error: unknown) => ports[0]?.postMessage({ error: String(error) }),
  )
})

function answer(asked: Asked): Promise<unknown> {
  switch (asked.call) {
    case 'agent':
      return runAgentIn(asked.name, false)
    case 'keep':
      return keep(asked.name, asked.steps, false)
    case 'race':
      return RACES[asked.kind](asked.racer)
    case 'missing':
      return missing(asked.name, false)
  }
}
