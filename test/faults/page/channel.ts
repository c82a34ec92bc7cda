/**
 * For a browser that no driver reaches: the page asks what it is to do, does it, and says what came of it. Only a page that
 * was opened with the address of who is to be asked does that.
 */
interface Task {
  readonly id: number
  /** A function, as text. */
  readonly source: string
  readonly arg: unknown
}

const given = new URLSearchParams(location.search)

export async function obey(): Promise<void> {
  const [address, tab] = [given.get('channel'), given.get('tab')]
  if (address === null || tab === null) return
  const say = (path: string, about: object): Promise<Response> =>
    fetch(`${address}/${path}`, { method: 'POST', body: JSON.stringify({ tab, ...about }) })
  for (;;) {
    const task = (await (await say('next', {})).json()) as Task | { readonly open: string } | null
    if (task === null) continue
    if ('open' in task) window.open(task.open)
    // Others may come while it is at it.
    else void doIt(task).then((outcome) => say('done', { id: task.id, ...outcome }))
  }
}

async function doIt({ source, arg }: Task): Promise<{ value: unknown } | { error: string }> {
  try {
    // eslint-disable-next-line no-eval -- As a driver does it, with the text of a function of the proof.
    const work = (0, eval)(`(${source})`) as (arg: unknown) => unknown
    return { value: await work(arg) }
  } catch (error) {
    return { error: error instanceof Error ? `${error.message} ${error.stack}` : String(error) }
  }
}
