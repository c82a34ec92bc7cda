import * as fs from 'node:fs/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesStorage } from 'forkpoint/storage/files'
import { afterAll, expect, it } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'forkpoint-tidying-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const thread = (key: readonly string[]) => ({ table: 'threads', key, head: 'a thread', rank: 1 }) as const

it('a commit that was made is not said to have failed when nothing can be tidied up after it', async () => {
  let isFull = false
  const refuse = () => Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }))
  const failing: typeof fs = {
    ...fs,
    unlink: (path) => (isFull && String(path).endsWith('.jsonl') ? refuse() : fs.unlink(path)),
    rename: (from, to) => (isFull ? refuse() : fs.rename(from, to)),
  }
  const storage = filesStorage(failing, join(root, 'store'))
  // The second lives with the first, as a fork does.
  await storage.commit('p', { puts: [thread(['p', '']), thread(['fork', ''])] })
  isFull = true
  const deleted = await storage.commit('p', { deleteRanges: [{ table: 'threads', from: [], to: ['~'] }] })
  expect(deleted).toMatchObject({ ok: true })
  isFull = false
  expect(await storage.locate(['fork', ''])).toBeUndefined()
  expect(await storage.commit('q', { puts: [thread(['fork', ''])] })).toMatchObject({ ok: true })
  expect((await storage.locate(['fork', '']))?.partition).toBe('q')
  await storage.close()
})
