import { defineConfig } from 'vite'
import { aliases } from './scripts/doors.ts'

const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env
const hasScreen = process.platform !== 'linux' || DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined

/** The demo. The tests have their own configuration in vitest.config.ts. */
export default defineConfig({
  root: 'demo',
  base: './',
  resolve: { alias: aliases },
  worker: { format: 'es' },
  server: { open: hasScreen && process.stdout.isTTY && CI === undefined },
  build: { outDir: '../dist-demo', emptyOutDir: true, target: 'es2022' },
})
