import { openCheckpointer } from 'forkpoint'

/** Opens a checkpointer where there is no `localStorage`, as in a service worker; saves and closes. Tells its warnings. */
globalThis.onmessage = async ({ data }: MessageEvent<{ name: string; destroy?: boolean }>) => {
  const warnings: { code: string; heads: unknown }[] = []
  const checkpointer = await openCheckpointer({
    name: data.name,
    worker: false,
    onWarning: ({ code, loss }) => void warnings.push({ code, heads: loss?.heads }),
  })
  await checkpointer.verify()
  await checkpointer.thread('t').save({ n: 1 })
  await (data.destroy ? checkpointer.destroy() : checkpointer.close())
  globalThis.postMessage(warnings)
}
