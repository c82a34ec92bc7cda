/**
 * What a screen reader is told: whole sentences of an answer as they are complete, and what happens around it. The
 * transcript itself is no live region, as what is scrolled into view would be read out again.
 */
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { App } from '../app.ts'
import type { Seen } from '../threads/follow.ts'
import type { OpenThread } from '../threads/open-thread.ts'
import { inWords } from './in-words.ts'
import { useStore } from './use-store.ts'
import { ELSEWHERE, whyShown } from './why-shown.ts'

interface Props {
  readonly app: App
  readonly thread: OpenThread
}

const MOST = 30

export function Announcer({ app, thread }: Props): JSX.Element {
  const seen = useStore(thread.seen)
  const { [thread.id]: account, '': general } = useStore(app.accounts)
  // What runs elsewhere is another matter as soon as one runs here.
  useStore(app.runs.own)
  const [told, setTold] = useState<readonly string[]>([])
  const said = useRef(new Told())
  useEffect(() => {
    said.current = new Told()
    setTold([])
  }, [thread])
  useEffect(() => {
    const news = said.current.news(seen)
    if (news.length > 0) setTold((before) => [...before, ...news].slice(-MOST))
  }, [seen])
  const tell = (...texts: readonly string[]): void => {
    if (texts.length > 0) setTold((before) => [...before, ...texts].slice(-MOST))
  }
  useEffect(() => tell(...(account ? [account.text] : [])), [account])
  useEffect(() => tell(...(general ? [general.text] : [])), [general])
  const isElsewhere = whyShown(seen, { runs: app.runs, account }) === 'elsewhere'
  useEffect(() => tell(...(isElsewhere ? [ELSEWHERE] : [])), [thread, isElsewhere])
  return (
    <div class="unseen" role="log" aria-live="polite" aria-label="What the agent says">
      {told.map((text, i) => (
        <p key={`${i} ${text}`}>{text}</p>
      ))}
    </div>
  )
}

/** Remembers what was told, so that nothing is told twice, and nothing of what was there before. */
class Told {
  #count: number | undefined
  #characters = 0
  #status: string | undefined

  news({ chat, draft, run }: Seen): string[] {
    if (!chat) return []
    const news: string[] = []
    const { messages } = chat
    if (this.#count !== undefined)
      for (const message of messages.slice(this.#count)) {
        if (message.role === 'agent') news.push(message.text.slice(this.#characters))
        if (message.role === 'tool') news.push(`${message.tool}: ${message.text}`)
        this.#characters = 0
      }
    this.#count = messages.length
    const whole = sentencesOf(draft?.text ?? '')
    if (whole.length > this.#characters) {
      news.push(whole.slice(this.#characters))
      this.#characters = whole.length
    }
    if (run?.status !== this.#status && run?.status === 'waiting') news.push('The agent asks you something.')
    if (run?.status !== this.#status && run?.status === 'failed')
      news.push(`The agent could not go on. ${inWords(run.error)}`)
    this.#status = run?.status
    return news.map((text) => text.replace(/[*`]/g, '').trim()).filter((text) => text !== '')
  }
}

/** Up to the end of the last sentence that is complete. */
const sentencesOf = (text: string): string => /^[\s\S]*[.!?:…]["”’)]*(?=\s)/.exec(text)?.[0] ?? ''
