import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const oxlint = join(root, 'node_modules/.bin/oxlint')

interface Finding {
  readonly code: string
  readonly filename: string
}

/** Each breaks the direction of the house in its own way: where it is written, and what it says. */
const wrong: readonly (readonly [file: string, code: string])[] = [
  ['src/checkpoint.ts', `export type { Json } from './state/json.ts'`],
  ['src/errors.ts', `export { openDB } from 'idb'`],
  ['src/state/reads-storage.ts', `export { keys } from '../storage/keys.ts'`],
  ['src/state/uses-engine.ts', `export { openDB } from 'idb'`],
  ['src/state/delta/looks-up.ts', `export { BOX } from '../boxes/shell.ts'`],
  ['src/state/boxes/walks.ts', `export { Walk } from '../capture/walk.ts'`],
  ['src/state/capture/merges.ts', `export { merge } from '../merge/merge.ts'`],
  ['src/state/decode/captures.ts', `export { encode } from '../capture/encode.ts'`],
  ['src/state/slices/captures.ts', `export { encode } from '../capture/encode.ts'`],
  ['src/state/merge/decodes.ts', `export { decode } from '../decode/decode.ts'`],
  ['src/state/capture/uses-superjson.ts', `export { SuperJSON } from 'superjson'`],
  ['src/storage/memory.ts', `export { save } from '../operations/saving/save.ts'`],
  ['src/storage/encodes.ts', `export { encode } from '../state/encode.ts'`],
  ['src/storage/indexeddb/names-adapter.ts', `export { memoryStorage } from '../memory.ts'`],
  ['src/storage/sqlite/uses-engine.ts', `export { DatabaseSync } from 'node:sqlite'`],
  ['src/storage/postgres/uses-engine.ts', `export { Pool } from 'pg'`],
  ['src/storage/redis/names-adapter.ts', `export { sqliteStorage } from '../sqlite.ts'`],
  ['src/storage/deno-kv/names-adapter.ts', `export { sqliteStorage } from '../sqlite.ts'`],
  ['src/storage/files/uses-engine.ts', `export { open } from 'node:fs/promises'`],
  ['src/storage/files/lock/logs.ts', `export { readLog } from '../log/log.ts'`],
  ['src/storage/indexeddb/sessions/names-adapter.ts', `export { memoryStorage } from '../../memory.ts'`],
  ['src/storage/adapter/names-adapter.ts', `export { memoryStorage } from '../memory.ts'`],
  ['src/storage/keys.ts', `export { memoryStorage } from './memory.ts'`],
  ['src/storage/storage.ts', `export type { IDBPDatabase } from 'idb'`],
  ['src/operations/names-adapter.ts', `export { memoryStorage } from '../storage/memory.ts'`],
  ['src/operations/names-adapter-type.ts', `export type { IndexedDb } from '../storage/indexeddb.ts'`],
  ['src/operations/names-adapter-lazily.ts', `export const load = () => import('../storage/indexeddb.ts')`],
  ['src/operations/rows/names-adapter.ts', `export { memoryStorage } from '../../storage/memory.ts'`],
  ['src/operations/rows/reads.ts', `export { readFamily } from '../store/family.ts'`],
  ['src/operations/retention/rebases.ts', `export { compactSoon } from '../frames/compact.ts'`],
  ['src/operations/removal/read/rebases.ts', `export { rebase } from '../write/rebase.ts'`],
  ['src/operations/removal/write/chooses.ts', `export { toRemove } from '../rules.ts'`],
  ['src/operations/sync/carries.ts', `export { exportPage } from '../carry/carry.ts'`],
  ['src/operations/store/runs-verb.ts', `export { save } from '../saving/save.ts'`],
  ['src/operations/carry/export/imports.ts', `export { Importer } from '../import/importer.ts'`],
  ['src/operations/uses-engine.ts', `export { openDB } from 'idb'`],
  ['src/operations/uses-wire.ts', `export { wrap } from 'comlink'`],
  ['src/operations/looks-up.ts', `export type { Thread } from '../checkpointer/thread.ts'`],
  ['src/operations/uses-door.ts', `export { openCheckpointer } from '../index.ts'`],
  ['src/checkpointer/runs-verb.ts', `export { save } from '../operations/saving/save.ts'`],
  ['src/checkpointer/makes-host.ts', `export { createHost } from '../operations/host.ts'`],
  ['src/checkpointer/uses-host.ts', `import { createHost } from '../operations/host.ts'\ncreateHost()`],
  ['src/checkpointer/names-adapter.ts', `export { indexedDb } from '../storage/indexeddb.ts'`],
  ['src/checkpointer/threads/runs-verb.ts', `export { save } from '../../operations/saving/save.ts'`],
  ['src/checkpointer/options/captures.ts', `export { capture } from '../states/capture.ts'`],
  ['src/checkpointer/states/looks-up.ts', `export type { Thread } from '../threads/load.ts'`],
  [
    'src/checkpointer/leases/uses-host.ts',
    `import { createHost } from '../../operations/host.ts'\ncreateHost()`,
  ],
  ['src/checkpointer/runs/watch/leases.ts', `export { Turn } from '../ground/turn.ts'`],
  ['src/checkpointer/runs/journal/leases.ts', `export type { Lease } from '../../leases/lease.ts'`],
  ['src/checkpointer/runs/ground/reads.ts', `export { Book } from '../journal/book.ts'`],
  ['src/checkpointer/runs/steps/begins.ts', `export { begin } from '../begin.ts'`],
  ['src/checkpointer/runs/seen/runs.ts', `export { Steps } from '../steps/steps.ts'`],
  ['src/checkpointer/runs/streams/looks-up.ts', `export type { Thread } from '../../threads/thread.ts'`],
  ['src/checkpointer/uses-wire.ts', `export { wrap } from 'comlink'`],
  ['src/remote/fetches.ts', `export { remoteHost } from '../client/remote-host.ts'`],
  ['src/server/opens.ts', `export { openCheckpointer } from '../index.ts'`],
  ['src/server/stores.ts', `export { memoryStorage } from '../storage/memory.ts'`],
  ['src/extension/stores.ts', `export { indexedDbStorage } from '../storage/indexeddb.ts'`],
  ['src/client/serves.ts', `export { createHandler } from '../server/handler.ts'`],
  ['src/worker/connect.ts', `export { indexedDb } from '../storage/indexeddb.ts'`],
  ['src/worker/uses-facade.ts', `export { Thread } from '../checkpointer/thread.ts'`],
  ['src/tabs/uses-facade.ts', `export { Thread } from '../checkpointer/thread.ts'`],
  ['src/tabs/names-adapter.ts', `export { indexedDb } from '../storage/indexeddb.ts'`],
  ['src/witness/uses-facade.ts', `export { Thread } from '../checkpointer/thread.ts'`],
  ['src/witness/makes-keys.ts', `export { threadKey } from '../storage/keys.ts'`],
  ['src/witness/makes-host.ts', `export { createHost } from '../operations/host.ts'`],
  [
    'src/integrations/makes.ts',
    `import { Checkpointer } from '../checkpointer/checkpointer.ts'\nnew Checkpointer()`,
  ],
  ['src/integrations/counts.ts', `export { OpenCalls } from '../checkpointer/open-calls.ts'`],
  ['src/integrations/store/other.ts', `export { x } from '../langgraph/saver.ts'`],
  ['src/integrations/langgraph/opens.ts', `export { openCheckpointer } from '../../index.ts'`],
  [
    'src/integrations/langgraph/serialised/encodes.ts',
    `export type { Codec } from '../../../state/codec.ts'`,
  ],
  ['src/integrations/langgraph/encodes.ts', `export type { Codec } from '../../state/codec.ts'`],
  [
    'src/integrations/langgraph/neighbour.ts',
    `export { ForkpointSession } from '../openai-agents/session.ts'`,
  ],
  ['src/integrations/framework.ts', `export { save } from '../operations/saving/save.ts'`],
  ['src/inspector/opens.ts', `export { openCheckpointer } from '../index.ts'`],
  ['src/inspector/values/encodes.ts', `export { encode } from '../../state/encode.ts'`],
  ['src/inspector/graph/acts.ts', `export { askFork } from '../acts/fork-dialog.ts'`],
  ['src/inspector.ts', `export type { Host } from './operations/host.ts'`],
  ['src/testing/suite.ts', `export { memoryStorage } from '../storage/memory.ts'`],
  ['demo/chat/main.ts', `export { openCheckpointer } from '../../src/index.ts'`],
  ['demo/chat/engine.ts', `export { openDB } from 'idb'`],
]

