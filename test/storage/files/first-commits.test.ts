import * as fs from 'node:fs/promises'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Storage } from 'forkpoint'
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

it.each(['opened', 'written', 'cut off again'] as const)(
  'a first commit that could not be %s leaves nothing behind that takes the next one along',
  async (step) => {
    const folder = mkdtempSync(join(tmpdir(), 'forkpoint-first-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    let isFull = true
    const full = (): never => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    const narrow: typeof fs = {
      ...fs,
      open: (async (path: string, flags?: string) => {
        const file = await fs.open(path, flags)
        if (!isFull || flags !== 'w') return file
        if (step === 'opened') {
          await file.close()
          return full()
        }
        file.write = full
        if (step === 'cut off again') file.truncate = async () => full()
        return file
      }) as typeof fs.open,
    }
    const warnings: string[] = []
    const storage = (): Storage =>
      filesStorage(narrow, folder, { onWarning: ({ code }) => warnings.push(code) })
    const first = storage()
    const put = (table: 'threads' | 'meta', name: string) => [
      { table, key: [name, ''], head: name, ...(table === 'threads' ? { rank: 1 } : {}) },
    ]
    for (let tried = 0; tried < 2; tried++)
      await expect(first.commit('f', { puts: put('threads', 'f') })).rejects.toThrow()
    isFull = false
    const { ok } = await first.commit('f', { puts: put('meta', 'm') })
    await first.close()
    const next = storage()
    onTestFinished(() => next.close())
    const [rows = []] = await next.read('f', [{ table: 'meta', from: [], to: ['~'] }])
    expect([ok, rows.map(({ head }) => head)]).toEqual([true, ['m']])
    expect(warnings).toEqual([])
    expect((await next.commit('f', { puts: put('meta', 'n') })).ok).toBe(true)
  },
)

function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => {}
  const given = new Promise<void>((resolve) => void (give = resolve))
  return { given, give: () => give() }
}
