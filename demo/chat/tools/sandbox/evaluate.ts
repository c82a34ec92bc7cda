import { ToolError } from '../tool.ts'
import { FRAME } from './frame.ts'

interface Limits {
  readonly milliseconds: number
  readonly characters: number
  readonly signal: AbortSignal
}

/** Runs code in a worker in a frame of its own, and ends both, whatever they are at. */
export async function evaluate(code: string, { milliseconds, characters, signal }: Limits): Promise<string> {
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.setAttribute('srcdoc', FRAME)
  frame.hidden = true
  frame.title = 'Sandbox'
  const { port1, port2 } = new MessageChannel()
  const end = new AbortController()
  try {
    return await new Promise<string>((resolve, reject) => {
      const fail = (why: string): void => reject(new ToolError(why))
      const timer = setTimeout(
        () => fail(`The code was ended: it took longer than ${milliseconds / 1000} s.`),
        milliseconds,
      )
      end.signal.addEventListener('abort', () => clearTimeout(timer))
      signal.addEventListener('abort', () => fail('Stopped.'), { signal: end.signal })
      port1.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        const { text, error } = (data ?? {}) as { readonly text?: unknown; readonly error?: unknown }
        if (typeof error === 'string') fail(error.slice(0, characters))
        else resolve(typeof text === 'string' ? text.slice(0, characters) : '')
      })
      port1.start()
      frame.addEventListener('load', () => frame.contentWindow?.postMessage(code, '*', [port2]), {
        once: true,
      })
      document.body.append(frame)
    })
  } finally {
    end.abort()
    port1.close()
    frame.remove()
  }
}
