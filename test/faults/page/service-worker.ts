import { keep, missing } from './witness.ts'

interface Asked {
  readonly call: 'keep' | 'missing'
  readonly name: string
  readonly steps?: Readonly<Record<string, number>>
}

/** The same as a page does, where there is neither a `Worker` nor `localStorage`. */
addEventListener('message', ({ data, ports }: MessageEvent<Asked>) => {
  const { call, name, steps = {} } = data
  const working = call === 'keep' ? keep(name, steps, false) : missing(name, false)
  void working.then(
    (result) => ports[0]?.postMessage({ result }),
    (error: unknown) => ports[0]?.postMessage({ error: String(error) }),
  )
})
