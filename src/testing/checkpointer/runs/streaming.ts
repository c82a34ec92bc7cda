import type { StreamCall, StreamOptions } from '../../../checkpointer/runs/streams/options.ts'
import type { Thread } from '../../../checkpointer/thread.ts'
import { listOf } from '../ground.ts'
import type { Log } from './loops.ts'

export async function* from<T>(...chunks: T[]): AsyncGenerator<T> {
  yield* chunks
}

/** Runs on with a stream of the same name, and gives what came, and what its source was told. */
export async function again(
  thread: Thread<Log>,
  options?: StreamOptions<string>,
): Promise<{ readonly got: readonly string[]; readonly calls: readonly string[] }> {
  const calls: string[] = []
  const source = ({ attempt, chunks }: StreamCall<string>): AsyncIterable<string> => {
    calls.push(`${attempt} after ${chunks.join('')}`)
    return from('x', 'y')
  }
  const { result } = await thread.run({}, (loop) => listOf(loop.stream('answer', source, options)))
  return { got: result, calls }
}

/** How many logged chunks stand beside a checkpoint. */
export const logged = async (thread: Thread<Log>, seq?: number): Promise<number> => {
  const writes = (await thread.load(seq))?.pendingWrites ?? []
  return writes.filter(({ channel }) => channel === 'forkpoint:chunks').length
}
