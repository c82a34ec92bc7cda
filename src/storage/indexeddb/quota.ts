import { CheckpointerError } from '../../errors.ts'
import { coded } from './errors.ts'

/** As `coded`, and with `QUOTA` what the browser says of the room, which is an estimate at most. */
export async function codedWithUsage(error: unknown): Promise<CheckpointerError> {
  const told = coded(error)
  if (told.code !== 'QUOTA' || told.usage) return told
  const { usage: bytes, quota } = (await estimate()) ?? {}
  if (bytes === undefined && quota === undefined) return told
  const usage = { ...(bytes === undefined ? {} : { bytes }), ...(quota === undefined ? {} : { quota }) }
  return new CheckpointerError(
    'QUOTA',
    `${told.message} By the browser's estimate the site takes ${mega(bytes)} of ${mega(quota)}.`,
    { outcome: 'none', cause: told.cause, usage },
  )
}

async function estimate(): Promise<StorageEstimate | undefined> {
  const storage = (globalThis.navigator as Partial<Navigator> | undefined)?.storage as
    | Partial<StorageManager>
    | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), 1000)
  })
  try {
    return await Promise.race([storage?.estimate?.(), late])
  } catch {
    // The figures are an extra.
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

const mega = (bytes: number | undefined): string =>
  bytes === undefined ? 'an unknown number of MB' : `${(bytes / 1e6).toFixed(1)} MB`
