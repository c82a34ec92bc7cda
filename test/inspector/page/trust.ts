/**
 * What an app has where `require-trusted-types-for 'script'` is in force: scripts of its own may be workers. It makes
 * markup of no text, and so neither may the inspector.
 */
interface Factory {
  createPolicy(name: 'default', rules: { createScriptURL(url: string): string }): unknown
}

const { trustedTypes } = globalThis as { trustedTypes?: Factory }
trustedTypes?.createPolicy('default', {
  createScriptURL(url) {
    if (new URL(url, location.href).origin !== location.origin) throw new TypeError(`not ours: ${url}`)
    return url
  },
})

export {}
