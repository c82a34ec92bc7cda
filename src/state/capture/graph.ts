import { plainBox } from '../boxes/awkward.ts'
import { Refusal } from '../boxes/refusal.ts'
import { BOX, Shell, boxShell } from '../boxes/shell.ts'
import type { View } from '../boxes/view.ts'

/**
 * A view for values with circles in them: each object in `cycles` is boxed whole, as
 * `['graph', [node, node, ...]]`. A node is the encoded form of one object in which every object that has
 * children of its own stands as `{ "$fp": ["ref", index] }`; the first node is the value itself.
 */
export function withGraphs(view: View, cycles: ReadonlySet<object>): View {
  return (live, prev) =>
    typeof live === 'object' && live !== null && cycles.has(live) ? graphShell(view, live) : view(live, prev)
}

function graphShell(view: View, root: object): Shell {
  const indices = new Map<object, number>([[root, 0]])
  const look = (live: object): unknown => {
    const seen = view(live, undefined)
    return seen === live && !Array.isArray(live) ? (plainBox(live) ?? live) : seen
  }
  if (!isNode(root, look(root)))
    throw new Refusal('a circle through an own kind cannot be stored: keep ids in one')
  const queue: { live: object; seen: unknown }[] = [{ live: root, seen: look(root) }]
  const nodes: unknown[] = []

  const link = (value: unknown): unknown => {
    if (value instanceof Shell) return new Shell(mapped(value.node, link))
    if (typeof value !== 'object' || value === null) return value
    const known = indices.get(value)
    if (known !== undefined) return boxShell('ref', known)
    const seen = look(value)
    if (!isNode(value, seen)) return value
    const index = queue.push({ live: value, seen }) - 1
    indices.set(value, index)
    return boxShell('ref', index)
  }

  for (let i = 0; i < queue.length; i++) {
    const { live, seen } = queue[i]!
    nodes.push(new Shell(mapped(seen instanceof Shell ? seen.node : live, link)))
  }
  return boxShell('graph', new Shell(nodes))
}

/** Leaves stand inside the nodes, and so do own kinds, which can only be restored from something whole. */
function isNode(live: object, seen: unknown): boolean {
  if (seen === live) return true
  if (!(seen instanceof Shell)) return false
  const box = (seen.node as Readonly<Record<string, unknown>>)[BOX]
  return box instanceof Shell && (box.node as readonly unknown[])[0] !== 'custom'
}

function mapped(node: object, link: (value: unknown) => unknown): Shell['node'] {
  if (Array.isArray(node)) return node.map(link)
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, link(value)]))
}
