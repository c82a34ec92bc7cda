import { openCheckpointer } from 'forkpoint'
import { checkpointerSuite, storageSuite } from 'forkpoint/testing'
import { afterAll } from 'vitest'
import { newFile, openFile } from './node-file.ts'

const files: { remove(): void }[] = []
afterAll(() => files.forEach((file) => file.remove()))

function fileOfThisTest(): string {
  const file = newFile()
  files.push(file)
  return file.path
}

storageSuite('node:sqlite', {
  async open() {
    const path = fileOfThisTest()
    const open = async () => openFile(path)
    return { storage: await open(), reopen: open, another: open }
  },
})

checkpointerSuite('node:sqlite', async () => {
  const path = fileOfThisTest()
  return {
    open: async (options = {}) => openCheckpointer({ name: path, storage: openFile(path), ...options }),
    storage: async () => openFile(path),
  }
})
