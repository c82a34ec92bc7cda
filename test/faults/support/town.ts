import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UnknownStep } from '../../../src/index.ts'
import { Effects, type Reply } from './effects.ts'

/** The site on loopback that an agent in an extension is sent to: all is counted that it does there, and told. */
export interface Town {
  readonly url: string
  readonly effects: Effects
  /** How many service workers have said that they have started. */
  starts: number
  /** What the side panel has shown of what each start has stored, and when. */
  readonly caught: { readonly at: number; readonly seq: number }[]
  /** What it has shown of the agent's own states. */
  readonly seen: { readonly at: number; readonly seq: number; readonly saved: number }[]
  readonly statuses: string[]
  /** So many steps may be done by now. */
  allowed: number
  /** How often the agent was cut off in the midst of what it did here. */
  cutOff: number
  close(): Promise<void>
}

type Answer = (about: never, isGone: () => boolean) => unknown
/** What the agent asks for, and waits for. */
const AT_WORK = new Set(['do', 'decide'])

export async function openTown(random: () => number): Promise<Town> {
  const town: Town = {
    url: '',
    effects: new Effects(),
    starts: 0,
    caught: [],
    seen: [],
    statuses: [],
    allowed: 0,
    cutOff: 0,
    close: async () => {},
  }
  const answers: Record<string, Answer> = {
    started: () => void town.starts++,
    caught: (caught: Town['caught'][number]) => void town.caught.push(caught),
    seen: (seen: Town['seen'][number]) => void town.seen.push(seen),
    run: ({ status }: { status: string }) => void town.statuses.push(status),
    decide: ({ step, token }: { step: UnknownStep; token: number }) => town.effects.decide(step, token),
    async do(call: Parameters<Effects['do']>[0], isGone): Promise<Reply | undefined> {
      while (Number(call.what.split(' ')[1]) > town.allowed) {
        if (isGone()) return undefined
        await sleep(20)
      }
      await sleep(random() * 300)
      // It may have come too late to be done, or only its answer may.
      if (isGone() && random() < 0.5) return undefined
      const reply = town.effects.do(call)
      await sleep(random() * 300)
      return reply
    },
  }
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    if (AT_WORK.has(name)) response.on('close', () => (town.cutOff += response.writableFinished ? 0 : 1))
    void (async () => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      const reply = await answers[name]?.(
        (body === '' ? {} : JSON.parse(body)) as never,
        () => response.destroyed,
      )
      response.setHeader('access-control-allow-origin', '*')
      response.end(JSON.stringify(reply ?? {}))
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(town, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
