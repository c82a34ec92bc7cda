import { openCheckpointer, type OpenOptions } from 'forkpoint'

export interface Saved {
  readonly saved: number
  readonly loaded: number
}

const moment = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 5))
let saved = 0
let loaded = 0

/** Saves and loads without an end; what cannot be done just now is done again. Told when that is under way. */
export async function play(options: Pick<OpenOptions, 'name' | 'worker' | 'durability'>): Promise<void> {
  const checkpointer = await openCheckpointer({ ...options, onWarning: () => {} })
  const thread = checkpointer.thread<{ n: number; text: string }>('saved')
  const saveOn = async (): Promise<never> => {
    for (;;) {
      const isSaved = await thread.save({ n: saved, text: 'x'.repeat(2000) }).then(
        () => true,
        () => false,
      )
      if (isSaved) saved++
      await moment()
    }
  }
  const loadOn = async (): Promise<never> => {
    for (;;) {
      await checkpointer.thread('other').load()
      loaded++
    }
  }
  void saveOn()
  void loadOn()
  while (saved < 10 || loaded < 10) await moment()
}

/** How much it has done by now. */
export const look = (): Saved => ({ saved, loaded })
