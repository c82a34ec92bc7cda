import { CheckpointerError } from '../../../errors.ts'
import { joinInSlices } from '../../../state/slices/join.ts'
import { pauses, type Pause } from '../../../state/slices/pause.ts'
import { importPartition, threadKey } from '../../../storage/keys.ts'
import type { Store } from '../../store/store.ts'
import { FamilyImport } from './family-import.ts'
import {
  MOST_PAYLOAD_BYTES,
  Tally,
  tooLargeState,
  type CheckpointLine,
  type ExportLine,
  type ThreadLine,
  type WriteLine,
} from '../lines.ts'
import type { ImportPageRequest } from '../../host.ts'
import { planOf } from './plan.ts'
import { LineReader } from './read-line.ts'
import { wipe } from './stage.ts'
import { linesIn } from './unpack.ts'

type Settings = Pick<ImportPageRequest, 'id' | 'onConflict' | 'bounds'>

/** What was staged, when all of it is known to be good. */
export interface StagedImport {
  readonly onConflict: Settings['onConflict']
  /** All threads of the file. */
  readonly threads: ReadonlySet<string>
  readonly partitions: readonly string[]
  /** Of those, where rows stand that nobody shows. */
  readonly untidy: ReadonlySet<string>
  readonly checkpoints: number
  readonly missing: number
}

const encoder = new TextEncoder()

/** Threads, their segments and what these hide, of one family. */
const MOST_WEIGHT = 1_000_000

/** Reads a file from its first byte to its last, and stages what is in it. Nobody sees anything of it yet. */
export class Importer {
  readonly #store: Store
  readonly #settings: Settings
  readonly #reader = new LineReader()
  readonly #tally = new Tally()
  readonly #pause: Pause
  readonly #threads = new Set<string>()
  readonly #partitions: string[] = []
  readonly #untidy = new Set<string>()
  #families = 0
  /** Of the families before this one, and of this one. */
  #missing = { before: 0, here: 0 }
  /** What the threads of this family take to be remembered. */
  #weight = 0
  #stored = 0
  #expects: 'header' | 'family' | 'threads' | 'rows' | 'nothing' = 'header'
  #lines: ThreadLine[] = []
  #family: FamilyImport | undefined
  #body:
    | { readonly line: CheckpointLine | WriteLine; readonly pieces: Uint8Array[]; left: number }
    | undefined

  /** Stops soon after the signal says so. */
  constructor(store: Store, settings: Settings, signal: AbortSignal) {
    this.#store = store
    this.#settings = settings
    this.#pause = pauses(signal)
  }

  get counts() {
    return this.#tally.counts
  }

  async run(source: AsyncIterable<Uint8Array>): Promise<StagedImport> {
    for await (const line of linesIn(source, this.#settings.bounds)) {
      const read = this.#reader.read(line)
      await this.#placed(() => this.#take(read))
      await this.#pause()
    }
    if (this.#expects !== 'nothing') {
      if (this.#expects === 'header')
        throw new CheckpointerError(
          'INVALID',
          'What was given to import is empty, or no export of Forkpoint.',
        )
      throw new CheckpointerError('CORRUPT', 'The file ends too early: a part of it is missing.')
    }
    return {
      onConflict: this.#settings.onConflict,
      threads: this.#threads,
      partitions: this.#partitions,
      untidy: this.#untidy,
      checkpoints: this.counts.checkpoints,
      missing: this.#missing.before + this.#missing.here,
    }
  }

  /** Damage is told with the line that it is in. */
  async #placed(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!CheckpointerError.is(error, 'CORRUPT')) throw error
      throw this.#reader.damage(error.message.replace(/\.$/, ''), error)
    }
  }

