import { mainThings } from './main-things.ts'
import { chats } from './support/chats.ts'

mainThings(chats())
