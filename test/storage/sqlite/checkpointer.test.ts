import { openCheckpointer } from 'forkpoint'
import { checkpointerSuite } from 'forkpoint/testing'
import { filesOfTests, openFile } from './node-file.ts'

const newPath = filesOfTests()

checkpointerSuite('node:sqlite', async () => {
  const path = newPath()
  return {
    open: async (options = {}) => openCheckpointer({ name: path, storage: openFile(path), ...options }),
    storage: async () => openFile(path),
  }
})
