/** The data of each server-sent event; or the whole of an answer that does not stream. */
export async function* eventsOf(response: Response): AsyncGenerator<string> {
  if (!response.headers.get('content-type')?.includes('text/event-stream')) {
    yield await response.text()
    return
  }
  let rest = ''
  for await (const text of textsOf(response)) {
    const lines = (rest + text).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim()
  }
  if (rest.startsWith('data:')) yield rest.slice(5).trim()
}

async function* textsOf({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
