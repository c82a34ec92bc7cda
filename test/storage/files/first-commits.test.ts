import * as fs from 'node:fs/promises'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesStorage } from 'forkpoint/storage/files'
import { expect, it, onTestFinished } from 'vitest'

it('two that want one thread after a crash do not wait for each other, where its log has to be mended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-first-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'family-f.jsonl'), '{"torn')
  const looked = signal()
  const mends = signal()
  // One has the log and is about to mend it, when the other has just seen that it is torn.
  const mender = {
    ...fs,
    open: async (path: string, flags?: string) => {
      if (path.includes('/damaged/')) {
        mends.give()
        await looked.given
      }
      return fs.open(path, flags)
    },
  }
  const looker = {
    ...fs,
    open: async (path: string, flags?: string) => {
      const file = await fs.open(path, flags)
      if (path.endsWith('/family-f.jsonl')) setTimeout(looked.give, 50)
      return file
    },
  }
  const own = filesStorage(mender, folder, { onWarning: () => {} })
  const fork = filesStorage(looker, folder, { onWarning: () => {} })
  const puts = [{ table: 'threads' as const, key: ['f', ''], head: 'here', rank: 1 }]
  const first = own.commit('f', { puts })
  await mends.given
  const both = await Promise.all([first, fork.commit('a', { puts })])
  expect(both.filter(({ ok }) => ok)).toHaveLength(1)
  await own.close()
  await fork.close()
})

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => {}
  const given = new Promise<void>((resolve) => void (give = resolve))
  return { given, give: () => give() }
}
