/** A token says whose it is, and is signed by the worker's secret: `<tenant>.<signature in hex>`. */
export async function tokenFor(tenant: string, secret: string): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await keyOf(secret), new TextEncoder().encode(tenant))
  return `${tenant}.${Array.from(new Uint8Array(signature), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Whose request it is; nobody's when its token is missing or was not signed here. */
export async function tenantOf(request: Request, secret: string): Promise<string | undefined> {
  const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? ''
  const [tenant, signature] = [
    token.slice(0, token.lastIndexOf('.')),
    token.slice(token.lastIndexOf('.') + 1),
  ]
  if (!tenant || !secret || !/^[0-9a-f]{64}$/.test(signature)) return undefined
  const bytes = Uint8Array.from(signature.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
  // Compares without telling by its time how much fits.
  const isOurs = await crypto.subtle.verify(
    'HMAC',
    await keyOf(secret),
    bytes,
    new TextEncoder().encode(tenant),
  )
  return isOurs ? tenant : undefined
}

const keyOf = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
