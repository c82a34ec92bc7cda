import { isExtensionPage, serveCheckpointer } from 'forkpoint/extension'
import { opened } from './opened.ts'

serveCheckpointer(opened, {
  name: 'notes-of-tabs', // connectCheckpointer({ name: 'notes-of-tabs' }) reaches this one
  allow: (sender, verb, thread) =>
    isExtensionPage(sender) || // all that is allowed when you say nothing
    (sender.origin === 'https://mail.example' && (verb === 'connect' || thread === `tab ${sender.tab?.id}`)),
})
