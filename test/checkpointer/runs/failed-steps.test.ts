import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openCheckpointer, type Loop } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished } from 'vitest'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** A step that fails, of which the loop makes no more. */
async function failed(loop: Loop<unknown>): Promise<WeakRef<Error>> {
  let ref: WeakRef<Error> | undefined
  const failing = loop.step('call', () => {
    const error = new Error('down')
    ref = new WeakRef(error)
    throw error
  })
  await failing.catch(() => {})
  if (!ref) throw new Error('It was not begun.')
  return ref
}

it('what a step has failed with is held by its run no longer than until the next checkpoint', async () => {
  const checkpointer = await openCheckpointer({ name: 'failed', storage: memoryStorage() })
  onTestFinished(() => checkpointer.close())
  await checkpointer.thread('t').run({}, async (loop) => {
    const refs = [await failed(loop), await failed(loop)]
    await loop.save()
    await expect
      .poll(() => {
        collect()
        return refs.map((ref) => ref.deref() === undefined)
      })
      .toEqual([true, true])
  })
})
