import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { expect, it, onTestFinished } from 'vitest'
import { connectCheckpointer, type Sender } from 'forkpoint/extension'
import { aliases } from '../../scripts/doors.ts'
import { FakeExtension } from '../extension/fake-runtime.ts'
import { loadExtension } from '../extension/real/loaded.ts'

const folder = fileURLToPath(new URL('./examples/extension', import.meta.url))
const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8')
const document = readFileSync(new URL('../../docs/extension.md', import.meta.url), 'utf8')
const blocks = Array.from(document.matchAll(/^```(?:ts|json)\n([\s\S]*?)^```$/gm), ([, code = '']) =>
  code.replace(/^\/\/ [\w.]+\.ts\n/, ''),
)

/** `vite build && vite build --mode worker`, with this very package. */
async function buildAsTold({ outDir }: { readonly outDir: string }): Promise<void> {
  for (const mode of ['production', 'worker'])
    await build({
      root: folder,
      configFile: `${folder}/vite.config.ts`,
      mode,
      logLevel: 'error',
      resolve: { alias: aliases },
      worker: { format: 'es' },
      build: { outDir },
    })
}

it('shows what is run here', () => {
  expect(blocks).toEqual(
    ['agent.ts', 'worker.ts', 'panel.ts', 'public/manifest.json', 'vite.config.ts', 'allow.ts'].map(read),
  )
})

it('the extension works as it stands, also when its service worker dies', { timeout: 60_000 }, async () => {
  const extension = await loadExtension({ folder, build: buildAsTold })
  onTestFinished(() => extension.close())
  const panel = await extension.open('panel.html')
  await panel.getByText('Is it alive? Yes.').waitFor()
  await extension.stopWorker()
  await panel.getByText('Is it alive? Yes. Is it safe? Yes. Is it done? Yes.', { exact: true }).waitFor()
})

it('the rule lets a mail site have the thread of its tab, and no other', async () => {
  const extension = new FakeExtension()
  Object.assign(globalThis, { chrome: { runtime: extension.runtime() } })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'chrome'))
  await import('./examples/extension/allow.ts')
  const from = (sender: Sender) =>
    connectCheckpointer({ name: 'notes-of-tabs', runtime: extension.runtime({ id: 'own', ...sender }) })
  const mail = await from({ origin: 'https://mail.example', tab: { id: 7 } })
  await mail.thread('tab 7').save({ n: 1 })
  await expect(mail.thread('tab 8').load()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  const shop = await from({ origin: 'https://shop.example', tab: { id: 7 } })
  await expect(shop.thread('tab 7').load()).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
