/** What a page that came over HTTPS may not reach: plain HTTP, save on this device. */
export function isBlocked(address: string, page: { readonly protocol: string } = location): boolean {
  if (page.protocol !== 'https:' || !URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && !/^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

export const BLOCKED =
  'This page came over HTTPS, and from there a browser reaches plain HTTP on this device alone: give an address with https.'
