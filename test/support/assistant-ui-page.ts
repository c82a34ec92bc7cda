/** A page of docs/assistant-ui.md, in which somebody does something, and which tells at any time what it shows. */
import type { AssistantClient } from '@assistant-ui/react'
import { chat } from '../docs/examples/assistant-ui/chat.ts'

export type Deed =
  | { readonly do: 'ask'; readonly text: string }
  | { readonly do: 'ask and leave'; readonly text: string }
  | { readonly do: 'ask and delete'; readonly text: string }
  | { readonly do: 'edit'; readonly at: number; readonly text: string }
  | { readonly do: 'regenerate'; readonly at: number }
  | { readonly do: 'switch branch' | 'switch to the next branch'; readonly at: number }
  | { readonly do: 'delete message'; readonly at: number }
  | { readonly do: 'open thread'; readonly at: number }
  | { readonly do: 'new thread' }
  /** Waits until so many messages, or threads, are shown, which another tab has made. */
  | { readonly do: 'see messages' | 'see threads'; readonly count: number }
  | { readonly do: 'see'; readonly text: string }
  | { readonly do: 'wait'; readonly for: number }
  | { readonly do: 'rename' | 'archive' | 'delete'; readonly at: number }

export interface About {
  readonly page: 'page' | 'without' | 'list' | 'tabs' | 'ai-sdk'
  readonly deeds: readonly Deed[]
}

const pages = {
  page: () => import('../docs/examples/assistant-ui/page.ts'),
  without: () => import('../docs/examples/assistant-ui/without.ts'),
  list: () => import('../docs/examples/assistant-ui/list.ts'),
  tabs: () => import('./assistant-ui-tabs.ts'),
  'ai-sdk': () => import('../docs/examples/assistant-ui/ai-sdk.ts'),
}

/** Time for what is on its way to a store, or to the screen. */
const settled = async (): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 100))
  await until(() => document.getElementById('idle') !== null)
  await new Promise((resolve) => setTimeout(resolve, 100))
}

export async function play({ page, deeds }: About): Promise<void> {
  await pages[page]()
  await settled()
  for (const deed of deeds) {
    if (!chat.client) throw new Error('Nothing was rendered.')
    await act(chat.client, deed)
    if (deed.do !== 'ask and leave') await settled()
  }
}

async function act(client: AssistantClient, deed: Deed): Promise<void> {
  const { thread, threads } = client
  // The list comes when it has been read, and nothing says that it is still to come.
  if (['open thread', 'rename', 'archive', 'delete'].includes(deed.do) && 'at' in deed)
    await until(() => threads.getState().threadIds.length > deed.at)
  switch (deed.do) {
    case 'ask': {
      const before = messagesShown().length
      thread.append(deed.text)
      return until(() => messagesShown().length >= before + 2)
    }
    case 'ask and leave': {
      const before = chat.asked.length
      thread.append(deed.text)
      const waits = (): boolean => !deed.text.endsWith('wait') || sessionStorage.getItem('waited') !== null
      await until(() => chat.asked.length > before && waits())
      return new Promise((resolve) => setTimeout(resolve, 300))
    }
    case 'ask and delete': {
      const id = threads.getState().mainThreadId
      thread.append(deed.text)
      return threads.item({ id }).delete()
    }
    case 'edit': {
      const composer = thread.message({ index: deed.at }).composer()
      composer.beginEdit()
      composer.setText(deed.text)
      return composer.send()
    }
    case 'regenerate':
      return thread.message({ index: deed.at }).reload()
    case 'switch branch':
      return thread.message({ index: deed.at }).switchToBranch({ position: 'previous' })
    case 'switch to the next branch':
      return thread.message({ index: deed.at }).switchToBranch({ position: 'next' })
    case 'delete message':
      return thread.message({ index: deed.at }).delete()
    case 'see':
      return until(() => messagesShown().some((message) => message?.includes(deed.text)))
    case 'wait':
      return new Promise((resolve) => setTimeout(resolve, deed.for))
    case 'see messages':
      return until(() => messagesShown().length === deed.count)
    case 'see threads':
      return until(() => threads.getState().threadIds.length === deed.count)
    case 'new thread':
      return threads.switchToNewThread()
    case 'open thread':
      return threads.item({ index: deed.at }).switchTo()
    case 'rename':
      return threads.item({ index: deed.at }).rename('renamed')
    case 'archive':
      return threads.item({ index: deed.at }).archive()
    case 'delete':
      return threads.item({ index: deed.at }).delete()
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 900 && !isSo(); i++) await new Promise((resolve) => setTimeout(resolve, 20))
}

const messagesShown = () =>
  [...document.querySelectorAll('[data-message-id]')].map(({ textContent }) => textContent)

export interface Shown {
  readonly messages: readonly unknown[]
  /** What was asked of the model in this page, and which tools have done something. */
  readonly asked: readonly string[]
  readonly done: readonly string[]
  /** By their titles. */
  readonly threads: readonly unknown[]
  readonly archived: readonly unknown[]
}

export function look(): Shown {
  const { threadItems, threadIds, archivedThreadIds } = chat.client?.threads.getState() ?? {}
  const titleOf = (id: string): unknown => threadItems?.find((item) => item.id === id)?.title
  return {
    messages: messagesShown(),
    asked: chat.asked,
    done: chat.done,
    threads: threadIds?.map(titleOf) ?? [],
    archived: archivedThreadIds?.map(titleOf) ?? [],
  }
}
