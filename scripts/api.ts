/**
 * Writes the report of every public door to etc/, and its page to docs/api/, or with `--check` fails when one of them has
 * changed. Needs a build.
 */
import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from '@microsoft/api-extractor'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiIndex, apiPage, pageName } from './api-docs.ts'
import { doors, root, type Door } from './doors.ts'

/** All that it exports is documented. */
const MAIN = 'forkpoint'
const PAGES = 'docs/api'

const check = process.argv.includes('--check')
// The worker's door is a script and exports nothing.
const documented = doors.filter(({ name }) => name !== 'forkpoint/worker')

mkdirSync(join(root, 'etc'), { recursive: true })
mkdirSync(join(root, PAGES), { recursive: true })
for (const door of documented) {
  if (!report(door)) process.exitCode = 1
  const { text, undocumented } = apiPage(door, modelOf(door))
  put(`${PAGES}/${pageName(door)}`, text)
  if (door.name !== MAIN || undocumented.length === 0) continue
  console.error(`${MAIN} exports what no comment explains: ${undocumented.join(', ')}`)
  process.exitCode = 1
}
put(`${PAGES}/README.md`, apiIndex(documented))
const known = new Set(['README.md', ...documented.map(pageName)])
for (const name of globSync('*.md', { cwd: join(root, PAGES) }))
  if (!known.has(name)) put(`${PAGES}/${name}`, undefined)

/** Writes a file, or takes it away; with `--check` it must be so already. */
function put(file: string, text: string | undefined): void {
  const path = join(root, file)
  if ((existsSync(path) ? readFileSync(path, 'utf8') : undefined) === text) return
  if (check) {
    console.error(`run \`npm run api\` and commit ${file}`)
    process.exitCode = 1
  } else if (text === undefined) rmSync(path)
  else writeFileSync(path, text)
}

function fileOf({ name }: Door): string {
  return name.replaceAll('/', '-')
}

function modelOf(door: Door): string {
  return join(root, 'temp', `${fileOf(door)}.api.json`)
}

function report(door: Door): boolean {
  if (!existsSync(join(root, door.types)))
    throw new Error(`${door.types} is missing: run \`npm run build\` first`)
  const file = `${fileOf(door)}.api.md`
  const configObject: IConfigFile = {
    projectFolder: root,
    mainEntryPointFilePath: join(root, door.types),
    compiler: { tsconfigFilePath: join(root, 'tsconfig.api.json') },
    apiReport: {
      enabled: true,
      reportFileName: file,
      reportFolder: join(root, 'etc'),
      reportTempFolder: join(root, 'temp'),
    },
    docModel: { enabled: true, apiJsonFilePath: modelOf(door) },
    dtsRollup: { enabled: false },
    tsdocMetadata: { enabled: false },
    newlineKind: 'lf',
    messages: {
      compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
      extractorMessageReporting: {
        default: { logLevel: ExtractorLogLevel.Error },
        // A type that a door only passes on is listed by the door that owns it, the main one.
        'ae-forgotten-export': { logLevel: ExtractorLogLevel.None },
        'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
        'ae-undocumented': { logLevel: ExtractorLogLevel.None },
        // Links of the model are not used.
        'ae-unresolved-link': { logLevel: ExtractorLogLevel.None },
      },
      tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
    },
  }
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  })
  const result = Extractor.invoke(config, { localBuild: !check })
  console.log(`etc/${file}: ${result.apiReportChanged ? 'changed' : 'as it was'}`)
  if (check && result.apiReportChanged) console.error(`run \`npm run api\` and commit etc/${file}`)
  return result.succeeded
}
