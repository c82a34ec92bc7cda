import { withoutOrigin, type Forked } from '../operations/shapes/origin.ts'

/** Of where a thread comes from only what the caller is allowed. */
export async function shownTo<T extends Forked>(
  item: T,
  isAllowed: (thread: string) => boolean | PromiseLike<boolean>,
): Promise<T | ReturnType<typeof withoutOrigin<T>>> {
  const { forkOf } = item
  return !forkOf || (await isAllowed(forkOf.thread)) === true ? item : withoutOrigin(item)
}
