import type { JSX } from 'preact'
import { inWords } from './in-words.ts'

/** All that there is when there is no store. */
export function NotOpened({ error }: { readonly error: unknown }): JSX.Element {
  return (
    <main class="not-opened">
      <h1>It could not be opened</h1>
      <p role="alert">{inWords(String(error))}</p>
      <p>
        <button type="button" class="primary" onClick={() => location.reload()}>
          Try again
        </button>
      </p>
    </main>
  )
}
