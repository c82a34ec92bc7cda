import { transfer } from 'comlink'
import { CheckpointerError } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import { makeHost, onlyReads, type Verb } from '../operations/verbs.ts'
import { handedOver } from './handed-over.ts'
import { GRACE, Line, type Ear } from './line.ts'
import { showPresence, type Presence } from './presence.ts'
import type { WorkerLike } from './start.ts'
import { fromWire, PROTOCOL, type OpenMessage, type WireReply } from './wire.ts'

/**
 * A host at the other end of a port. Rejects with `WORKER_LOST` when nobody answers there; so do all its calls, once
 * it is lost.
 */
export async function connect(worker: WorkerLike, message: OpenMessage, ear: Ear): Promise<Host> {
  let presence: Presence | undefined
  const line = new Line(worker, { ...ear, onHungUp: () => presence?.letGo() })
  try {
    const { protocol } = await line.hello()
    if (protocol !== PROTOCOL)
      throw new CheckpointerError(
        'UNSUPPORTED',
        `The worker speaks version ${protocol} of the wire, this page ${PROTOCOL}. Reload the page.`,
      )
    // A worker of the page's own ends with it; what is behind a port may serve others too.
    if (!worker.terminate) presence = await showPresence()
    valueOf(await line.ask((remote) => remote.open({ ...message, presence: presence?.name })))
  } catch (error) {
    // It may be closing what it had opened: in WebKit, a worker that ends in the midst of that leaves it open for ever.
    line.hangUp(GRACE)
    presence?.letGo()
    if (CheckpointerError.is(error)) throw error
    throw new CheckpointerError(
      'WORKER_LOST',
      'What answers there is not the worker of this package: its script is forkpoint/worker, of the same version.',
      {
        cause: error,
      },
    )
  }
  const call =
    (verb: Verb) =>
    async (request: unknown = {}): Promise<unknown> => {
      let sent = false
      try {
        const reply = await line.ask((remote) => {
          sent = true
          return remote.call(verb, transfer(request, handedOver(verb, request)))
        })
        return valueOf(reply)
      } catch (error) {
        if (!CheckpointerError.is(error))
          throw new CheckpointerError('FAILED', `The worker could not be asked: ${String(error)}`, {
            cause: error,
          })
        if (error.code !== 'WORKER_LOST') throw error
        const outcome = !sent || onlyReads(verb) ? 'none' : 'unknown'
        throw new CheckpointerError(
          'WORKER_LOST',
          `${error.message} ${outcome === 'unknown' ? 'The change may have been made or not.' : ''}`.trim(),
          { outcome, cause: error },
        )
      }
    }
  const host = makeHost(call)
  return {
    ...host,
    async close() {
      try {
        await host.close()
      } catch (error) {
        // A worker that has died has let go of everything.
        if (!CheckpointerError.is(error, 'WORKER_LOST')) throw error
      } finally {
        line.hangUp(GRACE)
      }
    },
    async destroy() {
      await host.destroy()
      // What is refused leaves it open, to be closed.
      line.hangUp(GRACE)
    },
  }
}

function valueOf(reply: WireReply): unknown {
  if (reply.error) throw fromWire(reply.error)
  return reply.value
}
