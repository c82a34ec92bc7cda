import { join } from 'node:path'
import { defineConfig } from 'vite'
import { chatPlugin } from './demo/chat/build/plugin.ts'
import { aliases, root } from './scripts/doors.ts'

const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env
const hasScreen = process.platform !== 'linux' || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined
const open = hasScreen && process.stdout.isTTY && CI === undefined
const folder = join(root, 'demo/chat')

const BASE =
  /vite\/preload-helper|\/src\/(errors|ids|part|platform\/(base64|bytes|locks|next-task|random|turns|unref)|state\/(json|json-bytes|slices\/pause)|storage\/escape-id|checkpointer\/new-id|tabs\/locks-of)\.ts$/

/** What the parts of a page that has a checkpointer have in common. */
const PAGE =
  /\/src\/(checkpointer\/((leases|states|threads|options|saving)\/.*|places|until-aborted|durability|left\/page-end|queue\/refusals|runs\/(linked-signal|(seen|watch)\/.*|journal\/(kept-error|entries)))|tabs\/(events|pause)|state\/(boxes|decode|capture|merge)\/.*|state\/(delta\/(pieces|fold|parse)|slices\/(piece|parse-text|parse))|platform\/on-abort|operations\/verbs|witness\/(witness-store|heads))\.ts$/

/** The demo. The tests have their own configuration in vitest.config.ts. */
export default defineConfig({
  root: folder,
  base: './',
  resolve: { alias: aliases },
  plugins: [chatPlugin(folder)],
  worker: { format: 'es' },
  server: { open },
  preview: { open },
  build: {
    outDir: '../../dist-demo',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What parts of the package begin with is one file: as a dozen of a few hundred bytes each it was more of both.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: BASE },
            { name: 'page', test: PAGE },
          ],
        },
      },
    },
  },
})
