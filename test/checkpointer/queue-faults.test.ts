import { CheckpointerError, openCheckpointer, type Host, type SaveOptions } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'

/** What becomes of the next call of a verb. */
type Fate = (run: () => Promise<unknown>) => Promise<unknown>

const failed = (outcome: 'none' | 'unknown'): CheckpointerError =>
  new CheckpointerError('FAILED', 'The disk says no.', { outcome })
const notMade: Fate = () => Promise.reject(failed('none'))
/** Carried out, and nobody hears of it. */
const unheard: Fate = async (run) => {
  await run()
  throw failed('unknown')
}

async function ground() {
  const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
  vi.stubGlobal('document', document)
  onTestFinished(() => void vi.unstubAllGlobals())
  const inner = await createHost({ storage: Object.assign(memoryStorage(), { close: async () => {} }) })
  const fates: Record<'saveMany' | 'head' | 'prune', Fate[]> = { saveMany: [], head: [], prune: [] }
  const meeting =
    <Request, Reply>(verb: keyof typeof fates, run: (request: Request) => Promise<Reply>) =>
    (request: Request): Promise<Reply> => {
      const fate = fates[verb].shift() ?? ((work) => work())
      return fate(() => run(request)) as Promise<Reply>
    }
  const host: Host = {
    ...inner,
    saveMany: meeting('saveMany', inner.saveMany),
    head: meeting('head', inner.head),
    prune: meeting('prune', inner.prune),
  }
  const warnings: CheckpointerError[] = []
  const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
  const checkpointer = await openCheckpointer({ name: 'q', host, durability: 'async', onWarning })
  onTestFinished(() => checkpointer.close().catch(() => undefined))
  const thread = checkpointer.thread<number>('t')
  return {
    fates,
    warnings,
    checkpointer,
    thread,
    /** Everything that is here is sent at once, whatever is under way. */
    hide: () => document.dispatchEvent(new Event('visibilitychange')),
    save: (n: number, options?: SaveOptions) => thread.save(n, options),
    async stored() {
      const found: [number, number][] = []
      for await (const { seq, state } of thread.history({ order: 'oldest', states: true }))
        found.push([seq, state])
      return found
    },
  }
}

function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

it('who has to wait for the store does not wait for the next try of what cannot be written', async () => {
  const { fates, save, checkpointer } = await ground()
  await save(1)
  await checkpointer.flush()
  // No timer goes off.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  fates.saveMany.push(notMade, notMade, notMade)
  await save(2)
  await expect(checkpointer.flush()).rejects.toMatchObject({ code: 'FAILED' })
  await expect(save(3)).rejects.toMatchObject({ outcome: 'none' })
  await vi.advanceTimersByTimeAsync(0)
  fates.saveMany.push(notMade)
  await expect(save(4, { id: 'mine' })).rejects.toMatchObject({ code: 'FAILED' })
  expect(await save(4, { id: 'mine' })).toMatchObject({ seq: 3 })
})

it('a save behind one that cannot be written is answered, also when its thread is deleted', async () => {
  const { fates, save, thread, stored } = await ground()
  await save(1)
  await thread.load()
  const { open, opened } = gate()
  fates.saveMany.push(async () => {
    await opened
    throw failed('none')
  })
  await save(2)
  await turn()
  const behind = save(3, { id: 'mine' })
  const deleted = thread.delete()
  open()
  await expect(behind).rejects.toMatchObject({ outcome: 'none' })
  expect(await deleted).toBe(true)
  expect(await stored()).toEqual([])
})

it('what was stored and not heard of is counted, so that no seq is told twice', async () => {
  const { fates, save, stored, hide, warnings } = await ground()
  await save(1)
  await stored()
  const { open, opened } = gate()
  fates.saveMany.push(
    async (run) => {
      await run()
      await opened
      throw failed('unknown')
    },
    async (run) => {
      const reply = await run()
      open()
      return reply
    },
  )
  const told = [await save(2)]
  await turn()
  told.push(await save(3))
  hide()
  // One call is told that it failed.
  await expect(stored()).rejects.toMatchObject({ outcome: 'unknown' })
  await expect(save(4)).rejects.toMatchObject({ outcome: 'none' })
  told.push(await save(4))
  expect(told.map(({ seq }) => seq)).toEqual([2, 3, 4])
  expect(await stored()).toEqual([1, 2, 3, 4].map((n) => [n, n]))
  expect(warnings.filter(({ code }) => code === 'CONFLICT')).toEqual([])
})

it('what was refused to its caller, and is stored all the same, is counted too', async () => {
  const { fates, save, stored, warnings } = await ground()
  await save(1)
  await stored()
  fates.saveMany.push(unheard)
  await expect(save(2, { id: 'mine' })).rejects.toMatchObject({ outcome: 'unknown' })
  expect(await save(3)).toMatchObject({ seq: 3 })
  expect(await stored()).toEqual([1, 2, 3].map((n) => [n, n]))
  expect(warnings).toEqual([])
})

it('a head from before what a hidden page has sent is asked for again', async () => {
  const { fates, save, stored, hide, warnings } = await ground()
  const { open, opened } = gate()
  fates.head.push(async (run) => {
    const reply = await run()
    await opened
    return reply
  })
  const first = save(1)
  await turn()
  hide()
  await turn()
  const second = save(2)
  open()
  expect([(await first).seq, (await second).seq]).toEqual([1, 2])
  expect(await stored()).toEqual([1, 2].map((n) => [n, n]))
  expect(warnings).toEqual([])
})

it('what a hidden page has sent is answered by its own answer, not by that of another question', async () => {
  const { fates, save, stored, hide } = await ground()
  const { open, opened } = gate()
  const late: Fate = async (run) => {
    await opened
    return run()
  }
  fates.saveMany.push(late)
  fates.head.push(() => turn().then(() => Promise.reject(failed('none'))))
  const first = save(1)
  await Promise.resolve()
  hide()
  await turn()
  await turn()
  open()
  expect((await first).seq).toBe(1)
  expect(await stored()).toEqual([[1, 1]])
})

it('what may be stored is not removed until that is known: it would come back behind others', async () => {
  const { fates, save, thread, stored } = await ground()
  await save(1)
  await stored()
  fates.saveMany.push(unheard, notMade)
  await save(2)
  await turn()
  await expect(save(3)).rejects.toMatchObject({ outcome: 'none' })
  await expect(thread.prune({ keepLast: 1 })).rejects.toMatchObject({ code: 'FAILED' })
  await save(3)
  expect((await thread.prune({ keepLast: 1 })).removed.map(({ seq }) => seq)).toEqual([1, 2])
  expect(await stored()).toEqual([[3, 3]])
})

it('after a removal that nobody heard of, the head is asked for', async () => {
  const { fates, save, thread, stored, warnings } = await ground()
  await save(1)
  await stored()
  fates.prune.push(unheard)
  await expect(thread.prune({ keepLast: 1 })).rejects.toMatchObject({ outcome: 'unknown' })
  fates.head.push(notMade)
  await expect(save(2)).rejects.toMatchObject({ code: 'FAILED' })
  expect(await save(2)).toMatchObject({ seq: 2 })
  expect(await stored()).toEqual([1, 2].map((n) => [n, n]))
  expect(warnings).toEqual([])
})
