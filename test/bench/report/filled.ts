/** Between these marks stands what was measured; the rest of a document is written by hand. */
const PLACE = /<!-- measured: (\w+) -->\n[\s\S]*?<!-- \/measured -->/g

/** A document with its places filled in. Throws when it has a place that nobody knows, or lacks one. */
export function filled(document: string, parts: Readonly<Record<string, readonly string[]>>): string {
  const missing = new Set(Object.keys(parts))
  const text = document.replaceAll(PLACE, (_, name: string) => {
    const lines = parts[name]
    if (!lines) throw new Error(`nothing is measured for the place '${name}'`)
    missing.delete(name)
    return [`<!-- measured: ${name} -->`, '', ...lines, '', '<!-- /measured -->'].join('\n')
  })
  if (missing.size > 0) throw new Error(`there is no place for ${[...missing].join(', ')}`)
  return text
}
