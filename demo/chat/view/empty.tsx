import type { JSX } from 'preact'
import type { App } from '../app.ts'
import type { OpenThread } from '../threads/open-thread.ts'

interface Props {
  readonly app: App
  readonly thread: OpenThread
}

const IDEAS = [
  ['A tour', 'Give me the tour', 'Four tools, one after the other'],
  ['Arithmetic', 'What is 17% of 4,250?', 'With the calculator'],
  ['A long answer', 'Tell me a story', 'Reload the page in its middle'],
  ['A timer', 'Wait for 10 s', 'Close the tab; the time goes on'],
  ['Code', 'Find the first 20 primes', 'In a sandbox, two seconds at most'],
  ['A note', 'Remember that tea is at 5', 'Kept with this conversation'],
] as const

export function Empty({ app, thread }: Props): JSX.Element {
  return (
    <div class="empty-thread">
      <div class="welcome">
        <h2>An agent that loses nothing</h2>
        <p>
          It runs in this page and keeps every step. Reload it in mid-sentence, close the tab, pull the plug
          of the network: it goes on where it was. Nothing leaves your browser unless you choose a model that
          does, or allow an address to be fetched.
        </p>
        <ul class="ideas">
          {IDEAS.map(([name, text, hint]) => (
            <li key={name}>
              <button type="button" onClick={() => app.attempt(thread.send(text))}>
                <span class="idea">{text}</span>
                <span class="hint">{hint}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
