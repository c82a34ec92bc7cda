import type { CheckpointInfo, Snapshot } from '../../checkpoint.ts'
import { messageOf, type Conversation, type Entry } from './stored.ts'

/** A message in its place. */
interface Placed {
  readonly entry: Entry
  readonly parentId: string | null
}

/** A conversation with all its branches. */
export interface Tree {
  /** Each behind its parent, and those of one parent in the order in which they came. */
  readonly messages: readonly Placed[]
  readonly headId: string | null
}

/** The checkpoints that no other goes on from: all messages are in the states of these. */
export function tipsOf(infos: readonly CheckpointInfo[]): readonly CheckpointInfo[] {
  const parents = new Set(infos.map(({ parentId }) => parentId))
  return infos.filter(({ id }) => !parents.has(id))
}

/** The tree, of those messages that are wanted; from its checkpoints, the oldest first, and the states of its tips. */
export function treeOf(
  infos: readonly CheckpointInfo[],
  tips: readonly Snapshot<Conversation>[],
  isWanted: (entry: Entry) => boolean,
): Tree {
  const found = nodesIn(tips)
  const came = new Map(infos.toReversed().map((info) => [messageOf(info), info.seq]))
  const rank = ({ entry, seq }: Node): number => came.get(entry.id) ?? seq
  const children = new Map<string | null, Node[]>()
  for (const node of [...found.values()].sort((a, b) => rank(a) - rank(b)))
    children.set(node.parentId, [...(children.get(node.parentId) ?? []), node])

  const messages: Placed[] = []
  const latest = latestIn(infos, tips)
  let headId: string | null = null
  // A path may be of thousands of messages, so this does not call itself.
  const open = stacked(children.get(null), null)
  for (let next = open.pop(); next; next = open.pop()) {
    const { entry } = next.node
    const isShown = entry.gone === undefined && isWanted(entry)
    if (isShown) messages.push({ entry, parentId: next.parentId })
    const livingId = isShown ? entry.id : next.parentId
    if (entry.id === latest) headId = livingId
    open.push(...stacked(children.get(entry.id), livingId))
  }
  return { messages, headId }
}

interface Node {
  readonly entry: Entry
  readonly parentId: string | null
  /** Of the first tip that has it. */
  readonly seq: number
}

/** Of each message the greatest revision; of equal ones, as of two tabs, the later. */
function nodesIn(tips: readonly Snapshot<Conversation>[]): ReadonlyMap<string, Node> {
  const nodes = new Map<string, Node>()
  for (const { state, seq } of tips) {
    let parentId: string | null = null
    for (const entry of state.messages) {
      const known = nodes.get(entry.id)
      if (!known) nodes.set(entry.id, { entry, parentId, seq })
      else if ((entry.revision ?? 0) >= (known.entry.revision ?? 0)) nodes.set(entry.id, { ...known, entry })
      parentId = entry.id
    }
  }
  return nodes
}

/** The message that came last. One that was changed or deleted since does not take the head there. */
function latestIn(
  infos: readonly CheckpointInfo[],
  tips: readonly Snapshot<Conversation>[],
): string | undefined {
  const info =
    infos.findLast(({ node, workflow }) => node === 'append' || workflow === undefined) ?? infos.at(-1)
  const tip = tips.find(({ seq }) => seq === info?.seq)
  return (info && messageOf(info)) ?? tip?.state.messages.at(-1)?.id
}

const stacked = (nodes: readonly Node[] = [], parentId: string | null) =>
  nodes.map((node) => ({ node, parentId })).toReversed()
