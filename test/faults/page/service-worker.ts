import { tellOfWrites } from './noticing.ts'
import { runAgentIn } from './agents.ts'
import { keep, missing } from './witness.ts'

tellOfWrites()

interface Asked {
  readonly call: 'keep' | 'missing' | 'agent'
  readonly name: string
  readonly steps?: Readonly<Record<string, number>>
}

/** The same as a page does, where there is neither a `Worker` nor `localStorage`. */
addEventListener('message', ({ data, ports }: MessageEvent<Asked>) => {
  const { call, name, steps = {} } = data
  const working: Promise<unknown> =
    call === 'agent'
      ? runAgentIn(name, false)
      : call === 'keep'
        ? keep(name, steps, false)
        : missing(name, false)
  void working.then(
    (result) => ports[0]?.postMessage({ result }),
    (error: unknown) => ports[0]?.postMessage({ error: String(error) }),
  )
})
