import { CheckpointerError, type ErrorCode } from '../../errors.ts'
import type { Host, SaveManyRequest } from '../../operations/host.ts'
import { isAboutTheSave } from '../queue/refusals.ts'
import type { LeftBehind } from './left-behind.ts'

/** Stores what pages have left. What can no longer be stored is told; what could not be, this time, is kept. */
export async function deliverLeft(
  host: Pick<Host, 'saveMany' | 'settle'>,
  left: LeftBehind,
  onWarning: (warning: CheckpointerError) => void,
): Promise<void> {
  for (const { lists, session, isThere, keep } of left.found()) {
    const kept: SaveManyRequest[] = []
    for (const list of lists) {
      // Another page may have stored it by now, or deleted the thread: then it would come back.
      if (!isThere()) break
      const rest = await deliverList(host, list, (warning) => {
        if (isThere()) onWarning(warning)
      })
      if (rest.saves.length > 0) kept.push(rest)
    }
    // While its worker lives on, or is not seen to have ended, the note stays for whoever looks next.
    const owes = session !== undefined && isThere() && !(await isSettled(host, session))
    keep({ lists: kept, ...(owes ? { session } : {}) })
  }
}

const isSettled = (host: Pick<Host, 'settle'>, session: string): Promise<boolean> =>
  host.settle({ sessions: [session], inOrder: true }).then(
    () => true,
    () => false,
  )

/** Gives what may yet be stored another time. */
async function deliverList(
  host: Pick<Host, 'saveMany'>,
  list: SaveManyRequest,
  onWarning: (warning: CheckpointerError) => void,
): Promise<SaveManyRequest> {
  const { thread, namespace } = list
  const tell = (code: ErrorCode, what: string, cause?: unknown): void => {
    const message = `${saves.length} saves that a page of '${thread}' left when it went ${what}`
    onWarning(new CheckpointerError(code, message, { thread, namespace, cause }))
  }
  let { saves } = list
  while (saves.length > 0) {
    try {
      const { length } = await host.saveMany({ ...list, saves })
      if (length === 0) tell('DATA_LOSS', 'are lost: what they stood on is gone.')
      saves = length === 0 ? [] : saves.slice(length)
    } catch (error) {
      const cause = CheckpointerError.is(error) ? error : undefined
      if (!cause || !isAboutTheSave(cause)) {
        tell(cause?.code ?? 'FAILED', 'are not stored yet; the next opening tries again.', error)
        return { ...list, saves }
      }
      // Each stands on the one before it.
      tell('DATA_LOSS', `are lost: ${cause.message}`, cause)
      saves = []
    }
  }
  return { ...list, saves }
}

/** A page that goes while this one is open need not wait for the next opening. Gives what ends that. */
export function deliverWhenLeft(
  host: Pick<Host, 'saveMany' | 'settle'>,
  left: LeftBehind,
  onWarning: (warning: CheckpointerError) => void,
): () => void {
  let delivering: Promise<void> = Promise.resolve()
  // What fails beyond its lists is a closing host; the next opening delivers.
  const deliver = (): Promise<void> => deliverLeft(host, left, onWarning).catch(() => {})
  return left.watch(() => void (delivering = delivering.then(deliver)))
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
