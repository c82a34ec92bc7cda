import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { doors, root } from '../../scripts/doors.ts'

const MOST = 40 * 1024

it('is at most 40 KB, minified and packed, of which almost nothing is loaded before it is shown', async () => {
  const door = doors.find(({ name }) => name === 'forkpoint/inspector')
  const bundle = await rolldown({ input: root + door?.source, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const sizes = output.map((file) => (file.type === 'chunk' ? gzipSync(file.code).length : 0))
  const all = sizes.reduce((sum, size) => sum + size, 0)
  const entry = output.findIndex((file) => file.type === 'chunk' && file.isEntry)
  console.log(`the inspector: ${all} bytes, ${sizes[entry]} of them at once`)
  expect(all).toBeLessThanOrEqual(MOST)
  expect(sizes[entry]).toBeLessThanOrEqual(1_500)
  // Nothing but its own: no framework, and nothing of the rest of the package.
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  expect(modules.filter((id) => !/src\/inspector(\.ts$|\/)|^\0/.test(id))).toEqual([])
})

it('can be imported where there are no elements', async () => {
  const { ForkpointInspector } = await import('forkpoint/inspector')
  expect(ForkpointInspector.observedAttributes).toEqual(['thread'])
})
