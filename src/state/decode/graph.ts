import { CONTAINERS } from '../boxes/containers.ts'
import type { Container } from '../boxes/containers.ts'
import { BOX, boxPayload } from '../boxes/shell.ts'
import type { Step } from '../delta/op.ts'
import type { Json } from '../json.ts'
import type { Decoder } from './decoder.ts'

interface Part {
  readonly json: Json
  readonly target: object
  readonly container?: Container
}

/** Circles: first every object of the graph, empty, then what they hold, which may be each other. */
export function decodeGraph(decoder: Decoder, payload: readonly Json[]): unknown {
  const nodes = payload[1]
  if (payload.length !== 2 || !Array.isArray(nodes) || nodes.length === 0) throw new Error('not a graph')
  const { path } = decoder
  path.push(1)
  const at = path.length
  const parts = (nodes as readonly Json[]).map((json, i): Part => {
    path[at] = i
    return makePart(decoder, json)
  })
  const child = (json: Json, ...steps: readonly Step[]): unknown => {
    const ref = boxPayload(json)
    if (ref?.[0] !== 'ref') return decoder.at(json, ...steps)
    const [, index] = ref
    const part = typeof index === 'number' && ref.length === 2 ? parts[index] : undefined
    if (part === undefined || Object.keys(json as object).length !== 1)
      throw new Error('a reference to nothing')
    return part.target
  }
  parts.forEach(({ json, target, container }, i) => {
    path.length = at
    path.push(i)
    if (container) container.fill(target, boxPayload(json)!, (inner, ...steps) => child(inner, BOX, ...steps))
    else if (Array.isArray(json)) decoder.array(json as readonly Json[], target as unknown[], child)
    else decoder.object(json as Readonly<Record<string, Json>>, target as Record<string, unknown>, child)
  })
  path.length = at - 1
  return parts[0]!.target
}

function makePart(decoder: Decoder, json: Json): Part {
  if (typeof json !== 'object' || json === null) throw new Error('not a node')
  if (Array.isArray(json)) return { json, target: [] }
  if (!Object.hasOwn(json, BOX)) return { json, target: {} }
  const payload = boxPayload(json)
  const kind = payload?.[0]
  const container = typeof kind === 'string' ? CONTAINERS.get(kind) : undefined
  if (container === undefined || Object.keys(json).length !== 1) throw new Error('not a node')
  return { json, target: container.make(payload!, decoder.types), container }
}
