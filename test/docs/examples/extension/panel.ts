import { connectCheckpointer } from 'forkpoint/extension'
import type { Research } from './agent.ts'

const checkpointer = await connectCheckpointer()
const thread = checkpointer.thread<Research>('research')
if (!(await thread.latestRun()))
  void chrome.runtime.sendMessage({ questions: ['Is it alive?', 'Is it safe?', 'Is it done?'] })

for await (const event of thread.watch())
  // live, also over the deaths of the service worker
  if (event.type === 'state') document.body.textContent = event.checkpoint.state.answers.join(' ')
