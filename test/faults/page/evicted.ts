/** What a page saves until its database is taken away; what it is told then, and what the next one is told. */
import { CheckpointerError, openCheckpointer, type Loss, type OpenOptions } from 'forkpoint'
import { tellSite } from './tell-site.ts'

/** What is told of losses, each time it is told. */
interface Told {
  readonly losses: readonly Loss[]
}

const listening = (losses: Loss[]): Pick<OpenOptions, 'onWarning'> => ({
  onWarning: ({ code, loss }) => {
    if (code === 'DATA_LOSS' && loss) losses.push(loss)
  },
})

/** Keeps some saves, then saves to another thread on and on; the codes it is told, and which seqs the saves after that get. */
export async function saveUntilTold(
  options: OpenOptions,
  { kept, stay }: { readonly kept: number; readonly stay: number },
): Promise<Told & { before: number; codes: readonly string[]; after: readonly number[] }> {
  const losses: Loss[] = []
  const checkpointer = await openCheckpointer({ ...options, ...listening(losses) })
  // What is remembered outside is compared, and from here on written down.
  await checkpointer.verify()
  for (let n = 0; n < kept; n++) await checkpointer.thread('kept').save({ n })
  await checkpointer.flush()
  const thread = checkpointer.thread('evicted')
  const codes: string[] = []
  const after: number[] = []
  let before = 0
  while (after.length < 5 && codes.length < 5) {
    try {
      const { seq } = await thread.save({ n: before, text: 'so much '.repeat(250) })
      if (codes.length > 0) after.push(seq)
      else if (++before === 1) void tellSite({ seq })
    } catch (error) {
      codes.push(CheckpointerError.is(error) ? error.code : String(error))
    }
  }
  await new Promise((resolve) => setTimeout(resolve, stay))
  await checkpointer.close()
  return { before, codes, after, losses }
}

/** Opens what is there: what is told of losses, what `verify` says of them, and how far each thread has come. */
export async function openAfterEviction(
  options: OpenOptions,
): Promise<Told & { problems: readonly string[]; seqs: Readonly<Record<string, number>> }> {
  const losses: Loss[] = []
  const checkpointer = await openCheckpointer({ ...options, ...listening(losses) })
  const { problems } = await checkpointer.verify()
  const seqs: Record<string, number> = {}
  for await (const { id } of checkpointer.threads())
    seqs[id] = (await checkpointer.thread(id).load())?.seq ?? 0
  await checkpointer.close()
  return { losses, problems: problems.map(({ kind }) => kind), seqs }
}

const PRIVATE_FILE = 'beside'

export async function putPrivateFile(): Promise<void> {
  const folder = await navigator.storage.getDirectory()
  await folder.getFileHandle(PRIVATE_FILE, { create: true })
}

export async function hasPrivateFile(): Promise<boolean> {
  const folder = await navigator.storage.getDirectory()
  return folder.getFileHandle(PRIVATE_FILE).then(
    () => true,
    () => false,
  )
}
