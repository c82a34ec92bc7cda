import { CheckpointerError } from '../../../errors.ts'
import { CURRENT_FORMAT } from '../../../storage/format-version.ts'
import { murmur3 } from '../../rows/checksum.ts'
import { EXPORT_VERSION, sumText, type ExportLine } from '../lines.ts'
import { isLine } from './shapes.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const SUM = /^[0-9a-f]{8} $/
const SUM_LENGTH = 9

/** Lines in their order, each checked by its sum, parsed, and of a shape that is known. */
export class LineReader {
  #sum = 0
  #number = 0

  read(line: Uint8Array): ExportLine {
    this.#number++
    const json = line.slice(SUM_LENGTH)
    const stated = String.fromCharCode(...line.subarray(0, SUM_LENGTH))
    const isFirst = this.#number === 1
    if (!SUM.test(stated)) throw isFirst ? noExport() : this.damage('it has no checksum')
    this.#sum = murmur3(json, this.#sum)
    if (sumText(this.#sum) !== stated.slice(0, -1))
      throw this.damage('its checksum does not fit: it was changed, or a line before it is missing')
    const value = this.#parse(json)
    if (isFirst) return headerOf(value)
    if (!isLine(value)) throw this.damage('it is not what a line can be')
    return value
  }

  damage(why: string, cause?: unknown): CheckpointerError {
    const message = `Line ${this.#number} of the file cannot be imported: ${why}.`
    return new CheckpointerError('CORRUPT', message, cause === undefined ? {} : { cause })
  }

  #parse(json: Uint8Array): unknown {
    try {
      return JSON.parse(decoder.decode(json)) as unknown
    } catch (cause) {
      throw this.damage('it is no JSON', cause)
    }
  }
}

const noExport = (): CheckpointerError =>
  new CheckpointerError('INVALID', 'What was given to import does not begin as an export of Forkpoint does.')

/** A newer one may have other lines, and even other fields in its first. */
function headerOf(value: unknown): ExportLine {
  const { kind, version, format, createdAt } = (value ?? {}) as Record<string, unknown>
  if (kind !== 'forkpoint-export') throw noExport()
  if (!isNumber(version) || !isNumber(format)) throw noExport()
  if (version > EXPORT_VERSION || format > CURRENT_FORMAT)
    throw new CheckpointerError(
      'FORMAT_TOO_NEW',
      `The file has version ${version} and format ${format}; this package reads up to ${EXPORT_VERSION} and ${CURRENT_FORMAT}. Update it.`,
    )
  return { kind, version, format, createdAt: isNumber(createdAt) ? createdAt : 0 }
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0
