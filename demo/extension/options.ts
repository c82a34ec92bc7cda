/** The options page: the inspector, on the store of the service worker. */
import { connectCheckpointer } from 'forkpoint/extension'
import 'forkpoint/inspector'
import { byId, el } from './dom.ts'

const inspector = el('forkpoint-inspector')
const checkpointer = await connectCheckpointer()
for await (const { id } of checkpointer.threads({ limit: 1 })) inspector.thread = id
inspector.checkpointer = checkpointer
byId('place', HTMLElement).append(inspector)
