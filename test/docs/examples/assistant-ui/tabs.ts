import type { AssistantRuntime } from '@assistant-ui/react'
import type { ForkpointThreads } from 'forkpoint/assistant-ui'

/** Shows what other tabs do; call what it returns to stop. For an effect: `useEffect(() => followTabs(adapter, runtime))`. */
export function followTabs(adapter: ForkpointThreads, { thread, threads }: AssistantRuntime): () => void {
  return adapter.subscribe((news) => {
    if (news.type === 'list') return void threads.reload()
    const isShown = news.threadId === threads.mainItem.getState().remoteId
    // To load a thread again ends a run of this tab.
    if (isShown && !thread.getState().isRunning) void threads.reloadMainThread()
  })
}
