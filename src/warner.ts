import { reportFailure, type CheckpointerError } from './errors.ts'

export type OnWarning = (warning: CheckpointerError) => void

/** What the caller's function throws is reported as the failure of any event handler is, and ends nothing here. */
export function warner(tell: OnWarning | undefined): OnWarning {
  return (warning) => {
    try {
      if (tell) tell(warning)
      else console.warn(warning)
    } catch (error) {
      reportFailure(error)
    }
  }
}
