import { Shell } from '../boxes/shell.ts'
import type { View } from '../boxes/view.ts'

/** A tree that never ends (a getter that makes a new object each time) must not be followed for ever. */
const MAX_STEPS_DOWN = 1_000_000

/** The objects that stand directly inside another, through whatever its encoded form puts between. */
function childrenOf(view: View, live: object): object[] {
  const children: object[] = []
  const collect = (node: object): void => {
    for (const value of Object.values(node) as unknown[]) {
      if (value instanceof Shell) collect(value.node)
      else if (typeof value === 'object' && value !== null) children.push(value)
    }
  }
  const seen = view(live, undefined)
  if (seen instanceof Shell) collect(seen.node)
  else if (seen === live) collect(live)
  return children
}

/**
 * The objects that a circle leads back to, going down from `root`: among them the outermost of each circle.
 * Uses no stack of the engine's, as it runs where that might overflow.
 */
export function findCycles(view: View, root: unknown): Set<object> {
  const cycles = new Set<object>()
  if (typeof root !== 'object' || root === null) return cycles
  const open = new Set<object>([root])
  const done = new WeakSet<object>()
  const stack = [{ live: root, children: look(view, root), next: 0 }]
  while (stack.length > 0 && stack.length < MAX_STEPS_DOWN) {
    const top = stack[stack.length - 1]!
    const child = top.children[top.next++]
    if (child === undefined) {
      open.delete(top.live)
      done.add(top.live)
      stack.pop()
    } else if (open.has(child)) {
      cycles.add(child)
    } else if (!done.has(child)) {
      open.add(child)
      stack.push({ live: child, children: look(view, child), next: 0 })
    }
  }
  return cycles
}

/** What is to be refused has no children here; the walk meets it again and names its place. */
function look(view: View, live: object): object[] {
  try {
    return childrenOf(view, live)
  } catch {
    return []
  }
}
