import { playwright } from '@vitest/browser-playwright'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { type Browser, findBrowser, wantedBrowsers } from './scripts/browsers.ts'
import { aliases } from './scripts/doors.ts'
import { bundledWorker } from './test/support/bundled-worker.ts'
import { webkitgtk } from './test/support/webkitgtk-provider.ts'

/** Browsers are opt-in here, so that a bare `npx vitest` needs none; `npm test` names them. */
const names = process.env['FORKPOINT_BROWSERS'] === undefined ? [] : wantedBrowsers()
const browsers = names.map((name) => {
  const browser = findBrowser(name)
  if (browser === undefined)
    throw new Error(`${name} was not found; \`npm run browsers -- --all\` installs it`)
  return browser
})

export default defineConfig({
  resolve: { alias: aliases },
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**', 'test/package/**', '**/node_modules/**'],
        },
      },
      ...browsers.map(inBrowser),
    ],
  },
})

function inBrowser(browser: Browser): TestProjectConfiguration {
  return {
    extends: true,
    // Found in the middle of a run, a dependency would make the page reload.
    optimizeDeps: {
      include: [
        '@langchain/core/messages',
        '@langchain/langgraph-checkpoint',
        '@langchain/langgraph-checkpoint-validation',
        '@langchain/langgraph/web',
        'comlink',
        'fast-check',
        'idb',
        'immer',
        'superjson',
      ],
    },
    worker: { format: 'es' },
    plugins: [bundledWorker()],
    test: {
      name: `in-${browser.name}`,
      include: ['test/browser/**/*.test.ts', 'test/state/**/*.test.ts'],
      // What a saver stands on is tested in every browser; its own long suite need not be.
      exclude: ['**/node_modules/**', ...(browser.name === 'chromium' ? [] : ['test/browser/langgraph/**'])],
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider: providerOf(browser),
        instances: [{ browser: browser.name, name: browser.name }],
      },
    },
  }
}

function providerOf({ name, path, driver }: Browser) {
  if (driver === 'webkitgtk') return webkitgtk({ miniBrowser: path })
  return playwright({
    launchOptions: {
      executablePath: path,
      ...(driver === 'bidi' && { channel: 'moz-firefox' }),
      // Answers the question for persistent storage, which nobody is there to be asked.
      ...(name === 'firefox' && {
        firefoxUserPrefs: {
          'dom.storageManager.prompt.testing': true,
          'dom.storageManager.prompt.testing.allow': true,
        },
      }),
    },
  })
}
