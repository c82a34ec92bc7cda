interface Navigator {
  readonly userAgent?: string
  readonly userAgentData?: { readonly brands?: readonly { readonly brand: string }[] }
}

const here = (): Navigator => globalThis.navigator ?? {}

export function isChromium(): boolean {
  const { userAgent = '', userAgentData } = here()
  const brands = userAgentData?.brands
  return brands ? brands.some(({ brand }) => brand === 'Chromium') : /Chrom(e|ium)\//.test(userAgent)
}

/** Safari, whatever else is on an iPhone, and what is made of WebKitGTK. */
export const isWebKit = (): boolean => !isChromium() && /AppleWebKit\//.test(here().userAgent ?? '')