const right: readonly (readonly [file: string, code: string])[] = [
  [
    'src/state/boxes/leaf.ts',
    `export { CheckpointerError } from '../../errors.ts'\nexport { SuperJSON } from 'superjson'`,
  ],
  ['src/storage/indexeddb.ts', `export { openDB } from 'idb'\nexport type { Key } from './storage.ts'`],
  [
    'src/storage/indexeddb/commit.ts',
    `export { unwrap } from 'idb'\nexport type { Key } from '../storage.ts'`,
  ],
  ['src/storage/sqlite/writes.ts', `export { refuseTooLarge } from '../adapter/limits.ts'`],
  ['src/storage/postgres/pg-storage.ts', `export { Calls } from '../adapter/calls.ts'`],
  [
    'src/operations/reading/load.ts',
    `export { keys } from '../../storage/keys.ts'\nexport { seal } from '../rows/seal.ts'`,
  ],
  ['src/operations/removal/write/sweep.ts', `export { LaneRows } from '../read/lane-rows.ts'`],
  ['src/storage/files/log/write.ts', `export { Lock } from '../lock/lock.ts'`],
  ['src/integrations/langgraph/writes/writes.ts', `export { toForm } from '../serialised/form.ts'`],
  ['src/operations/sync/take.ts', `export { Draft } from '../saving/draft.ts'`],
  [
    'src/operations/rows/seal.ts',
    `export { setOwn } from '../../state/json.ts'\nexport type { Host } from '../host.ts'`,
  ],
  ['src/checkpointer/thread.ts', `export type { Host } from '../operations/host.ts'`],
  [
    'src/worker/worker.ts',
    `export { indexedDb } from '../storage/indexeddb.ts'\nexport { expose } from 'comlink'`,
  ],
  ['src/worker/in-process.ts', `export const load = () => import('../storage/indexeddb.ts')`],
  [
    'src/integrations/store/storage.ts',
    `export { checkOptions } from '../../checkpointer/options/options.ts'\nexport { Latest } from '../shared/latest.ts'`,
  ],
  [
    'src/integrations/langgraph/saver.ts',
    `export type { Thread } from '../../checkpointer/thread.ts'\nexport { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint'`,
  ],
  [
    'src/integrations/openai-agents/session.ts',
    `export { changeHead } from '../shared/change-head.ts'\nexport type { Session } from '@openai/agents-core'`,
  ],
  [
    'src/inspector/graph/rows.ts',
    `export type { CheckpointInfo } from '../../index.ts'\nexport { line } from '../text/shown.ts'`,
  ],
  ['src/index.ts', `export { memoryStorage } from './storage/memory.ts'`],
  ['demo/chat/page.ts', `export { openCheckpointer } from 'forkpoint'`],
]

