import { storageSuite } from 'forkpoint/testing'
import { filesOfTests, openFile } from './node-file.ts'

const newPath = filesOfTests()

storageSuite('node:sqlite', {
  async open() {
    const path = newPath()
    const open = async () => openFile(path)
    return { storage: await open(), reopen: open, another: open }
  },
})
