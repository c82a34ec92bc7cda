import { expect, it } from 'vitest'
import type { Host } from '../../src/operations/host.ts'
import { connect } from '../../src/worker/connect.ts'
import { serve } from '../../src/worker/serve.ts'
import { handedOver } from '../../src/worker/wire.ts'

const large = (): Uint8Array => new Uint8Array(10_000)

it('hands over the body of a save, and nothing of saves that may be sent again, wherever in the request', () => {
  const body = large()
  for (const request of [{ body }, { frame: { body } }]) {
    expect(handedOver('save', request)).toEqual([body.buffer])
    expect(handedOver('saveMany', request)).toEqual([])
  }
  expect(handedOver('saveMany', { saves: [{ frame: { body } }] })).toEqual([])
})

it('leaves what saveMany has sent to its sender, and takes the body of a save from it', async () => {
  const { port1, port2 } = new MessageChannel()
  const got: number[] = []
  const host: Partial<Host> = {
    async save({ frame }) {
      got.push(frame.body.length)
      return { saved: undefined }
    },
    async saveMany({ saves }) {
      got.push(...saves.map(({ frame }) => frame.body.length))
      return []
    },
    close: async () => {},
  }
  serve(port2, async () => host as Host)
  port2.start()
  port1.start()
  const there = await connect(port1, { name: 'n' }, { onWarning: () => {} })
  const [kept, given] = [large(), large()]
  const place = { thread: 't', namespace: '' }
  const save = (body: Uint8Array) => ({ ...place, key: 'k', createdAt: 1, fields: {}, frame: { body } })
  await there.saveMany({ ...place, saves: [save(kept)] })
  await there.save(save(given))
  expect(got).toEqual([10_000, 10_000])
  expect([kept.length, given.length]).toEqual([10_000, 0])
  await there.close()
  port1.close()
  port2.close()
})
