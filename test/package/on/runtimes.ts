import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { program, run, type Fixture } from '../support/ground.ts'

const CODE = `
import { openCheckpointer } from 'forkpoint'
import { memoryStorage } from 'forkpoint/storage/memory'
const store = await openCheckpointer({ name: 'there', storage: memoryStorage() })
const thread = store.thread('t')
await thread.save({ n: 1, at: new Date(0) })
const twin = await thread.fork({ edit: (state) => void state.n++ })
const { result } = await twin.run({}, ({ state, step }) => step('add', () => state.n + 1))
console.log((await thread.load()).state.n, (await twin.load()).state.n, result)
await store.close()
`

/** Outside of a browser, over memory. */
const on =
  (file: string, ...args: readonly string[]): Fixture =>
  async ({ folder }) => {
    writeFileSync(join(folder, 'there.mjs'), CODE)
    const said = await run(file, [...args, 'there.mjs'], folder)
    if (said.trim() !== '1 2 3') throw new Error(`It said ${said}`)
  }

export const node20 = on(program('node-20/bin/node'))
export const node22 = on(program('node-22/bin/node'))
export const node24 = on(program('node-24/bin/node'))
export const bun = on(program('@oven/bun-linux-x64/bin/bun'), 'run')
export const deno = on(
  program('@deno/linux-x64-glibc/deno'),
  'run',
  '--quiet',
  '--allow-read',
  '--allow-env',
  '--node-modules-dir=manual',
)
