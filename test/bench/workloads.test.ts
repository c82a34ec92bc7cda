import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHost } from '../../src/operations/create-host.ts'
import {
  advance,
  advanceFrozen,
  firstState,
  freeze,
  messagesOf,
  newState,
  tokens,
  type AgentState,
} from './agent-loop.ts'
import { countingHost } from './counting-host.ts'
import { countingStorage } from './counting-storage.ts'
import { WORKLOADS, type Shape } from './workloads.ts'

const NOW = Date.UTC(2026, 0, 1)

/**
 * What each workload of the bench costs in messages, transactions, rows and bytes: exactly, as that depends on no machine.
 * A figure that has changed is a change of what a step costs: look whether it was meant, and take it over with `-u`.
 */
// Time stands still, so that no work rests in its midst, and what comes behind a save is done before the next one.
beforeEach(() => void vi.useFakeTimers({ now: NOW }))
afterEach(() => void vi.useRealTimers())

describe('exactly so many messages, transactions, rows and bytes', () => {
  it('for the chat of 500 steps, a load of it, a page of its history, a fork and a list', async () => {
    const { checkpointer, took } = await opened()
    await saves(checkpointer, 'main', WORKLOADS.chat.steps, 'chat')
    expect(took()).toMatchInlineSnapshot(
      `"500 messages, 22 reads of 836 rows, 505 commits of 1015 rows with 4675667 bytes"`,
    )
    await checkpointer.thread('main').load()
    expect(took()).toMatchInlineSnapshot(`"1 messages, 1 reads of 2 rows, 0 commits of 0 rows with 0 bytes"`)
    for await (const _ of checkpointer.thread('main').history({ limit: 50 }));
    expect(took()).toMatchInlineSnapshot(`"1 messages, 1 reads of 52 rows, 0 commits of 0 rows with 0 bytes"`)
    await checkpointer.thread('main').fork()
    expect(took()).toMatchInlineSnapshot(
      `"1 messages, 1 reads of 1 rows, 1 commits of 3 rows with 861 bytes"`,
    )
    for await (const _ of checkpointer.threads());
    expect(took()).toMatchInlineSnapshot(`"1 messages, 1 reads of 2 rows, 0 commits of 0 rows with 0 bytes"`)
  })

  it('for 200 steps with tools', async () => {
    const { checkpointer, took } = await opened()
    await saves(checkpointer, 'main', WORKLOADS.tools.steps, 'tools')
    expect(took()).toMatchInlineSnapshot(
      `"200 messages, 22 reads of 1788 rows, 201 commits of 603 rows with 8264059 bytes"`,
    )
  })

  it.each(['plain', 'frozen'] as const)(
    'for a state of 10 MB of which one field changes, %s',
    async (kind) => {
      const { checkpointer, took } = await opened()
      const thread = checkpointer.thread<AgentState>('main')
      let state = firstState('field')
      if (kind === 'frozen') state = freeze(state)
      await thread.save(state)
      took()
      for (let step = 1; step <= 20; step++) {
        state = (kind === 'frozen' ? advanceFrozen : advance)(state, step, [])
        await thread.save(state)
        await idle()
      }
      expect(took()).toMatchInlineSnapshot(
        `"20 messages, 0 reads of 0 rows, 20 commits of 40 rows with 12184 bytes"`,
      )
    },
  )

  it('for a hundred forks off step 100, of ten steps each', async () => {
    const { checkpointer, took } = await opened()
    const { at, count, steps } = WORKLOADS.tree.forks
    await saves(checkpointer, 'main', WORKLOADS.tree.steps, 'chat')
    took()
    for (let i = 0; i < count; i++) {
      const twin = await checkpointer.thread<AgentState>('main').fork({ at })
      const state = (await twin.load())?.state ?? newState()
      for (let step = at + 1; step <= at + steps; step++) await twin.save(advance(state, step))
    }
    await idle()
    expect(took()).toMatchInlineSnapshot(
      `"1200 messages, 201 reads of 2901 rows, 1100 commits of 2300 rows with 3600500 bytes"`,
    )
  })

  it('for an answer of 5,000 tokens, one a millisecond', async () => {
    // To take a lease takes a while.
    vi.useRealTimers()
    const { checkpointer, took } = await opened()
    let cost: string | undefined
    await checkpointer.thread('main').run({ initial: { text: '' } }, async (loop) => {
      async function* source(): AsyncGenerator<string> {
        for (const token of tokens(WORKLOADS.stream.steps)) {
          await vi.advanceTimersByTimeAsync(1)
          yield token
        }
      }
      vi.useFakeTimers({ now: NOW })
      took()
      for await (const _ of loop.stream('answer', source));
      cost = took()
      vi.useRealTimers()
    })
    expect(cost).toMatchInlineSnapshot(
      `"102 messages, 0 reads of 0 rows, 102 commits of 205 rows with 110317 bytes"`,
    )
  })

  it('for 50 threads of ten checkpoints, and a list of them', async () => {
    const { checkpointer, took } = await opened()
    for (let i = 0; i < 50; i++) await saves(checkpointer, `thread-${10 + i}`, 10, 'short')
    expect(took()).toMatchInlineSnapshot(
      `"500 messages, 151 reads of 0 rows, 501 commits of 1101 rows with 397839 bytes"`,
    )
    for await (const _ of checkpointer.threads({ limit: 50 }));
    expect(took()).toMatchInlineSnapshot(`"1 messages, 1 reads of 50 rows, 0 commits of 0 rows with 0 bytes"`)
  })

  it('to open, list the threads and load the latest of one', async () => {
    const storage = memoryStorage()
    const { checkpointer: writer } = await opened(storage)
    await saves(writer, 'main', 100, 'chat')
    const { checkpointer, took } = await opened(storage)
    expect(took()).toMatchInlineSnapshot(`"0 messages, 1 reads of 1 rows, 0 commits of 0 rows with 0 bytes"`)
    for await (const _ of checkpointer.threads());
    expect(took()).toMatchInlineSnapshot(`"1 messages, 1 reads of 1 rows, 0 commits of 0 rows with 0 bytes"`)
    await checkpointer.thread('main').load()
    expect(took()).toMatchInlineSnapshot(`"1 messages, 1 reads of 28 rows, 0 commits of 0 rows with 0 bytes"`)
  })

  it('to prune 1,000 checkpoints to 20', async () => {
    const { checkpointer, took } = await opened()
    await saves(checkpointer, 'main', 1000, 'short')
    took()
    await checkpointer.thread('main').prune({ keepLast: 20 })
    expect(took()).toMatchInlineSnapshot(
      `"1 messages, 9 reads of 1116 rows, 1 commits of 4 rows with 171606 bytes"`,
    )
  })
})

async function opened(over = memoryStorage()): Promise<{ checkpointer: Checkpointer; took: () => string }> {
  const { storage, counts } = countingStorage(over)
  const { host, calls } = countingHost(await createHost({ storage, onWarning: console.warn }))
  const checkpointer = await openCheckpointer({ name: 'counts', host })
  /** Since the last time. */
  const took = (): string => {
    const { reads, commits, rowsRead, rowsPut, bytesPut } = counts
    const told = `${calls.messages} messages, ${reads} reads of ${rowsRead} rows, ${commits} commits of ${rowsPut} rows with ${bytesPut} bytes`
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] = 0
    calls.messages = 0
    return told
  }
  return { checkpointer, took }
}

async function saves(checkpointer: Checkpointer, id: string, steps: number, shape: Shape): Promise<void> {
  const thread = checkpointer.thread<AgentState>(id)
  const state = newState()
  for (let step = 1; step <= steps; step++) {
    await thread.save(advance(state, step, messagesOf(step, shape)))
    await idle()
  }
}

/** Until compaction, which begins in a task of its own, has come to its end. */
const idle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1)
