import { expect, it } from 'vitest'
import type { Host, StoredWrite, SyncRow } from '../../src/operations/host.ts'
import type { Verb } from '../../src/operations/verbs.ts'
import { connect } from '../../src/worker/connect.ts'
import { handedOver } from '../../src/worker/handed-over.ts'
import { serve } from '../../src/worker/serve.ts'

const large = (): Uint8Array => new Uint8Array(10_000)
const place = { thread: 't', namespace: '' }
const checkpoint = (body: Uint8Array) => ({ key: 'k', createdAt: 1, fields: {}, frame: { body } })
const save = (body: Uint8Array) => ({ ...place, ...checkpoint(body) })
const write = (body: Uint8Array): StoredWrite => ({ taskId: 'a', index: 0, channel: 'c', body })
const info = { ...place, seq: 1, id: 'k', createdAt: 1, size: 1 } as unknown as SyncRow['info']
const row = (body: Uint8Array): SyncRow => ({ info, body, writes: [] })

it('hands over the state of a save and of a fork, and a piece of an import', () => {
  const body = large()
  for (const [verb, request] of [
    ['save', save(body)],
    ['fork', { first: checkpoint(body) }],
    ['importPage', { bytes: body }],
  ] as const)
    expect(handedOver(verb, request)).toEqual([body.buffer])
})

it('hands over nothing of what may be sent again, and nothing that is a part of more', () => {
  const requests: [Verb, unknown][] = [
    ['saveMany', { saves: [save(large())] }],
    ['putWrites', { writes: [write(large())] }],
    ['syncTake', { rows: [row(large())] }],
    ['save', { ...save(new Uint8Array(1)), writes: [write(large())] }],
    ['save', save(new Uint8Array(20_000).subarray(10_000))],
    ['fork', {}],
  ]
  for (const [verb, request] of requests) expect(handedOver(verb, request)).toEqual([])
})

it('leaves to its sender what may be sent again, and takes the body of a save from it', async () => {
  const { port1, port2 } = new MessageChannel()
  const got: number[] = []
  const note = (bodies: readonly { readonly body: Uint8Array }[]): void =>
    void got.push(...bodies.map(({ body }) => body.length))
  const host: Partial<Host> = {
    async save({ frame, writes = [] }) {
      note([frame, ...writes])
      return { saved: undefined }
    },
    async saveMany({ saves }) {
      note(saves.map(({ frame }) => frame))
      return []
    },
    async putWrites({ writes }) {
      note(writes)
      return { written: 1 }
    },
    async syncTake({ rows }) {
      note(rows)
      throw new Error('not here')
    },
    close: async () => {},
  }
  serve(port2, async () => host as Host)
  port2.start()
  port1.start()
  const there = await connect(port1, { name: 'n' }, { onWarning: () => {} })
  const [given, ...kept] = [large(), large(), large(), large(), large()] as const
  await there.save({ ...save(given), writes: [write(kept[0])] })
  await there.saveMany({ ...place, saves: [save(kept[1])] })
  await there.putWrites({ ...place, checkpoint: 1, writes: [write(kept[2])] })
  const about = { createdAt: 1 }
  const taken = there.syncTake({ ...place, about, rows: [row(kept[3])], heads: [], past: [], isLast: true })
  await expect(taken).rejects.toThrow()
  expect(got).toEqual([10_000, 10_000, 10_000, 10_000, 10_000])
  expect([given, ...kept].map(({ length }) => length)).toEqual([0, 10_000, 10_000, 10_000, 10_000])
  await there.close()
  port1.close()
  port2.close()
})
