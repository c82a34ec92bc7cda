import { describe } from 'vitest'
import { wantedBrowsers } from '../../../scripts/browsers.ts'
import { mainThings } from './main-things.ts'
import { moreThings } from './more-things.ts'
import { chats } from './support/chats.ts'

const isWanted = wantedBrowsers().includes('firefox')
if (!isWanted) console.log('the chat in Firefox: not tested, as FORKPOINT_BROWSERS does not name it')

describe.runIf(isWanted)('in Firefox', () => {
  const chat = chats('firefox')
  mainThings(chat)
  moreThings(chat)
})
