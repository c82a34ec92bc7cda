import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { doors, manifest, root } from '../../../scripts/doors.ts'

const MOST = 5 * 1024

const sources = new Map(doors.map(({ name, source }) => [name, root + source]))

/** What a page loads at once, minified and packed, with packages left out. */
async function bytesOf(code: string): Promise<number> {
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  const bundle = await rolldown({
    input: 'page',
    platform: 'browser',
    external: (id) => packages.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? id : sources.get(id)),
        load: (id) => (id === 'page' ? code : undefined),
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const loaded = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])))
  const atOnce = new Set(
    output.filter((file) => file.type === 'chunk' && file.isEntry).map((f) => f.fileName),
  )
  for (const name of atOnce) for (const each of loaded.get(name)?.imports ?? []) atOnce.add(each)
  return gzipSync([...atOnce].map((name) => loaded.get(name)?.code ?? '').join('')).length
}

it('adds at most 5 KB to a page, minified and packed', async () => {
  const page = `export { openCheckpointer } from 'forkpoint'\n`
  const without = await bytesOf(page)
  const added = (await bytesOf(`${page}export { ForkpointSaver } from 'forkpoint/langgraph'`)) - without
  console.log(`the saver adds ${added} bytes`)
  expect(added).toBeGreaterThan(1024)
  expect(added).toBeLessThanOrEqual(MOST)
})
