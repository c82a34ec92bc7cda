import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { doors, manifest, root } from '../../../scripts/doors.ts'
import { run, type Fixture } from '../support/ground.ts'

const tsc = join(root, 'node_modules/.bin/tsc')
const strictly = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmitOnError: true,
} as const

/** As bundlers and as Node resolve them. Leaves plain/main.js behind, for those who take JavaScript. */
export const types: Fixture = async ({ folder }) => {
  const compilerOptions = {
    ...strictly,
    target: 'ESNext',
    lib: ['ESNext', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    types: [],
    outDir: 'plain',
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['main.ts', 'service-worker.ts'] }),
  )
  await run(tsc, ['--project', folder], folder)
  const forNode = ['--module', 'nodenext', '--moduleResolution', 'nodenext', '--noEmit']
  await run(tsc, ['--project', folder, ...forNode], folder)
}

/** For these a page, or a package that is a peer, has to be there. */
const NOT_ON_NODE = /\/(?:inspector|langgraph|ai-sdk|assistant-ui|openai-agents|xstate|testing)$/

/** Every door that needs no package beside this one, in a project for Node: without the types of the DOM. */
export const nodeTypes: Fixture = async ({ folder }) => {
  for (const name of ['@types/node', 'undici-types'])
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  const names = doors.map(({ name }) => name).filter((name) => !NOT_ON_NODE.test(name))
  if (names.length < 10) throw new Error(`Of ${doors.length} doors only ${names.length} were tried`)
  const code = names.map((name, i) => `import * as door${i} from '${name}'\nexport { door${i} }\n`).join('')
  writeFileSync(
    join(folder, 'on-node.ts'),
    `${code}import { openCheckpointer } from '${manifest.name}'
import { memoryStorage } from '${manifest.name}/storage/memory'
const store = await openCheckpointer({ name: 'there', storage: memoryStorage() })
for await (const { state } of store.thread<{ n: number }>('t').history({ states: true })) state.n satisfies number
`,
  )
  const compilerOptions = {
    ...strictly,
    target: 'ES2023',
    lib: ['ES2023'],
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
  }
  const project = join(folder, 'tsconfig.node.json')
  writeFileSync(project, JSON.stringify({ compilerOptions, files: ['on-node.ts'] }))
  await run(tsc, ['--project', project], folder)
}
