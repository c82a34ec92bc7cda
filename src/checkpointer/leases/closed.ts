import { CheckpointerError } from '../../errors.ts'

export const closed = (): CheckpointerError =>
  new CheckpointerError('CLOSED', 'This checkpointer is closed. Open it again.')
