import { join } from 'node:path'
import { rolldown } from 'rolldown'
import type { Fixture } from '../support/ground.ts'
import { inWorkerd } from '../support/in-workerd.ts'

const CODE = `
import { openCheckpointer } from 'forkpoint'
import { durableObjectStorage } from 'forkpoint/storage/durable-object'
export class Family {
  constructor(state) { this.storage = state.storage }
  async fetch() {
    const store = await openCheckpointer({ name: 'there', storage: durableObjectStorage(this.storage) })
    await store.thread('t').save({ n: ((await store.thread('t').load())?.state.n ?? 0) + 1 })
    return new Response(String((await store.thread('t').load()).state.n))
  }
}
export default { fetch: (request, { FAMILY }) => FAMILY.get(FAMILY.idFromName('one')).fetch(request) }
`

/** In Cloudflare's runtime, in a Durable Object. */
export const workerd: Fixture = async ({ folder }) => {
  const bundle = await rolldown({
    input: 'there',
    cwd: folder,
    platform: 'browser',
    external: /^cloudflare:/,
    plugins: [
      {
        name: 'there',
        resolveId: (id) => (id === 'there' ? join(folder, 'worker-there.js') : null),
        load: (id) => (id === join(folder, 'worker-there.js') ? CODE : null),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  const durableObjects = { FAMILY: { className: 'Family', useSQLite: true } }
  await inWorkerd({ script: output[0].code, durableObjects }, async (url) => {
    for (const expected of ['1', '2']) {
      const said = await (await fetch(url)).text()
      if (said !== expected) throw new Error(`It said ${said}`)
    }
  })
}
