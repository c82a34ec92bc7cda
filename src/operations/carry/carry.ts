import { CheckpointerError } from '../../errors.ts'
import { clearImport } from './import/clear.ts'
import { BYTES_A_PAGE } from './export/rows.ts'
import { exportLines } from './export/export-lines.ts'
import { Handoff } from './import/handoff.ts'
import { joined } from '../../platform/bytes.ts'
import { ImportRow } from './import/import-row.ts'
import { Importer, type StagedImport } from './import/importer.ts'
import { land, notTakenBack } from './import/landing.ts'
import { LineWriter, Tally, type ExportLine } from './lines.ts'
import type {
  ExportPageReply,
  ExportPageRequest,
  ImportedReply,
  ImportPageReply,
  ImportPageRequest,
} from '../host.ts'
import { nextPage, type ExportPages, type ImportPages, type Paged } from '../store/paged.ts'
import { sweep } from '../removal/write/sweep.ts'
import { pauses } from '../../state/slices/pause.ts'
import type { Store } from '../store/store.ts'
import { partitions } from '../survey/every-row.ts'

/** The next lines of an export; it begins with page 0, and ends with its last one or with `endCarry`. */
export function exportPage(store: Store, request: ExportPageRequest): Promise<ExportPageReply> {
  return nextPage(
    store,
    'exporting',
    request,
    async () => startExport(store, request),
    (run) => run(),
    ({ isLast }) => isLast,
  )
}

/** The next bytes of an import; it begins with page 0. Nothing of it is there before the last page is answered. */
export function importPage(store: Store, request: ImportPageRequest): Promise<ImportPageReply> {
  return nextPage(
    store,
    'importing',
    request,
    () => startImport(store, request),
    (run) => run(request.bytes, request.isLast),
    ({ imported }) => imported !== undefined,
  )
}

function startExport(store: Store, request: ExportPageRequest): Paged<ExportPages> {
  const lines = exportLines(store, request, partitions(store))
  const writer = new LineWriter()
  const tally = new Tally()
  // One for all pages: they may follow upon each other without any other task in between.
  const pause = pauses()
  const run = async (): Promise<ExportPageReply> => {
    const pieces: Uint8Array[] = []
    let length = 0
    let line: ExportLine | undefined
    while (length < BYTES_A_PAGE && line?.kind !== 'end') {
      const { value, done } = await lines.next()
      if (done) break
      line = value
      tally.see(value)
      for (const piece of writer.write(value)) {
        pieces.push(piece)
        length += piece.length
      }
      await pause()
    }
    const { checkpoints } = tally.counts
    return { bytes: joined(pieces), isLast: line?.kind === 'end', checkpoints }
  }
  return { run, end: async () => void (await lines.return(undefined)) }
}

async function startImport(store: Store, request: ImportPageRequest): Promise<Paged<ImportPages>> {
  const row = new ImportRow(store, request.id)
  await row.put('staging')
  const source = new Handoff()
  const stop = new AbortController()
  const importer = new Importer(store, request, stop.signal)
  const staging: Promise<StagedImport> = importer.run(source)
  const leave = (): void => source.leave()
  staging.then(leave, leave)
  let landing: Promise<ImportedReply> | undefined
  const run = async (bytes: Uint8Array, isLast: boolean): Promise<ImportPageReply> => {
    await row.sign()
    await source.put(bytes)
    // Told with the page during which it fails, or the next one.
    if (source.isLeft) await staging
    const { checkpoints } = importer.counts
    if (!isLast) return { checkpoints }
    source.end()
    landing = staging.then((staged) => land(store, row, staged, sweep))
    const imported = await landing
    return { checkpoints: imported.checkpoints, imported }
  }
  const end = async (): Promise<void> => {
    row.leave()
    // It goes on by itself, or the next opening does: there is nothing to give up.
    if (row.isDecided) return
    stop.abort(new CheckpointerError('CLOSED', 'The import was given up.'))
    source.end()
    await staging.catch(() => {})
    // It may be writing: what it puts is to be removed too. Or it is being decided in this moment.
    await landing?.catch(() => {})
    if (row.isDecided) return
    await clearImport(store, row).catch((cause: unknown) => store.warn(notTakenBack(cause)))
  }
  return { run, end }
}
