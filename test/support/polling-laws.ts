import { openCheckpointer, type Checkpointer, type CheckpointerEvent } from 'forkpoint'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'

const run = Math.random().toString(36).slice(2)
let count = 0

/** What is heard where there is no BroadcastChannel, for whichever engine this runs in. */
export function pollingLaws(worker: 'auto' | false): void {
  let name: string
  beforeEach(() => {
    vi.stubGlobal('BroadcastChannel', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    name = `polled-${run}-${++count}`
  })

  async function open(): Promise<Checkpointer> {
    const checkpointer = await openCheckpointer({
      name,
      worker,
      onWarning: (warning) => {
        throw warning
      },
    })
    onTestFinished(() => checkpointer.close())
    return checkpointer
  }

  function hearing(checkpointer: Checkpointer) {
    const heard: CheckpointerEvent[] = []
    return { heard, stop: checkpointer.subscribe((event) => heard.push(event)) }
  }

  /** Long enough for what is to come twice. */
  const twoLooks = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2_500))
  const soon = { timeout: 10_000 }

  it('a save of another, a fork and a removal are heard, each once', async () => {
    const [here, there] = [await open(), await open()]
    await there.thread('before').save(1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const { heard } = hearing(here)
    const { id } = await there.thread('t').save({ n: 1 })
    const saved = { type: 'saved', thread: 't', namespace: '', seq: 1, id }
    await vi.waitFor(() => expect(heard).toEqual([saved]), soon)
    await there.thread('t').fork({ as: 'f' })
    const forked = { type: 'forked', thread: 'f', namespace: '', from: 't', seq: 1 }
    await vi.waitFor(() => expect(heard).toEqual([saved, forked]), soon)
    await there.thread('f').delete()
    await vi.waitFor(() => expect(heard).toEqual([saved, forked, { type: 'deleted', thread: 'f' }]), soon)
    await twoLooks()
    expect(heard).toHaveLength(3)
  })

  it('a thread that was deleted and saved anew between two looks is both', async () => {
    const [here, there] = [await open(), await open()]
    const { heard } = hearing(here)
    await there.thread('t').save(1)
    await vi.waitFor(() => expect(heard).toHaveLength(1), soon)
    await there.thread('t').delete()
    const { id } = await there.thread('t').save(2)
    await vi.waitFor(() => expect(heard).toHaveLength(3), soon)
    expect(heard.slice(1)).toEqual([
      { type: 'deleted', thread: 't' },
      { type: 'saved', thread: 't', namespace: '', seq: 1, id },
    ])
  })

  it('a lease ends with its thread, before anything is written', async () => {
    const [here, there] = [await open(), await open()]
    const thread = here.thread('t')
    await thread.save(1)
    const lease = await thread.lease()
    // What no look has seen yet is no news when it goes.
    await twoLooks()
    await there.thread('t').delete()
    await vi.waitFor(() => expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST' }), soon)
  })

  it('what was changed here is heard once, by all who listen', async () => {
    const here = await open()
    const [one, two] = [hearing(here), hearing(here)]
    await here.thread('t').save(1)
    const { id } = await here.thread('t').save(2)
    const last = { type: 'saved', thread: 't', namespace: '', seq: 2, id }
    await vi.waitFor(() => expect([one.heard.at(-1), two.heard.at(-1)]).toEqual([last, last]), soon)
    await twoLooks()
    expect(one.heard.filter((event) => event.type === 'saved' && event.seq === 2)).toEqual([last])
    one.stop()
    await here.thread('t').save(3)
    await vi.waitFor(() => expect(two.heard.at(-1)).toMatchObject({ seq: 3 }), soon)
    expect(one.heard.at(-1)).toEqual(last)
  })
}
