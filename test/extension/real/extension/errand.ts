import type { Checkpointer, Loop, UnknownDecision } from 'forkpoint'

/** What an agent is sent for: so many things to be done at a site, which counts them. */
interface Errand {
  readonly site: string
  readonly steps: number
  receipts: string[]
}

/** When the script of a service worker began. */
interface Start {
  readonly born: number
}

const THREAD = 'errand'
/** Every start while there is an errand leaves something new here, before anybody is served. */
const STARTS = 'starts'

async function errand(loop: Loop<Errand>): Promise<number> {
  const { site, steps, receipts } = loop.state
  while (receipts.length < steps) {
    const what = `step ${receipts.length + 1}`
    const receipt = await loop.step(
      what,
      async ({ key, attempt, token }) => {
        const reply = await tell(site, 'do', { what, key, attempt, token })
        return (reply as { receipt: string }).receipt
      },
      {
        effect: 'external',
        // Only the site knows.
        whenUnknown: async (step) =>
          (await tell(site, 'decide', { step, token: loop.token })) as UnknownDecision<string>,
      },
    )
    receipts.push(receipt)
    await loop.save({ node: what })
  }
  return receipts.length
}

export async function send(checkpointer: Checkpointer, site: string, steps: number): Promise<void> {
  const initial: Errand = { site, steps, receipts: [] }
  await checkpointer.thread<Errand>(THREAD).run({ runId: THREAD, initial }, errand)
}

/** At each start of the service worker, before it serves: what nobody else hears of. */
export async function noteStart(checkpointer: Checkpointer, born: number): Promise<Checkpointer> {
  const errand = await checkpointer.thread<Errand>(THREAD).load()
  if (!errand) return checkpointer
  // The news of it comes a moment later, and is to be gone by when somebody is served.
  let leave = (): void => {}
  const isTold = new Promise<void>((resolve) => {
    leave = checkpointer.subscribe((event) => {
      if (event.type === 'saved' && event.thread === STARTS) resolve()
    })
  })
  await checkpointer.thread<Start>(STARTS).save({ born })
  await isTold
  leave()
  return checkpointer
}

/** And then: goes on with what was cut off, and tells the site that it has started. */
export async function takeUp(checkpointer: Checkpointer, born: number): Promise<void> {
  checkpointer.onOrphan(({ thread, runId }) =>
    checkpointer.thread<Errand>(thread).run({ runId, wait: false }, errand),
  )
  const { state } = (await checkpointer.thread<Errand>(THREAD).load()) ?? {}
  if (state) await tell(state.site, 'started', { born })
}

/** In a side panel: what it sees of both, and when. */
export async function follow(checkpointer: Checkpointer, site: string): Promise<void> {
  await Promise.all([followErrand(checkpointer, site), followStarts(checkpointer, site)])
}

async function followErrand(checkpointer: Checkpointer, site: string): Promise<void> {
  for await (const event of checkpointer.thread<Errand>(THREAD).watch()) {
    const at = Date.now()
    if (event.type === 'state')
      void tell(site, 'seen', { at, seq: event.checkpoint.seq, saved: event.checkpoint.createdAt.getTime() })
    if (event.type === 'run') void tell(site, 'run', { status: event.run.status })
  }
}

async function followStarts(checkpointer: Checkpointer, site: string): Promise<void> {
  for await (const event of checkpointer.thread<Start>(STARTS).watch())
    if (event.type === 'state') void tell(site, 'caught', { at: Date.now(), seq: event.checkpoint.seq })
}

async function tell(site: string, what: string, about: object): Promise<unknown> {
  const response = await fetch(`${site}/${what}`, { method: 'POST', body: JSON.stringify(about) })
  return response.json()
}
