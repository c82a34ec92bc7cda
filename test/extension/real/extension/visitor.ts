/** A content script that has the store, as far as it is allowed. */
import { connectCheckpointer } from 'forkpoint/extension'
import { visit } from './visit.ts'

document.addEventListener('visit', () => {
  void connectCheckpointer({ name: 'shared' })
    .then((checkpointer) => visit(checkpointer, 'shared'))
    .catch(console.error)
})
