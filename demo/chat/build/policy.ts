import { createHash } from 'node:crypto'
import { FRAME_SCRIPT } from '../tools/sandbox/frame.ts'

/** The page's Content-Security-Policy. What a part of it is for stands beside it. */
export function policy(isDev: boolean): string {
  const frameScript = `'sha256-${createHash('sha256').update(FRAME_SCRIPT).digest('base64')}'`
  return Object.entries({
    'default-src': `'none'`,
    // The one inline script is that of the sandbox's frame, which inherits this policy.
    'script-src': `'self' ${frameScript}`,
    'style-src': `'self'`,
    'img-src': `'self'`,
    'manifest-src': `'self'`,
    // The library's worker; and the sandbox's, which is in a frame of another origin.
    'worker-src': `'self' blob:`,
    // The user names the endpoint of the model, which may be a box in the same house that speaks plain HTTP, and allows
    // each address that a tool fetches.
    'connect-src': `'self' https: http:${isDev ? ' ws:' : ''}`,
    'base-uri': `'none'`,
    'form-action': `'none'`,
    // No text becomes markup or a script: trusted.ts names the exceptions, and the browser refuses all else.
    ...(isDev ? {} : { 'require-trusted-types-for': `'script'`, 'trusted-types': 'default sandbox' }),
  })
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
