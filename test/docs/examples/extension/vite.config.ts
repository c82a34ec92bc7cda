import { defineConfig } from 'vite'

// A service worker cannot import() anything: it is one file.
const worker = {
  emptyOutDir: false,
  copyPublicDir: false,
  rolldownOptions: { input: 'worker.ts', output: { entryFileNames: 'worker.js', codeSplitting: false } },
}
const pages = { modulePreload: false as const, rolldownOptions: { input: ['panel.html'] } }

export default defineConfig(({ mode }) => ({ base: './', build: mode === 'worker' ? worker : pages }))
