import { playwright } from '@vitest/browser-playwright'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { type Browser, findBrowser, wantedBrowsers } from './scripts/browsers.ts'
import { aliases } from './scripts/doors.ts'
import { bundledPages } from './test/support/bundled-pages.ts'
import { bundledWorker } from './test/support/bundled-worker.ts'
import { slowAnswers } from './test/support/slow-answers.ts'
import { webkitgtk } from './test/support/webkitgtk-provider.ts'

/** Browsers are opt-in here, so that a bare `npx vitest` needs none; `npm test` names them. */
const names = process.env['FORKPOINT_BROWSERS'] === undefined ? [] : wantedBrowsers()
const browsers = names.map((name) => {
  const browser = findBrowser(name)
  if (browser === undefined)
    throw new Error(`${name} was not found; \`npm run browsers -- --all\` installs it`)
  return browser
})

/** Left to `npm test -- --all`, as that says. */
const leftOut = (process.env['FORKPOINT_LEAVE_OUT'] ?? '').split(',').filter((file) => file !== '')

/** Real faults in real browsers, which are started and killed: when all else is over, three at a time. */
const PROOFS = 'test/faults/short/in-browsers.test.ts'
const shortProofs: TestProjectConfiguration = {
  extends: true,
  test: {
    name: 'proofs',
    include: [PROOFS],
    exclude: leftOut,
    maxConcurrency: 3,
    sequence: { groupOrder: 3 },
  },
}

/** By `npm run test:engines`, which sees to what they need. */
const onEngines: TestProjectConfiguration = {
  extends: true,
  test: {
    name: 'engines',
    include: ['test/engines/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // Each row goes through a process of its own, beside those of other engines.
    testTimeout: 120_000,
  },
}

/**
 * In browsers: beside all the others two processors may be taken for seconds. Who needed another try is named at the end.
 * Not a property, which another try holds against other examples.
 */
const TRIES_AGAIN = { count: 2, condition: /^(?!Property failed)/ }

/** A person's steps through real pages: tests of what is shown, on whatever machine. Nothing that must never happen once is here. */
const PAGES = ['test/demo/**', 'test/inspector/**', 'test/extension/real/**', 'test/remote/real/**']

export default defineConfig({
  resolve: { alias: aliases },
  test: {
    // Most tests on Node wait, for locks, leases and timers.
    maxWorkers: 4,
    // What takes ten seconds of a processor alone may take four times that beside three others.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for comes at once, except where two processors are taken.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...PAGES,
            PROOFS,
            'test/browser/**',
            'test/engines/**',
            'test/package/**',
            '**/node_modules/**',
            ...leftOut,
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'pages',
          environment: 'node',
          include: PAGES.map((folder) => `${folder}/*.test.ts`),
          exclude: ['**/node_modules/**', ...leftOut],
          retry: TRIES_AGAIN,
          // Each has a browser of its own: not beside the others.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      ...(process.env['FORKPOINT_ENGINES'] === undefined ? [] : [onEngines]),
      shortProofs,
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
        '@ai-sdk/react',
        '@assistant-ui/react',
        '@assistant-ui/react-ai-sdk',
        '@langchain/core/messages',
        '@langchain/langgraph-checkpoint',
        '@langchain/langgraph-checkpoint-validation',
        '@langchain/langgraph/web',
        '@tanstack/ai-client',
        'ai',
        'ai/test',
        'comlink',
        'fast-check',
        'idb',
        '@openai/agents-core',
        '@openai/agents-core/testing',
        'immer',
        'react',
        'react-dom/client',
        'redux',
        'redux-persist',
        'superjson',
        'xstate',
        'zod',
        'zustand/middleware',
        'zustand/vanilla',
      ],
    },
    worker: { format: 'es' },
    plugins: [slowAnswers(), bundledWorker(), bundledPages()],
    test: {
      name: `in-${browser.name}`,
      // The laws that run here run on Node as well, where none is tried again.
      retry: TRIES_AGAIN,
      // Not three browsers beside each other.
      sequence: { groupOrder: browser.name === 'chromium' ? 0 : 2 },
      include: ['test/browser/**/*.test.ts', 'test/state/**/*.test.ts'],
      // What a saver stands on is tested in every browser; its own long suite need not be.
      exclude: [
        '**/node_modules/**',
        ...leftOut,
        ...(browser.name === 'chromium' ? [] : ['test/browser/langgraph/suite.test.ts']),
      ],
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
