import type { Host } from '../operations/host.ts'
import type { IsLocked } from './locks-of.ts'

/**
 * For those who are served and whom no lock reaches: a lock that is held shows as a sign of life, another one each time
 * that they look.
 */
export function withLocksShown(host: Host, isLocked: IsLocked): Host {
  const sign = async (thread: string): Promise<string | undefined> =>
    (await isLocked(thread)) ? crypto.randomUUID() : undefined
  return {
    ...host,
    async leaseSign(request) {
      const shown = request.locked ? undefined : await sign(request.thread)
      return shown ?? host.leaseSign(request)
    },
    async takeLease(request) {
      const shown = request.locked || request.always ? undefined : await sign(request.thread)
      return shown === undefined ? host.takeLease(request) : { sign: shown }
    },
  }
}
