import { isTaken } from '../errors.ts'
import type { Host } from '../operations/host.ts'
import { mapHost } from '../operations/verbs.ts'
import { Witness, type WitnessOptions } from './witness.ts'

/** The host, with its heads remembered outside of the database. */
export function witnessedHost(inner: Host, options: Omit<WitnessOptions, 'host'>): Host {
  const witness = new Witness({ ...options, host: inner })
  const host = told(inner, (error) => {
    if (isTaken(error)) witness.taken()
  })
  /** Beside what is done, and not after it: it takes no longer than a commit, and is done once. */
  const secured = async <T>(change: Promise<T>): Promise<T> =>
    (await Promise.all([change, witness.secured()]))[0]
  return {
    ...host,
    async save(request) {
      const reply = await secured(host.save(request))
      if (reply.saved) witness.note(request, reply.saved.seq, request.createdAt)
      return reply
    },
    async saveMany(request) {
      const reply = await secured(host.saveMany(request))
      const [at, last] = [request.saves[reply.length - 1]?.createdAt, reply.at(-1)]
      if (at !== undefined && last) witness.note(request, last.seq, at)
      return reply
    },
    async syncTake(request) {
      const at = Date.now()
      const reply = await secured(host.syncTake(request))
      if (reply.added > 0) witness.note(request, reply.next - 1, at)
      return reply
    },
    async fork(request) {
      const reply = await secured(host.fork(request))
      const { as, namespace, createdAt } = request
      witness.note({ thread: as, namespace }, reply.head.seq, createdAt)
      return reply
    },
    async copy(request) {
      await secured(host.copy(request))
      await witness.noteWhole([request.as], request.createdAt)
    },
    async importPage(request) {
      const at = Date.now()
      const reply = await secured(host.importPage(request))
      if (reply.imported) await witness.noteWhole(reply.imported.threads, at)
      return reply
    },
    async deleteThread(request) {
      const wasThere = await host.deleteThread(request)
      witness.forget(request.thread)
      return wasThere
    },
    async verify(request) {
      await witness.compared()
      return host.verify(request)
    },
    async repair(request) {
      await witness.compared()
      return host.repair(request)
    },
    async flush() {
      await host.flush()
      await witness.rest()
    },
    async rest() {
      await Promise.all([witness.rest(), host.rest()])
    },
    async close() {
      await witness.close()
      await host.close()
    },
    async destroy() {
      await witness.close()
      await witness.gone()
      await host.destroy()
      await witness.gone()
    },
  }
}

/** The host, with a word of what its calls are rejected with. */
const told = (inner: Host, onError: (error: unknown) => void): Host =>
  mapHost(inner, (run) => async (request) => {
    try {
      return await run(request)
    } catch (error) {
      onError(error)
      throw error
    }
  })
