import { CheckpointerError } from '../../errors.ts'
import type { SaveRequest } from '../host.ts'
import type { CheckpointFacts } from '../rows/checkpoint-row.ts'

/** Whether it goes on from the head that it is to go on from. */
export function isExpected({ expect }: SaveRequest, head: CheckpointFacts | undefined): boolean {
  if (expect === undefined) return true
  return expect === null ? !head : expect === (typeof expect === 'number' ? head?.seq : head?.id)
}

export function refuseUnexpected(request: SaveRequest, head: CheckpointFacts | undefined): void {
  if (isExpected(request, head)) return
  const { expect, thread, namespace } = request
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
