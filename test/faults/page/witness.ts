/** What a page keeps, and what it is told when that is not there any more. */
import { openCheckpointer, type CheckpointerError, type LostHead } from 'forkpoint'

/** Saves so many steps to each of these threads, and closes. */
export async function keep(
  name: string,
  steps: Readonly<Record<string, number>>,
  worker: 'auto' | false = 'auto',
): Promise<void> {
  const checkpointer = await openCheckpointer({ name, worker })
  for (const [id, most] of Object.entries(steps))
    for (let step = 1; step <= most; step++) await checkpointer.thread(id).save({ step }, { step })
  await checkpointer.close()
}

/** Opens it again: every loss that is told, and how many `verify` reports. */
export async function missing(
  name: string,
  worker: 'auto' | false = 'auto',
): Promise<{ told: (readonly LostHead[])[]; reported: number }> {
  const told: (readonly LostHead[])[] = []
  const checkpointer = await openCheckpointer({
    name,
    worker,
    onWarning: ({ code, loss }) => {
      if (code === 'DATA_LOSS') told.push(loss?.heads ?? [])
    },
  })
  const { problems } = await checkpointer.verify()
  await checkpointer.close()
  return { told, reported: problems.length }
}

/** What is told of a loss at an opening, in words, and whether the thread has anything. */
export async function toldAtOpening(
  name: string,
  worker: 'auto' | false,
): Promise<{ told: string[]; steps: number }> {
  const told: string[] = []
  const onWarning = ({ code, message }: CheckpointerError): void => {
    if (code === 'DATA_LOSS') told.push(message)
  }
  const checkpointer = await openCheckpointer({ name, worker, onWarning })
  const head = await checkpointer.thread('t').load()
  await checkpointer.verify()
  await checkpointer.close()
  return { told, steps: head?.seq ?? 0 }
}

/** What `persist()` says, and what `usage()` then knows. */
export async function askToPersist(): Promise<{ answer: string; persisted: boolean | undefined }> {
  const checkpointer = await openCheckpointer({ name: 'persistent' })
  const answer = await checkpointer.persist()
  const { persisted } = await checkpointer.usage()
  await checkpointer.close()
  return { answer, persisted }
}
