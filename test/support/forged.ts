import { LineWriter, type ExportLine } from '../../src/operations/carry/lines.ts'

/** An export with its lines changed, and with sums that fit. */
export async function* forged(
  source: AsyncIterable<Uint8Array>,
  change: (line: ExportLine) => ExportLine | readonly ExportLine[],
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for await (const piece of source) pieces.push(new Uint8Array(piece))
  const lines = (await new Blob(pieces).text()).trimEnd().split('\n')
  const writer = new LineWriter()
  for (const line of lines)
    for (const each of [change(JSON.parse(line.slice(9)) as ExportLine)].flat()) yield* writer.write(each)
}