  async #take(line: ExportLine): Promise<void> {
    if (this.#body && line.kind !== 'more') throw wrong('a payload before it is not whole')
    this.#tally.see(line)
    switch (line.kind) {
      case 'forkpoint-export':
        if (this.#expects !== 'header') throw wrong('it is a first line in the middle')
        this.#expects = 'family'
        return
      case 'family':
        return this.#begin()
      case 'again':
        return this.#beginAgain()
      case 'thread':
        if (this.#expects !== 'threads') throw wrong('a thread comes after the rows')
        return this.#addThread(line)
      case 'checkpoint':
      case 'write':
        await this.#openRows()
        if (line.size > MOST_PAYLOAD_BYTES) throw tooLargeState(line.size)
        this.#body = { line, pieces: [], left: line.size }
        return this.#more(line.body)
      case 'more':
        if (!this.#body) throw wrong('it continues nothing')
        return this.#more(line.body)
      case 'missing':
        await this.#openRows()
        this.#missing.here += Math.max(1, (line.to ?? line.seq) - line.seq + 1)
        return
      default:
        return this.#end(line)
    }
  }

  #addThread(line: ThreadLine): void {
    this.#weight += line.segments.reduce((sum, { hide = [] }) => sum + 1 + hide.length, 1)
    if (this.#weight > MOST_WEIGHT)
      throw new CheckpointerError('TOO_LARGE', 'A file with so many threads that share rows is not imported.')
    this.#lines.push(line)
  }

  async #begin(): Promise<void> {
    if (this.#expects === 'header' || this.#expects === 'nothing') throw wrong('a family has no place here')
    await this.#finishFamily()
    this.#missing = { before: this.#missing.before + this.#missing.here, here: 0 }
    this.#expects = 'threads'
  }

  async #beginAgain(): Promise<void> {
    if (this.#expects !== 'threads' && this.#expects !== 'rows')
      throw wrong('there is nothing to begin again')
    if (this.#family) {
      this.#partitions.pop()
      await wipe(this.#store, this.#family.partition)
    }
    this.#missing = { ...this.#missing, here: 0 }
    this.#forgetFamily()
    this.#expects = 'threads'
  }

  #forgetFamily(): void {
    this.#lines = []
    this.#weight = 0
    this.#family = undefined
  }

  /** After the threads of a family, before its first row. */
  async #openRows(): Promise<void> {
    if (this.#expects === 'rows') return
    if (this.#expects !== 'threads') throw wrong('a row has no place here')
    this.#expects = 'rows'
    const plan = planOf(this.#lines)
    if (typeof plan === 'string') throw wrong(plan)
    await this.#refuseConflicts()
    const partition = importPartition(this.#settings.id, this.#families++)
    this.#partitions.push(partition)
    this.#family = new FamilyImport(this.#store, partition, plan, (bytes) => this.#spend(bytes), this.#pause)
  }

  /** What cannot go well in the end need not be read until then. */
  async #refuseConflicts(): Promise<void> {
    for (const { thread, namespace } of this.#lines) {
      if (this.#threads.has(thread)) throw wrong('a thread of it is in another family too')
      if (this.#settings.onConflict !== 'refuse' || namespace !== '') continue
      if (await this.#store.storage.locate(threadKey(thread, ''))) throw taken(thread)
    }
  }

  #spend(bytes: number): void {
    this.#stored += bytes
    if (this.#stored > this.#settings.bounds.bytes)
      throw new CheckpointerError(
        'TOO_LARGE',
        `A file that takes more than ${this.#settings.bounds.bytes} bytes in the store is not imported. If you trust it, raise limits.bytes.`,
        { path: 'limits.bytes' },
      )
  }

  async #more(text: string): Promise<void> {
    const body = this.#body
    if (!body || !this.#family) return
    const piece = encoder.encode(text)
    body.pieces.push(piece)
    body.left -= piece.length
    if (body.left > 0 && text !== '') return
    this.#body = undefined
    if (body.left !== 0) throw wrong('its payload is not of the size that it says')
    const payload = body.pieces.length === 1 ? piece : await joinInSlices(body.pieces, this.#pause)
    if (body.line.kind === 'checkpoint') await this.#family.checkpoint(body.line, payload)
    else await this.#family.write(body.line, payload)
  }

  async #finishFamily(): Promise<void> {
    if (this.#expects === 'threads' && this.#lines.length > 0) await this.#openRows()
    await this.#family?.finish()
    if (this.#family?.hasUnshown) this.#untidy.add(this.#family.partition)
    for (const { thread } of this.#lines) this.#threads.add(thread)
    this.#forgetFamily()
  }

  async #end(line: Extract<ExportLine, { readonly kind: 'end' }>): Promise<void> {
    if (this.#expects === 'header' || this.#expects === 'nothing')
      throw wrong('it is a last line in the middle')
    await this.#finishFamily()
    const { families, threads, checkpoints, writes } = this.counts
    const isAll = line.families === families && line.threads === threads
    if (!isAll || line.checkpoints !== checkpoints || line.writes !== writes)
      throw wrong('it counts more or fewer than there were')
    this.#expects = 'nothing'
  }
}

const wrong = (why: string): CheckpointerError => new CheckpointerError('CORRUPT', why)

export const taken = (thread: string): CheckpointerError =>
  new CheckpointerError(
    'CONFLICT',
    `There is a thread '${thread}' already. Nothing was imported; with onConflict it is skipped or renamed.`,
    { thread },
  )
