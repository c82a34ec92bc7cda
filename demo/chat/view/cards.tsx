/** What happened, what is asked, and who runs it. */
import type { JSX } from 'preact'
import type { RunInfo } from 'forkpoint'
import type { App } from '../app.ts'
import type { Account } from '../threads/accounts.ts'
import { IconButton } from './icon-button.tsx'
import { inWords } from './in-words.ts'
import { Questions } from './questions.tsx'
import { ELSEWHERE, type WhyShown } from './why-shown.ts'

export interface CardsProps {
  readonly app: App
  readonly id: string
  readonly general: Account | undefined
  readonly account: Account | undefined
  readonly run: RunInfo | undefined
  /** Why the run is shown, if it is. */
  readonly shows: WhyShown | undefined
}

export function Cards({ app, id, general, account, run, shows }: CardsProps): JSX.Element {
  return (
    <>
      {general && <Told account={general} app={app} id="" run={undefined} />}
      {account && <Told account={account} app={app} id={id} run={run} />}
      {run && shows === 'failed' && <Failed run={run} app={app} />}
      {run && shows === 'waiting' && <Questions app={app} run={run} />}
      {run && shows === 'elsewhere' && <Elsewhere run={run} app={app} />}
    </>
  )
}

function Elsewhere({ run, app }: { readonly run: RunInfo; readonly app: App }): JSX.Element {
  return (
    <section class="card" aria-label="Running elsewhere">
      <p>{ELSEWHERE}</p>
      <div class="card-acts">
        <button type="button" onClick={() => app.attempt(app.runs.takeOver(run))}>
          Take over
        </button>
      </div>
    </section>
  )
}

function Failed({ run, app }: { readonly run: RunInfo; readonly app: App }): JSX.Element {
  return (
    <section class="card warning" aria-label="The run has failed">
      <p>
        <strong>The agent could not go on.</strong> {inWords(run.error)} What it had done is kept.
      </p>
      <div class="card-acts">
        <button type="button" class="primary" onClick={() => app.attempt(app.runs.retry(run))}>
          Try again
        </button>
      </div>
    </section>
  )
}

interface ToldProps {
  readonly account: Account
  readonly app: App
  readonly id: string
  readonly run: RunInfo | undefined
}

function Told({ account: { tone, text, offer }, app, id, run }: ToldProps): JSX.Element {
  return (
    <section class={`card ${tone}`} aria-label="What happened">
      <p>{text}</p>
      <div class="card-acts">
        {offer === 'make room' && (
          <button type="button" class="primary" onClick={() => app.attempt(app.makeRoom(id))}>
            Drop old steps
          </button>
        )}
        {offer === 'key' && (
          <button type="button" class="primary" onClick={() => app.choosesModel.set(true)}>
            Give the key
          </button>
        )}
        {(offer === 'retry' || offer === 'make room') && run && (
          <button
            type="button"
            onClick={() => {
              app.tell(id, undefined)
              app.attempt(app.runs.retry(run))
            }}
          >
            Go on
          </button>
        )}
        <IconButton icon="close" label="Dismiss" onClick={() => app.tell(id, undefined)} />
      </div>
    </section>
  )
}
