import { openCheckpointer, type OpenOptions } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startEarly } from '../../src/worker/early.ts'
import { failureOf, newName, ownWorker, works } from '../support/workers.ts'

const RealWorker = globalThis.Worker
let started: Worker[] = []
const ended = new Set<Worker>()

/** The workers of this package, counted. The nth may be given another script. */
function counted(scriptOf: (nth: number) => string | undefined = () => undefined): void {
  class Counted extends RealWorker {
    constructor(script: string | URL, options?: WorkerOptions) {
      super(scriptOf(started.length) ?? script, options)
      started.push(this)
    }
    override terminate(): void {
      ended.add(this)
      super.terminate()
    }
  }
  vi.stubGlobal('Worker', Counted)
  onTestFinished(() => void vi.unstubAllGlobals())
}

/** Of those that were started in this test: one of a test before may be ended as late as this. */
const ownEnded = (): Worker[] => started.filter((worker) => ended.has(worker))

beforeEach(() => {
  started = []
  ended.clear()
})

describe('the worker of this package', () => {
  it('is started by the call itself, before anything is loaded, and is the one that is used', async () => {
    counted()
    const opening = openCheckpointer({ name: newName() })
    expect(started.length).toBe(1)
    const checkpointer = await opening
    onTestFinished(() => checkpointer.destroy())
    await works(checkpointer)
    expect(started.length).toBe(1)
    expect(ownEnded()).toEqual([])
  })

  it('is ended when what was given is refused', async () => {
    counted()
    expect(await failureOf(openCheckpointer({ name: '' }))).toMatchObject({ code: 'INVALID', path: 'name' })
    expect(started.length).toBe(1)
    expect(ownEnded()).toEqual(started)
  })

  const unwanted: [string, () => Partial<OpenOptions>][] = [
    ['with a storage', () => ({ storage: memoryStorage() })],
    ['in this thread', () => ({ worker: false })],
  ]
  it.each(unwanted)('is not started %s', async (_, options) => {
    const given = options()
    counted()
    const checkpointer = await openCheckpointer({ name: newName(), ...given })
    onTestFinished(() => checkpointer.destroy())
    await works(checkpointer)
    expect(started.length).toBe(0)
  })
})

describe('a worker of the caller’s', () => {
  it('is asked for by the call itself, and is the one that is used', async () => {
    counted()
    const worker = vi.fn(ownWorker)
    const opening = openCheckpointer({ name: newName(), worker })
    expect(worker).toHaveBeenCalledTimes(1)
    const checkpointer = await opening
    onTestFinished(() => checkpointer.destroy())
    await works(checkpointer)
    expect(started.length).toBe(1)
    expect(ownEnded()).toEqual([])
  })

  it('is ended when what else was given is refused', async () => {
    counted()
    const refused = openCheckpointer({ name: '', worker: ownWorker })
    expect(await failureOf(refused)).toMatchObject({ code: 'INVALID', path: 'name' })
    expect(ownEnded()).toEqual(started)
    expect(started.length).toBe(1)
  })

  it.each([
    ['with the name of nothing', ''],
    ['that has one of its own', 'another'],
  ])('that serves a checkpointer goes on when a second is refused it, %s', async (_, name) => {
    counted()
    const only = ownWorker()
    const checkpointer = await openCheckpointer({ name: newName(), worker: () => only })
    onTestFinished(() => checkpointer.destroy())
    const second = openCheckpointer({ name: name && newName(), worker: () => only })
    expect(await failureOf(second)).toMatchObject({ code: 'INVALID' })
    // As long as one that was let go of is given to end.
    await new Promise((resolve) => setTimeout(resolve, 1_200))
    await works(checkpointer)
    expect(ended.has(only as Worker)).toBe(false)
  })

  it('is not asked for beside a storage', async () => {
    const worker = vi.fn(ownWorker)
    const checkpointer = await openCheckpointer({ name: newName(), worker, storage: memoryStorage() })
    await checkpointer.close()
    expect(worker).not.toHaveBeenCalled()
  })
})

describe('a worker that was started early', () => {
  it('is replaced when it has failed before it was asked', async () => {
    counted((nth) => (nth === 0 ? `/missing-${newName()}.js` : undefined))
    const early = startEarly(ownWorker)
    const [first] = started
    await new Promise((resolve) => first?.addEventListener('error', resolve, { once: true }))
    const taken = early.take()
    onTestFinished(() => taken.terminate?.())
    expect(taken).not.toBe(first)
    expect(started.length).toBe(2)
  })

  it('is refused when it has failed and is given again', async () => {
    counted(() => `/missing-${newName()}.js`)
    const only = ownWorker()
    const early = startEarly(() => only)
    await new Promise((resolve) => only.addEventListener('error', resolve, { once: true }))
    expect(() => early.take()).toThrow('It has failed')
  })

  it('is given once, and is its taker’s from then on', () => {
    counted()
    const early = startEarly(ownWorker)
    const [one, other] = [early.take(), early.take()]
    onTestFinished(() => [one, other].forEach((worker) => worker.terminate?.()))
    expect(one).not.toBe(other)
    early.end()
    expect(ownEnded()).toEqual([])
  })
})
