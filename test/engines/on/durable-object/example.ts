import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exampleOf } from '../../support/example.ts'
import { inWorkerd } from '../workerd.ts'

/** The example of docs/durable-objects.md, run as it stands. */
const folder = mkdtempSync(join(tmpdir(), 'forkpoint-example-'))
const file = join(folder, 'worker.ts')
writeFileSync(file, exampleOf('durable-objects.md'))
await inWorkerd(file, { durableObjects: { FAMILY: { className: 'Family', useSQLite: true } } })
rmSync(folder, { recursive: true })
