import { CheckpointerError } from '../../errors.ts'
import type { Host, SaveManyRequest } from '../../operations/host.ts'
import { isAboutTheSave } from '../queue/failures.ts'
import type { LeftBehind } from './left-behind.ts'

/** Stores what pages have left. What can no longer be stored is told; what could not be, this time, is kept. */
export async function deliverLeft(
  host: Pick<Host, 'saveMany' | 'settle'>,
  left: LeftBehind,
  onWarning: (warning: CheckpointerError) => void,
): Promise<void> {
  for (const { lists, session, keep } of left.found()) {
    const kept: SaveManyRequest[] = []
    for (const list of lists) {
      const rest = await deliverList(host, list, onWarning)
      if (rest.saves.length > 0) kept.push(rest)
    }
    // If that fails it is said that something may be missing, which is no harm.
    if (session !== undefined) await host.settle({ sessions: [session], inOrder: true }).catch(() => {})
    keep({ lists: kept })
  }
}

/** Gives what may yet be stored another time. */
async function deliverList(
  host: Pick<Host, 'saveMany'>,
  list: SaveManyRequest,
  onWarning: (warning: CheckpointerError) => void,
): Promise<SaveManyRequest> {
  const { thread, namespace } = list
  const lost = (count: number, why: string, cause?: unknown): void => {
    const message = `${count} saves that a page of '${thread}' left when it went are lost: ${why}`
    onWarning(new CheckpointerError('DATA_LOSS', message, { thread, namespace, cause }))
  }
  let { saves } = list
  while (saves.length > 0) {
    try {
      const { length } = await host.saveMany({ ...list, saves })
      if (length === 0) {
        lost(saves.length, 'what they stood on is gone.')
        return { ...list, saves: [] }
      }
      saves = saves.slice(length)
    } catch (error) {
      const cause = CheckpointerError.is(error) ? error : undefined
      if (!cause || !isAboutTheSave(cause)) {
        const message = `${saves.length} saves that a page of '${thread}' left when it went are not stored yet; the next opening tries again.`
        onWarning(
          new CheckpointerError(cause?.code ?? 'FAILED', message, { thread, namespace, cause: error }),
        )
        return { ...list, saves }
      }
      lost(1, cause.message, cause)
      saves = saves.slice(1)
    }
  }
  return { ...list, saves }
}

/** The host, with what is deleted forgotten here too: else the next page would bring it back. */
export function forgetting(host: Host, left: LeftBehind): Host {
  const forget = (isGone: (list: SaveManyRequest) => boolean): void => {
    for (const { lists, session, keep } of left.found())
      keep({ lists: lists.filter((list) => !isGone(list)), session })
  }
  return {
    ...host,
    async deleteThread(request) {
      const isDeleted = await host.deleteThread(request)
      forget(({ thread }) => thread === request.thread)
      return isDeleted
    },
    async destroy() {
      await host.destroy()
      forget(() => true)
    },
  }
}
