import { hashOf } from './hash.ts'

/** Names of steps have at most 1,024 characters. */
const MOST = 1_024

/** Of a call: ids may be longer than names of steps, as where a gateway has put a signature into them. */
export function stepNameOf(tool: string, toolCallId: string): string {
  const name = `${tool} ${toolCallId}`
  return name.length <= MOST ? name : `${tool} ~${hashOf(toolCallId)}`
}
