import type { OpenQuestion, RunInfo } from 'forkpoint'
import type { JSX } from 'preact'
import type { App } from '../app.ts'
import type { FetchQuestion } from '../tools/fetch.ts'
import { clamped } from './clamped.ts'

interface Props {
  readonly app: App
  readonly run: RunInfo
}

/** What the run waits for. Any tab may answer. */
export function Questions({ app, run }: Props): JSX.Element {
  return (
    <>
      {(run.questions ?? []).map((asked) => (
        <Question
          key={asked.key}
          asked={asked}
          onAnswer={(value) => app.attempt(app.runs.answer(run, asked.key, value))}
        />
      ))}
    </>
  )
}

interface QuestionProps {
  readonly asked: OpenQuestion
  readonly onAnswer: (value: unknown) => void
}

function Question({ asked, onAnswer }: QuestionProps): JSX.Element {
  const { question } = asked
  if (isFetch(question)) {
    const { method, url, body } = question
    return (
      <section class="card ask" aria-label="The agent asks">
        <h2>May the agent {method === 'GET' ? 'read' : 'send to'} this address?</h2>
        <p class="address">
          <code>
            {method} {url}
          </code>
        </p>
        {body !== undefined && (
          <pre class="sent" tabIndex={0} aria-label="What would be sent">
            <code>{body === '' ? '(nothing)' : clamped(body)}</code>
          </pre>
        )}
        <p class="hint">
          {method === 'GET' ? 'It goes out without cookies.' : 'This is sent, without cookies.'} The server
          sees your network address.
        </p>
        <div class="card-acts">
          <button type="button" class="primary" onClick={() => onAnswer(true)}>
            Allow once
          </button>
          <button type="button" onClick={() => onAnswer(false)}>
            Don’t allow
          </button>
        </div>
      </section>
    )
  }
  return (
    <section class="card ask" aria-label="The agent asks">
      <h2>Was it sent?</h2>
      <p>
        The page was closed while the agent was sending something, and nobody knows whether it arrived. It is
        not sent twice unless you say so.
      </p>
      <div class="card-acts">
        <button
          type="button"
          class="primary"
          onClick={() => onAnswer({ value: 'It had been sent; what was answered is not known.' })}
        >
          It was sent
        </button>
        <button type="button" onClick={() => onAnswer('retry')}>
          Send it now
        </button>
        <button
          type="button"
          onClick={() => onAnswer({ error: { name: 'ToolError', message: 'The user said to leave it.' } })}
        >
          Leave it
        </button>
      </div>
    </section>
  )
}

const isFetch = (question: unknown): question is FetchQuestion =>
  typeof question === 'object' && question !== null && 'about' in question && question.about === 'fetch'
