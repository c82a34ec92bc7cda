/** Writes the report of every public door to etc/, or with `--check` fails when it has changed. Needs a build. */
import { Extractor, ExtractorConfig, ExtractorLogLevel, type IConfigFile } from '@microsoft/api-extractor'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { doors, root } from './doors.ts'

const check = process.argv.includes('--check')

mkdirSync(join(root, 'etc'), { recursive: true })
for (const door of doors) {
  // The worker's door is a script and exports nothing.
  if (door.name === 'forkpoint/worker') continue
  if (!report(door.name.replaceAll('/', '-'), door.types)) process.exitCode = 1
}

function report(name: string, types: string): boolean {
  if (!existsSync(join(root, types))) throw new Error(`${types} is missing: run \`npm run build\` first`)
  const file = `${name}.api.md`
  const configObject: IConfigFile = {
    projectFolder: root,
    mainEntryPointFilePath: join(root, types),
    compiler: { tsconfigFilePath: join(root, 'tsconfig.api.json') },
    apiReport: {
      enabled: true,
      reportFileName: file,
      reportFolder: join(root, 'etc'),
      reportTempFolder: join(root, 'temp'),
    },
    docModel: { enabled: false },
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
