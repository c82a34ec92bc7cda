import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A view that is fetched when it is first wanted. */
export interface LaterView<Given extends object> {
  readonly fetch: () => Promise<ComponentType<Given>>
  /** Once it is here, it is drawn at once. */
  readonly here: () => ComponentType<Given> | undefined
}

export function laterView<Given extends object>(load: () => Promise<ComponentType<Given>>): LaterView<Given> {
  let here: ComponentType<Given> | undefined
  return { fetch: async () => (here ??= await load()), here: () => here }
}

interface Props<Given extends object> {
  readonly of: LaterView<Given>
  readonly props: Given
}

export function Later<Given extends object>({ of, props }: Props<Given>): JSX.Element {
  const [, setHere] = useState(false)
  useEffect(() => void of.fetch().then(() => setHere(true)), [of])
  const View = of.here()
  // What will stand there has its place already.
  return View ? <View {...props} /> : <div />
}
