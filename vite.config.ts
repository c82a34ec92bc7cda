import { join } from 'node:path'
import { defineConfig } from 'vite'
import { chatPlugin } from './demo/chat/build/plugin.ts'
import { aliases, root } from './scripts/doors.ts'

const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env
const hasScreen = process.platform !== 'linux' || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined
const open = hasScreen && process.stdout.isTTY && CI === undefined
const folder = join(root, 'demo/chat')

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
  },
})
