import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CheckpointerEvent } from '../../src/checkpoint.ts'
import { localEvents, parseEvent, tabEvents } from '../../src/tabs/events.ts'

const place = { thread: fc.string(), namespace: fc.string() }
const seq = fc.nat()
const events: fc.Arbitrary<CheckpointerEvent> = fc.oneof(
  fc.record({ type: fc.constant('saved' as const), ...place, seq, id: fc.string() }),
  fc.record({ type: fc.constant('forked' as const), ...place, from: fc.string(), seq }),
  fc.record({ type: fc.constant('pruned' as const), ...place, seqs: fc.array(seq) }),
  fc.record({ type: fc.constant('deleted' as const), thread: fc.string() }),
  fc.record({ type: fc.constant('writes' as const), ...place, seq, taskId: fc.string() }),
)

const junk = fc.oneof(
  fc.anything({
    withMap: true,
    withDate: true,
    withTypedArray: true,
    withSparseArray: true,
    withBigInt: true,
  }),
  fc.constantFrom('constructor', 'toString', '__proto__', null, undefined, Number.NaN),
)

describe('parseEvent', () => {
  it('takes every event as it is', () => {
    fc.assert(
      fc.property(events, (event) => {
        expect(parseEvent(structuredClone(event))).toEqual(event)
      }),
    )
  })

  it('takes of a message no more than the fields of an event', () => {
    fc.assert(
      fc.property(events, fc.dictionary(fc.string(), junk), (event, more) => {
        expect(parseEvent({ ...more, ...event })).toEqual(event)
      }),
    )
  })

  it('takes nothing that lacks a field, or has one of another type', () => {
    fc.assert(
      fc.property(events, fc.nat(), junk, (event, nth, value) => {
        const names = Object.keys(event)
        const name = names[nth % names.length] ?? ''
        const { [name]: was, ...rest } = event as Record<string, unknown>
        expect(parseEvent(rest)).toBeUndefined()
        fc.pre(typeof value !== typeof was)
        expect(parseEvent({ ...event, [name]: value })).toBeUndefined()
      }),
    )
  })

  it('never throws, whatever is posted', () => {
    fc.assert(
      fc.property(junk, (message) => {
        parseEvent(message)
        expect(parseEvent({ type: message })).toBeUndefined()
      }),
    )
  })

  it('takes no list with holes for a list of numbers', () => {
    const seqs: number[] = [1]
    seqs[2] = 3
    expect(parseEvent({ type: 'pruned', thread: 't', namespace: '', seqs })).toBeUndefined()
  })
})

const kinds = { tabEvents: () => tabEvents(crypto.randomUUID()), localEvents }

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s', (kind) => {
  const event: CheckpointerEvent = { type: 'deleted', thread: 't' }

  it('goes on telling the others when a listener throws', async () => {
    const reported = vi.fn<(error: unknown) => void>()
    vi.stubGlobal('reportError', reported)
    onTestFinished(() => void vi.unstubAllGlobals())
    const name = crypto.randomUUID()
    // A channel does not hear itself: there are two ends.
    const [here, there] = kind === 'tabEvents' ? [tabEvents(name), tabEvents(name)] : same(localEvents())
    const broken = new Error('broken')
    there.subscribe(() => {
      throw broken
    })
    const heard = new Promise<CheckpointerEvent>((resolve) => void there.subscribe(resolve))
    here.publish(event)
    expect(await heard).toEqual(event)
    expect(reported).toHaveBeenCalledExactlyOnceWith(broken)
    here.close()
    there.close()
  })

  it('says nothing after close', async () => {
    const ends = kinds[kind]()
    const listener = vi.fn<() => void>()
    ends.subscribe(listener)
    ends.close()
    ends.publish(event)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(listener).not.toHaveBeenCalled()
  })
})

function same<T>(one: T): [T, T] {
  return [one, one]
}
