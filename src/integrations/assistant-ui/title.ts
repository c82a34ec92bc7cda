import type { RemoteThreadListAdapter, ThreadMessage } from '@assistant-ui/react'

const LONGEST = 60

/** The beginning of what the user asked first. */
export function titleFrom(messages: readonly ThreadMessage[]): string {
  const parts = messages.find(({ role }) => role === 'user')?.content ?? []
  const said = parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
  const text = [...said.replace(/\s+/g, ' ').trim()]
  return text.length <= LONGEST ? text.join('') : `${text.slice(0, LONGEST - 1).join('')}…`
}

/** As the list wants it: a stream of one text. */
export function titleStream(title: string): Awaited<ReturnType<RemoteThreadListAdapter['generateTitle']>> {
  return new ReadableStream({
    start(controller) {
      if (title !== '') {
        controller.enqueue({ type: 'part-start', part: { type: 'text' }, path: [] })
        controller.enqueue({ type: 'text-delta', textDelta: title, path: [0] })
        controller.enqueue({ type: 'part-finish', path: [0] })
      }
      controller.close()
    },
  })
}
