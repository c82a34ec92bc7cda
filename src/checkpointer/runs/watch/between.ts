import type { Host, Place } from '../../../operations/host.ts'
import { CheckpointerError } from '../../../errors.ts'

/** So few are looked for by their seqs, whether they are there or not. */
const FEW = 16
const PAGE = 100

/**
 * The seqs of the checkpoints from one to another, in order, some at a time. Between two heads there may be any number of
 * seqs that no checkpoint has: so of many it is asked which are there.
 */
export async function* seqsBetween(
  host: Pick<Host, 'history'>,
  place: Place,
  from: number,
  to: number,
): AsyncGenerator<readonly number[]> {
  if (to - from <= FEW) return yield Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
  const request = { ...place, limit: PAGE, order: 'oldest', states: false, before: to } as const
  for (let next: number | undefined = from; next !== undefined && next < to;) {
    const first: number = next
    const page: Page = await host.history({ ...request, after: first - 1 }).catch((error: unknown) => {
      const seq = unreadIn(error)
      if (seq === undefined || seq < first) throw error
      return { items: [{ seq }], next: seq + 1 }
    })
    yield page.items.map(({ seq }) => seq)
    next = page.next
  }
}

interface Page {
  readonly items: readonly { readonly seq: number }[]
  readonly next?: number
}

/** One that cannot be read may have steps that can be. */
const unreadIn = (error: unknown): number | undefined =>
  CheckpointerError.is(error, 'CORRUPT') || CheckpointerError.is(error, 'FORMAT_TOO_NEW')
    ? error.seq
    : undefined
