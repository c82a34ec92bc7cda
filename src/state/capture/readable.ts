import { BOX } from '../boxes/shell.ts'
import type { Step } from '../delta/op.ts'
import type { Walk } from './walk.ts'

/** The place a walk has reached in the caller's terms, without the boxes: `$.users["bob"].born`. */
export function readable({ steps, trail, depth }: Walk): Step[] {
  const path: Step[] = []
  for (let i = 0; i < depth;) {
    if (steps[i] !== BOX || i + 1 >= depth) path.push(steps[i++]!)
    else i = unbox(steps.slice(0, depth), trail, i + 1, path)
  }
  return path.filter((step) => step !== BOX)
}

/** Reads the steps inside the box whose payload is at `i`; answers where they end. */
function unbox(steps: readonly Step[], trail: readonly unknown[], i: number, path: Step[]): number {
  const kind = (trail[i] as readonly unknown[])[0]
  switch (kind) {
    case 'map':
    case 'object':
    case 'null-object':
    case 'sparse': {
      const [entry, side] = [steps[i + 1], steps[i + 2]]
      if (entry === undefined) return i + 1
      const pair = trail[i + 2]
      const key: unknown = Array.isArray(pair) ? pair[0] : undefined
      if (side === 0) path.push(entry, 'key')
      else path.push(typeof key === 'string' || typeof key === 'number' ? key : entry)
      return i + 3
    }
    case 'error':
      return steps[i + 1] === 'props' ? i + 2 : i + 1
    case 'graph':
      if (steps[i + 1] !== undefined) path.push(`#${String(steps[i + 1])}`)
      return i + 2
    default:
      return i + 1
  }
}
