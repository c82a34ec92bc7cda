import { ToolError } from './tool.ts'

/** Rejects when it is not to be waited for any longer. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(new ToolError('Stopped.'))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  })
}
