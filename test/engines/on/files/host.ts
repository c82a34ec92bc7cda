import * as fs from 'node:fs/promises'
import { join } from 'node:path'
import { filesStorage } from '../../../../src/storage/files.ts'
import { given, host } from '../../support/host.ts'

host((name) => filesStorage(fs, join(given, name)))
