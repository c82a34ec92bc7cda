import { openCheckpointer, type Checkpointer, type Loop } from 'forkpoint'

interface About {
  readonly name: string
  readonly worker: 'auto' | false
  /** What each loop asks for. */
  readonly url: string
  readonly isFirst: boolean
}

/** What a page finds of the loops that the one before it had begun. */
export interface Found {
  readonly status: string | undefined
  readonly doubts: readonly string[]
}

type Work = (
  loop: Loop<object>,
  ask: () => Promise<string>,
  doubt: (what: string) => void,
) => Promise<unknown>

const LOOPS: Readonly<Record<string, Work>> = {
  step: (loop, ask, doubt) =>
    loop.step('pay', ask, { effect: 'external', whenUnknown: () => (doubt('step'), 'skip') }),
  caught: (loop, ask, doubt) =>
    loop.step('pay', ({ step }) => step('inner', ask).catch(() => 'not paid'), {
      whenUnknown: () => (doubt('caught'), 'skip'),
    }),
  async stream(loop, ask, doubt) {
    const source = async function* (): AsyncGenerator<string> {
      yield 'half an answer'
      yield await ask()
    }
    const whenCut = (): 'keep' => (doubt('stream'), 'keep')
    for await (const _ of loop.stream('answer', source, { whenCut }));
  },
  async told(loop, ask, doubt) {
    const source = async function* (): AsyncGenerator<unknown> {
      yield 'half an answer'
      yield await ask().catch((error: unknown) => ({ type: 'error', error: String(error) }))
    }
    const whenCut = ({ chunks }: { chunks: readonly unknown[] }): 'keep' => (
      doubt(`told ${chunks.length}`),
      'keep'
    )
    for await (const _ of loop.stream('answer', source, { whenCut }));
  },
  own: async (_loop, ask) => ask(),
}

/** Begins loops that ask for something; the page after it looks what became of them, and goes on. */
export async function play({
  name,
  worker,
  url,
  isFirst,
}: About): Promise<Record<string, Found> | undefined> {
  const checkpointer = await openCheckpointer({ name, worker, onWarning: () => {} })
  if (isFirst) {
    await Promise.all(Object.entries(LOOPS).map(([id, work]) => begun(checkpointer, id, work, url)))
    return undefined
  }
  const found: Record<string, Found> = {}
  for (const [id, work] of Object.entries(LOOPS)) {
    const thread = checkpointer.thread<object>(id)
    const doubts: string[] = []
    const status = (await thread.latestRun())?.status
    await thread
      .run({}, (loop) =>
        work(
          loop,
          async () => 'asked',
          (what) => doubts.push(what),
        ),
      )
      .catch(() => {})
    found[id] = { status, doubts }
  }
  await checkpointer.close()
  return found
}

/** Resolves when it has asked. */
function begun(checkpointer: Checkpointer, id: string, work: Work, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const ask = async (): Promise<string> => {
      const asking = fetch(url)
      // What came before it is stored by then.
      setTimeout(resolve, 300)
      return (await asking).text()
    }
    checkpointer
      .thread<object>(id)
      .run({ initial: {} }, (loop) => work(loop, ask, () => {}))
      .catch(reject)
  })
}