/** Wrong for another reason than the direction; the rule that must see it. */
const faults: readonly (readonly [file: string, code: string, rule: string])[] = [
  [
    'src/tabs/first.ts',
    `import { b } from './second.ts'\nexport const a = (): number => b()`,
    'import(no-cycle)',
  ],
  [
    'src/tabs/second.ts',
    `import { a } from './first.ts'\nexport const b = (): number => a()`,
    'import(no-cycle)',
  ],
  [
    'src/state/any.ts',
    `export const parse = (text: string): any => JSON.parse(text)`,
    'typescript(no-explicit-any)',
  ],
  [
    'src/state/floating.ts',
    `const later = async (): Promise<number> => 1\nexport const go = (): void => {\n  later()\n}`,
    'typescript(no-floating-promises)',
  ],
]

describe('the house', () => {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-house-'))
  let findings: Finding[] = []

  beforeAll(() => {
    for (const file of ['.oxlintrc.json', 'tsconfig.json']) copyFileSync(join(root, file), join(folder, file))
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const [file, code] of [...wrong, ...right, ...faults]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), code + '\n')
    }
    findings = lint(folder)
  }, 300_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const rulesBrokenBy = (file: string): string[] =>
    findings.filter(({ filename }) => filename === file).map(({ code }) => code)

  it.each(wrong)('refuses %s: %s', (file) => {
    expect(rulesBrokenBy(file)).toContain('eslint(no-restricted-imports)')
  })

  it.each(right)('accepts %s', (file) => {
    expect(rulesBrokenBy(file)).toEqual([])
  })

  it.each(faults)('refuses %s', (file, _code, rule) => {
    expect(rulesBrokenBy(file)).toContain(rule)
  })

  it('stands as it is in src/ and demo/', () => {
    expect(lint(root)).toEqual([])
  }, 300_000)
})

function lint(cwd: string): Finding[] {
  const args = ['--type-aware', '--format=json', '--no-error-on-unmatched-pattern', 'src', 'demo']
  const { stdout, stderr } = spawnSync(oxlint, args, { cwd, encoding: 'utf8' })
  try {
    const { diagnostics }: { diagnostics: Finding[] } = JSON.parse(stdout)
    return diagnostics
  } catch (cause) {
    throw new Error(`oxlint said: ${stderr}${stdout.slice(0, 1000)}`, { cause })
  }
}

it('tracks no file that is made', () => {
  const { stdout, stderr } = spawnSync('git', ['ls-files', '--cached', '--ignored', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stdout + stderr).toBe('')
})
