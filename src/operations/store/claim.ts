import { CheckpointerError, isTaken } from '../../errors.ts'
import { randomId } from '../../ids.ts'
import { accessTo, CURRENT_FORMAT } from '../../storage/format-version.ts'
import { DATABASE_KEY, DATABASE_PARTITION, IMPORTS } from '../../storage/keys.ts'
import type { Row, SessionReport, Storage } from '../../storage/storage.ts'
import { isVersions, openMeta, type DatabaseFacts } from '../rows/meta-row.ts'
import { seal, unseal } from '../rows/seal.ts'
import { unlessDamaged } from './unread.ts'

/**
 * Which database the storage holds. It may be taken away while it is open, and what is opened in its place may be
 * another one: then it is claimed anew, before anything else is done with it.
 */
export class Claim {
  readonly #storage: Storage
  readonly #onWarning: (warning: CheckpointerError) => void
  readonly #onOther: () => void
  #database: string | undefined
  #isReadOnly = false
  #imports: readonly Row[] = []
  #isDoubted = true
  #renewing: Promise<void> | undefined
  #report: Promise<SessionReport | undefined> | undefined

  /** `onOther` is called when all that was remembered is of a database that is gone. */
  constructor(storage: Storage, onWarning: (warning: CheckpointerError) => void, onOther: () => void) {
    this.#storage = storage
    this.#onWarning = onWarning
    this.#onOther = onOther
  }

  /** The id of the database; absent when the row that says it is damaged. */
  get database(): string | undefined {
    return this.#database
  }

  /** A newer version has written it, in a way that this one could not go on with. */
  get isReadOnly(): boolean {
    return this.#isReadOnly
  }

  /** Refuses whoever would change something. */
  needWritable(): void {
    if (this.#isReadOnly) throw tooNewToWrite()
  }

  /** The rows of imports that were under way when it was claimed: read beside its own. */
  get imports(): readonly Row[] {
    return this.#imports
  }

  get isDoubted(): boolean {
    return this.#isDoubted
  }

  doubtAfter(error: unknown): void {
    // The storage may hold another database when it is next used.
    if (isTaken(error)) this.#isDoubted = true
  }

  renew(): Promise<void> {
    this.#renewing ??= this.#claim().finally(() => (this.#renewing = undefined))
    return this.#renewing
  }

  /** How the sessions before this one have ended, as it was when the database was claimed. */
  session(): Promise<SessionReport | undefined> {
    if (this.#report) return this.#report
    const report = Promise.resolve(this.#storage.sessionReport?.())
    this.#report = report
    // Who asks next may be told.
    report.catch(() => {
      if (this.#report === report) this.#report = undefined
    })
    return report
  }

  async #claim(): Promise<void> {
    const { database, isReadOnly, imports } = await claimDatabase(this.#storage, this.#onWarning)
    if (database !== this.#database) {
      this.#onOther()
      this.#report = undefined
    }
    if (isReadOnly && !this.#isReadOnly) this.#onWarning(tooNewToWrite())
    this.#database = database
    this.#isReadOnly = isReadOnly
    this.#imports = imports
    this.#isDoubted = false
  }
}

interface Claimed {
  readonly database: string | undefined
  readonly isReadOnly: boolean
}

/**
 * The id of the database, from the row that is made with it: so a wiped one can be told from it. Refuses a database that
 * this version may not read. Without an id when that row is damaged: each row says its own format, so all else can be read.
 */
async function claimDatabase(
  storage: Storage,
  onWarning: (warning: CheckpointerError) => void,
): Promise<Claimed & { readonly imports: readonly Row[] }> {
  const facts: DatabaseFacts = { format: CURRENT_FORMAT, id: randomId(), createdAt: Date.now() }
  for (;;) {
    const [rows, imports = []] = await storage.read(DATABASE_PARTITION, [
      { table: 'meta', keys: [DATABASE_KEY] },
      { table: 'meta', ...IMPORTS },
    ])
    const row = rows?.[0]
    if (row) return { ...claimed(row, onWarning), imports }
    const made = await storage.commit(DATABASE_PARTITION, {
      checks: [{ table: 'meta', key: DATABASE_KEY, version: undefined }],
      puts: [
        { table: 'meta', key: DATABASE_KEY, head: seal(DATABASE_PARTITION, 'meta', DATABASE_KEY, facts) },
      ],
    })
    // When another one was first, its row serves as well.
    if (made.ok) return { database: facts.id, isReadOnly: false, imports }
  }
}

function claimed(row: Row, onWarning: (warning: CheckpointerError) => void): Claimed {
  const versions = unlessDamaged(() => unseal(DATABASE_PARTITION, 'meta', row))
  const access = isVersions(versions) ? accessTo(versions) : 'write'
  // What else stands in the row of a later format is not known.
  if (access === 'none') throw tooNewToRead()
  const facts = unlessDamaged(() => openMeta('database', DATABASE_PARTITION, row))
  if (!facts)
    onWarning(
      new CheckpointerError(
        'CORRUPT',
        'The row that describes the database is damaged. verify() tells what else is.',
      ),
    )
  return { database: facts?.id, isReadOnly: access === 'read' }
}

const tooNewToRead = (): CheckpointerError =>
  new CheckpointerError(
    'FORMAT_TOO_NEW',
    'A newer version of the package has written this database, and this one cannot read it. Update the package, or reload the page.',
  )

const tooNewToWrite = (): CheckpointerError =>
  new CheckpointerError(
    'FORMAT_TOO_NEW',
    'A newer version of the package has written this database: this one can read it, and changes nothing in it. Update the package, or reload the page.',
    { outcome: 'none' },
  )
