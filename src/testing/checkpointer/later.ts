import { expect } from 'vitest'
import type { Checkpointer } from '../../checkpointer/checkpointer.ts'
import { CURRENT_FORMAT } from '../../storage/format-version.ts'
import { FAMILY_KEY } from '../../storage/keys.ts'
import type { Row } from '../../storage/storage.ts'
import { made, onRows } from './damage/rows.ts'
import { bytesOf, inPieces } from './furnished.ts'
import { listOf, range, rejection, talk, talks, expectStates, type Fresh, type Talk } from './ground.ts'
import { change, factsIn, rowsIn, type Facts } from './stored-rows.ts'

/** What a later version of the package has written into a database that this one may write to. */
export function laterLaws(fresh: Fresh): void {
  const law = onRows(fresh, true)

  law(
    'facts that are not known stay when their row is written again',
    async (checkpointer, storage, ground) => {
      await made(checkpointer)
      await checkpointer.close()
      const later = { n: 1 }
      const withLater = (facts: Facts): Facts => ({ ...facts, later })
      await change(storage, 'meta', (row) => row.key[0] === FAMILY_KEY[0], withLater)
      await change(storage, 'writes', () => true, withLater)
      await change(storage, 'checkpoints', () => true, withLater)
      await change(
        storage,
        'threads',
        () => true,
        (facts) => ({
          ...withLater(facts),
          segments: (facts['segments'] as Facts[]).map(withLater),
          head: withLater(facts['head'] as Facts),
        }),
      )
      const writer = await ground.open()
      const a = writer.thread<Talk>('a')
      await a.save(talk(9))
      await a.putWrites(9, 'task', [{ channel: 'c', value: 1 }])
      // What stood on it is put on another row.
      await a.deleteCheckpoints([3])
      await a.copy('copy')
      expect((await writer.verify()).problems).toEqual([])
      expect(await a.load(4)).not.toHaveProperty('later')
      await writer.flush()
      const ours = await factsIn(storage, 'threads', ({ key }) => key[0] === 'a')
      expect(ours).toMatchObject([{ later, segments: [{ later }] }])
      expect(await factsIn(storage, 'threads', ({ key }) => key[0] === 'copy')).toMatchObject([{ later }])
      const rows = await factsIn(storage, 'checkpoints', () => true)
      expect(rows.filter((facts) => facts['seq'] !== 9).every((facts) => 'later' in facts)).toBe(true)
      expect(await factsIn(storage, 'meta', ({ key }) => key[0] === FAMILY_KEY[0])).toMatchObject([{ later }])
      await expectTaken(writer)
    },
  )

  law(
    'a row of a later format is told, keeps nothing else from being read, and is never deleted',
    async (checkpointer, storage, ground) => {
      await made(checkpointer)
      await checkpointer.thread('beside').save({ n: 1 })
      await checkpointer.close()
      const [own] = await factsIn(storage, 'threads', ({ key }) => key[0] === 'a')
      const isFifth = ({ key }: Row): boolean => key[0] === own?.['lane'] && key[1] === 5
      await change(storage, 'checkpoints', isFifth, (facts) => facts, LATER)
      const warnings: string[] = []
      const reader = await ground.open({ onWarning: ({ code }) => warnings.push(code) })
      const thread = reader.thread<Talk>('a')
      for (const seq of range(5, 8)) await rejection(thread.load(seq), 'FORMAT_TOO_NEW')
      for (const seq of range(1, 4)) expect((await thread.load(seq))?.state).toEqual(talk(seq))
      const { problems } = await reader.verify()
      expect(new Set(problems.map(({ kind }) => kind))).toEqual(new Set(['newer']))
      expect(problems).toContainEqual(
        expect.objectContaining({ kind: 'newer', table: 'checkpoints', seq: 5 }),
      )
      expect((await reader.verify({ repair: true })).acts).toEqual([])
      await rejection(thread.delete(), 'FORMAT_TOO_NEW')
      await rejection(thread.deleteCheckpoints([4]), 'FORMAT_TOO_NEW')
      expect((await rowsIn(storage, 'checkpoints')).filter(isFifth)).toHaveLength(1)
      expect((await reader.usage()).threads).toBe(3)
      expect((await listOf(reader.threads())).map(({ id }) => id).sort()).toEqual(['a', 'beside', 'fork'])
      expect(warnings).toEqual([])
    },
  )

  law('a thread whose row is of a later format hides no other', async (checkpointer, storage, ground) => {
    await made(checkpointer)
    await checkpointer.thread('beside').save({ n: 1 })
    await checkpointer.close()
    await change(
      storage,
      'threads',
      ({ key }) => key[0] === 'fork',
      (facts) => facts,
      LATER,
    )
    const warnings: string[] = []
    const reader = await ground.open({ onWarning: ({ code }) => warnings.push(code) })
    expect((await listOf(reader.threads())).map(({ id }) => id).sort()).toEqual(['a', 'beside'])
    expect(warnings).toEqual(['FORMAT_TOO_NEW'])
    expect((await reader.usage()).threads).toBe(3)
    await rejection(reader.thread('fork').load(), 'FORMAT_TOO_NEW')
    // It shows some of these, and nobody here knows which.
    await rejection(reader.thread('a').delete(), 'FORMAT_TOO_NEW')
    await expectStates(reader.thread<Talk>('a'), talks(range(1, 8)))
    const { problems, acts } = await reader.verify({ repair: true })
    expect(problems).toMatchObject([{ kind: 'newer', table: 'threads', thread: 'fork' }])
    expect(acts).toEqual([])
  })
}

/** Whatever it is, it is not ours to sum. */
const LATER = `${CURRENT_FORMAT + 1}.00000000.`

/** What others do not know either is not given to them. */
async function expectTaken(checkpointer: Checkpointer): Promise<void> {
  const file = await bytesOf(checkpointer.export())
  const { threads } = await checkpointer.import(inPieces(file), { onConflict: 'rename' })
  expect(threads).toHaveLength(3)
  expect((await checkpointer.thread<Talk>('a-2').load())?.state).toEqual(talk(9))
  expect((await checkpointer.verify()).problems).toEqual([])
}
