import { rest, type WritingAs } from './durability.ts'
import { onLeaving } from './left/page-end.ts'
import { behindQueue } from './queue/behind-queue.ts'
import { SaveQueue } from './queue/save-queue.ts'

/** Saves are taken into a queue, and written from there: all of them, or of each place the last. */
export const writingBehind =
  (lastOnly: boolean): WritingAs =>
  (host, watch, { known, left, onWarning, saveHeld, hurry }) => {
    const queue = new SaveQueue({ host, known, lastOnly, onWarning })
    const unlisten = onLeaving({
      mayEnd() {
        saveHeld()
        queue.hurry()
        hurry()
      },
      ends() {
        saveHeld()
        left?.put({ lists: queue.left(), session: queue.session })
        queue.hurry()
        hurry()
        rest(host)
        queue.rested()
      },
      isBack: () => left?.withdraw(),
    })
    const stop = (): void => {
      unlisten()
      // All of it is stored by now, or its caller was told.
      left?.withdraw()
    }
    return { saves: queue, host: watch(behindQueue(host, queue)), stop }
  }
