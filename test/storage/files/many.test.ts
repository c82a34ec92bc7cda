import * as fs from 'node:fs/promises'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesStorage } from 'forkpoint/storage/files'
import { afterAll, expect, it } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'forkpoint-many-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

it('a list of many logs has few of them open at a time', async () => {
  const COUNT = 200
  const before = filesStorage(fs, join(root, 'store'))
  for (let i = 0; i < COUNT; i++)
    await before.commit(`p${i}`, { puts: [{ table: 'threads', key: [`t${i}`, ''], head: '{}', rank: i }] })
  await before.close()

  let open = 0
  let most = 0
  const counted: typeof fs = {
    ...fs,
    open: async (...about) => {
      const file = await fs.open(...about)
      most = Math.max(most, ++open)
      const close = file.close.bind(file)
      file.close = () => {
        open--
        return close()
      }
      return file
    },
  }
  const storage = filesStorage(counted, join(root, 'store'))
  const listed = await storage.list({ limit: 3 })
  expect(listed.map(({ key }) => key[0])).toEqual(['t199', 't198', 't197'])
  expect(await storage.partitions({ limit: COUNT + 1 })).toHaveLength(COUNT)
  expect(open).toBe(0)
  expect(most).toBeLessThanOrEqual(20)
  await storage.close()
})
