import { openCheckpointer, type Checkpointer } from 'forkpoint'
import type { LoadTimings } from './api.ts'
import { openRaw, type Raw } from './raw.ts'
import { FLOOR, NAIVE, NAME, SMALL } from './saves.ts'
import { pause, timed, type Timing } from './timing.ts'

const PAGE = 50

/** On a page and with a worker that are new, both warmed by a small read, so that no start is counted. */
export async function coldLoad({ rawFirst }: { readonly rawFirst: boolean }): Promise<LoadTimings> {
  const { raw, checkpointer, close } = await openBoth()
  await pause(50)
  const timings = await both(
    rawFirst,
    () => raw.get('plain'),
    () => load(checkpointer, 'plain'),
  )
  await close()
  return timings
}

/** As a cold load, but on a page whose code has long been compiled: only connection, worker and caches are new. */
export async function freshWorkerLoads({ times }: { readonly times: number }): Promise<LoadTimings[]> {
  return repeat(times, (i) => coldLoad({ rawFirst: i % 2 === 0 }))
}

/** Again and again through one checkpointer, which then knows the state. */
export async function warmLoads({ times }: { readonly times: number }): Promise<LoadTimings[]> {
  const { raw, checkpointer, close } = await openBoth()
  await load(checkpointer, 'plain')
  const timings = await repeat(times, (i) =>
    both(
      i % 2 === 0,
      () => raw.get('plain'),
      () => load(checkpointer, 'plain'),
    ),
  )
  await close()
  return timings
}

/** A page of summaries, against as many raw rows that hold the changed bytes. */
export async function histories({
  times,
  steps,
}: {
  readonly times: number
  readonly steps: number
}): Promise<LoadTimings[]> {
  const floor = await openRaw(FLOOR)
  const checkpointer = await openCheckpointer({ name: NAME })
  const thread = checkpointer.thread('plain')
  await load(checkpointer, SMALL)
  const page = async (): Promise<void> => {
    const found: unknown[] = []
    for await (const each of thread.history({ limit: PAGE })) found.push(each)
    if (found.length !== PAGE) throw new Error(`${found.length} summaries came`)
  }
  const timings = await repeat(times, (i) =>
    both(i % 2 === 0, () => floor.range(steps - PAGE + 1, steps), page),
  )
  floor.close()
  await checkpointer.close()
  return timings
}

async function openBoth(): Promise<{ raw: Raw; checkpointer: Checkpointer; close: () => Promise<void> }> {
  const raw = await openRaw(NAIVE)
  await raw.get(SMALL)
  const checkpointer = await openCheckpointer({ name: NAME })
  await load(checkpointer, SMALL)
  const close = async (): Promise<void> => {
    raw.close()
    await checkpointer.close()
  }
  return { raw, checkpointer, close }
}

async function load(checkpointer: Checkpointer, id: string): Promise<unknown> {
  const found = await checkpointer.thread(id).load()
  if (!found) throw new Error(`there is no ${id}`)
  return found.state
}

async function both(
  rawFirst: boolean,
  raw: () => Promise<unknown>,
  forkpoint: () => Promise<unknown>,
): Promise<LoadTimings> {
  let first: Timing | undefined
  if (rawFirst) first = await calm(raw)
  const second = await calm(forkpoint)
  return { raw: first ?? (await calm(raw)), forkpoint: second }
}

async function calm(call: () => Promise<unknown>): Promise<Timing> {
  const timing = await timed(call)
  await pause(20)
  return timing
}

async function repeat<T>(times: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const done: T[] = []
  for (let i = 0; i < times; i++) done.push(await work(i))
  return done
}
