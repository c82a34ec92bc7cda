import { CheckpointerError } from '../../errors.ts'
import type { SaveRequest } from '../host.ts'
import type { CheckpointFacts } from '../rows/checkpoint-row.ts'

export function refuseUnexpected(
  { expect, thread, namespace }: SaveRequest,
  head: CheckpointFacts | undefined,
): void {
  if (expect === undefined) return
  const holds = expect === null ? !head : expect === (typeof expect === 'number' ? head?.seq : head?.id)
  if (holds) return
  const wanted = expect === null ? 'no checkpoint' : `the head ${JSON.stringify(expect)}`
  const found = head ? `the head is ${head.seq} (${head.id})` : 'there is none'
  throw new CheckpointerError('CONFLICT', `Expected ${wanted}, but ${found}. Load again and decide.`, {
    thread,
    namespace,
    ...(head ? { seq: head.seq } : {}),
  })
}

/** `seq` is that of the checkpoint which has the id; absent when only a fork still shows it. */
export function refuseTakenId({ id, key, thread, namespace }: SaveRequest, seq?: number): never {
  const holder =
    seq === undefined ? 'that of a removed checkpoint which a fork still shows' : `taken by checkpoint ${seq}`
  throw new CheckpointerError(
    'CONFLICT',
    `The id ${JSON.stringify(id ?? key)} is ${holder}. Give another one, or none.`,
    {
      thread,
      namespace,
      ...(seq === undefined ? {} : { seq }),
    },
  )
}

export const noParent = ({ parent, thread, namespace }: SaveRequest): CheckpointerError =>
  new CheckpointerError(
    'NOT_FOUND',
    `The parent ${JSON.stringify(parent)} does not exist, or has been removed. history() lists what there is; without a parent a save follows the head.`,
    {
      thread,
      namespace,
    },
  )
