import { openCheckpointer, type CheckpointerError, type Storage } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { countingStorage } from '../bench/counting-storage.ts'

/** What a commit meets: gone through one by one, so that each test says what fails, and what waits. */
type Meets = (batch: Parameters<Storage['commit']>[1]) => Promise<void> | void

async function opened() {
  const { storage: inner } = countingStorage(memoryStorage())
  const now: { meets: Meets | undefined } = { meets: undefined }
  const warnings: CheckpointerError[] = []
  const storage: Storage = {
    ...inner,
    async commit(partition, batch) {
      await now.meets?.(batch)
      return inner.commit(partition, batch)
    },
    close: async () => {},
  }
  const open = async (durability: 'sync' | 'async') => {
    const onWarning = (warning: CheckpointerError): void => void warnings.push(warning)
    const checkpointer = await openCheckpointer({ name: 'd', storage, durability, onWarning })
    onTestFinished(async () => {
      now.meets = undefined
      await checkpointer.close().catch(() => undefined)
    })
    return checkpointer
  }
  return { now, open, warnings, checkpointer: await open('async') }
}

async function turns(count = 40): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve, 0))
}

function gate(): { readonly shut: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const shut = new Promise<void>((resolve) => (open = resolve))
  return { shut, open }
}

const isAbout = (thread: string, batch: Parameters<Meets>[0]): boolean =>
  (batch.puts ?? []).some(({ table, key }) => table === 'threads' && key.includes(thread))

describe('one place that cannot be written', () => {
  it('leaves the bound of the others, and their room, as they are', async () => {
    const { now, checkpointer } = await opened()
    const broken = checkpointer.thread('broken')
    const thread = checkpointer.thread('well')
    await broken.save({ n: 0 })
    await thread.save({ n: 0 })
    await checkpointer.flush()
    const slow = gate()
    now.meets = async (batch) => {
      if (isAbout('broken', batch)) throw new Error('cannot')
      await slow.shut
    }
    await broken.save({ n: 1 })
    await turns()
    // All the room there is.
    for (let n = 2; n <= 300; n++) await broken.save({ n }).catch(() => undefined)
    let taken = 0
    const saving = (async () => {
      for (let n = 1; n <= 400; n++) {
        await thread.save({ n })
        taken = n
      }
    })()
    await turns()
    expect(taken).toBeGreaterThan(200)
    expect(taken).toBeLessThanOrEqual(257)
    slow.open()
    await saving
    expect(await thread.load()).toMatchObject({ seq: 401, state: { n: 400 } })
  })
})

describe('flush', () => {
  it('does not resolve while another one makes it durable, which may yet fail', async () => {
    const { now, checkpointer } = await opened()
    const thread = checkpointer.thread('t')
    await thread.save({ n: 1 })
    await thread.load()
    const slow = gate()
    now.meets = async ({ relaxed }) => {
      if (relaxed) return
      await slow.shut
      throw new Error('disk')
    }
    const ended: string[] = []
    const ways = ['flush', 'flush', 'close'] as const
    const ending = ways.map((way) =>
      checkpointer[way]().then(
        () => ended.push(`${way} resolved`),
        () => ended.push(`${way} rejected`),
      ),
    )
    await turns()
    expect(ended).toEqual([])
    slow.open()
    await Promise.all(ending)
    expect(ended).toEqual(ways.map((way) => `${way} rejected`))
  })
})
