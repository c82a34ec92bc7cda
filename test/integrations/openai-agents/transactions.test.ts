import type { AgentInputItem } from '@openai/agents-core'
import { openCheckpointer, type Checkpointer } from 'forkpoint'
import { ForkpointSession } from 'forkpoint/openai-agents'
import { memoryStorage } from 'forkpoint/storage/memory'
import { beforeEach, expect, it } from 'vitest'

let checkpointer: Checkpointer
let session: ForkpointSession
beforeEach(async () => {
  checkpointer = await openCheckpointer({ name: 'sessions', storage: memoryStorage() })
  session = new ForkpointSession(checkpointer, 'trip')
})

const said = (content: string): AgentInputItem => ({ role: 'user', content })
const append = (operationId: string, ...items: AgentInputItem[]) => ({
  operationId,
  transaction: { type: 'append_items' as const, items },
})
const stored = async (): Promise<string> => JSON.stringify((await checkpointer.thread('trip').load())?.state)

it('of transactions no more is kept than what they are known again by', async () => {
  for (const word of ['first', 'second'])
    await session.applyHistoryTransaction(append(word, said(`${word}.`)))
  await session.replaceHistoryWithCompaction([said('both')])
  expect(await stored()).not.toContain('first.')
  await session.applyHistoryTransaction(append('second', said('second.')))
  await expect(session.applyHistoryTransaction(append('first', said('other')))).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  expect(await session.getItems()).toEqual([said('both')])
})

it('a session of many transactions stays as large as its items', async () => {
  const sizes: number[] = []
  for (let n = 1; n <= 1_200; n++) {
    await session.applyHistoryTransaction(append(`${n}`, said('word')))
    await session.popItem()
    if (n === 256 || n === 1_200) sizes.push((await stored()).length)
    // The latest are known again, whatever they are called.
    const [last, oldest] = [`${n}`, `${Math.max(1, n - 255)}`]
    if (n % 100 === 0)
      for (const id of [last, oldest]) await session.applyHistoryTransaction(append(id, said('word')))
  }
  expect(await session.getItems()).toEqual([])
  const [early = 0, late = 0] = sizes
  expect(late).toBeLessThan(3 * early)
})

it('a transaction is known again by what it says, in whatever order', async () => {
  const item = (at: number, isTurned = false): AgentInputItem => {
    const data = { at: new Date(at), raw: new Uint8Array([1, at]), left: undefined }
    const { at: when, raw } = data
    return { role: 'user', content: 'x', providerData: isTurned ? { raw, at: when } : data }
  }
  await session.applyHistoryTransaction(append('op', item(1)))
  await session.applyHistoryTransaction(append('op', item(1, true)))
  for (const other of [item(2), { ...item(1), content: 'y' } as AgentInputItem])
    await expect(session.applyHistoryTransaction(append('op', other))).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  expect(await session.getItems()).toHaveLength(1)
})

it('a session whose transactions were kept whole knows them still', async () => {
  const { operationId, transaction } = append('op', said('one'))
  await checkpointer
    .thread('trip')
    .save({ items: transaction.items, applied: { [operationId]: transaction } }, { node: 'transaction' })
  await session.applyHistoryTransaction({ operationId, transaction })
  await expect(session.applyHistoryTransaction(append('op', said('two')))).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  await session.applyHistoryTransaction(append('next', said('two')))
  await session.applyHistoryTransaction({ operationId, transaction })
  expect(await session.getItems()).toEqual([said('one'), said('two')])
})
