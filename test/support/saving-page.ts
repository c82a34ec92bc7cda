import { openCheckpointer } from 'forkpoint'

/** Saves as fast as it can, until the page goes; told once that has begun, and some moments later. */
export async function play({ name, moments }: { name: string; moments: number }): Promise<void> {
  const checkpointer = await openCheckpointer({ name, onWarning: () => {} })
  const thread = checkpointer.thread<{ n: number; text: string }>('saved')
  const saveOn = async (): Promise<never> => {
    for (let n = 0; ; n++) await thread.save({ n, text: 'x'.repeat(2000) })
  }
  void saveOn()
  await new Promise((resolve) => setTimeout(resolve, moments))
}
