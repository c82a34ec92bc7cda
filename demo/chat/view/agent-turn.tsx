import type { JSX } from 'preact'
import type { UserMessage } from '../agent/chat.ts'
import type { Ways } from '../threads/branches.ts'
import { clamped } from './clamped.ts'
import { CopyButton } from './copy-button.tsx'
import { IconButton } from './icon-button.tsx'
import { Prose } from './prose.tsx'
import type { AgentRow } from './rows.ts'
import { ToolCall } from './tool-call.tsx'
import { WaysPager } from './ways.tsx'

interface Props {
  readonly row: AgentRow
  readonly ways: Ways | undefined
  readonly isBusy: boolean
  /** The step is still there from which it can be answered again. */
  readonly canAnswer: boolean
  /** What was looked for, and is marked. */
  readonly query?: string | undefined
  /** It is the last there is, and the model has not come to its end. */
  readonly onGoOn?: (() => void) | undefined
  readonly onAgain: (message: UserMessage) => void
  readonly onShow: (ways: Ways, at: number) => void
}

export function AgentTurn(props: Props): JSX.Element {
  const { row, ways, isBusy, canAnswer, query, onGoOn, onAgain, onShow } = props
  const { text, calls, isComing, isMore, isStopped, endedBy, cuts, restarts, model, answers } = row
  const marks = [
    isStopped && 'Stopped here.',
    cuts > 0 && 'Cut off on the way, and gone on with.',
    restarts > 0 && `Cut off ${times(restarts)}, and asked for again.`,
    endedBy && ENDINGS[endedBy],
  ].filter((mark) => typeof mark === 'string')
  return (
    <div class="turn agent" data-is={isMore ? 'more' : 'first'} data-found={query !== undefined}>
      {!isMore && <p class="who">{isComing ? 'Agent' : `Agent · ${model}`}</p>}
      {text !== '' && <Prose text={clamped(text)} query={query} />}
      {isComing && text === '' && calls.length === 0 && (
        <p class="thinking">
          <span />
          <span />
          <span />
        </p>
      )}
      {calls.map((shown) => (
        <ToolCall key={shown.call.id} {...shown} />
      ))}
      {marks.length > 0 && <p class="mark">{marks.join(' ')}</p>}
      {endedBy && onGoOn && (
        <button type="button" class="go-on" disabled={isBusy} onClick={onGoOn}>
          Go on
        </button>
      )}
      {answers && (
        <div class="acts">
          {!isComing && (
            <>
              <WaysPager ways={ways} what="answer" isBusy={isBusy} onShow={onShow} />
              <CopyButton text={text} />
              {canAnswer && (
                <IconButton
                  icon="again"
                  label="Answer again"
                  disabled={isBusy}
                  onClick={() => onAgain(answers)}
                />
              )}
            </>
          )}
        </div>
      )}
    </div>
  )
}

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`)

const ENDINGS = {
  length: 'The model has reached its limit here: the answer is not whole.',
  filter: 'A filter of the model’s provider has ended it here.',
} as const
