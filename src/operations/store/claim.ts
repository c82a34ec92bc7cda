import { CheckpointerError, isTaken } from '../../errors.ts'
import { randomId } from '../../ids.ts'
import { CURRENT_FORMAT } from '../../storage/format-version.ts'
import { DATABASE_KEY, DATABASE_PARTITION, IMPORTS } from '../../storage/keys.ts'
import type { Row, SessionReport, Storage } from '../../storage/storage.ts'
import { seal, unseal } from '../rows/seal.ts'
import { unlessDamaged } from './store.ts'

interface DatabaseFacts {
  readonly format: number
  readonly id: string
  readonly createdAt: number
}

/**
 * Which database the storage holds. It may be taken away while it is open, and what is opened in its place may be
 * another one: then it is claimed anew, before anything else is done with it.
 */
export class Claim {
  readonly #storage: Storage
  readonly #onWarning: (warning: CheckpointerError) => void
  readonly #onOther: () => void
  #database: string | undefined
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
    this.#report ??= Promise.resolve(this.#storage.sessionReport?.())
    return this.#report
  }

  async #claim(): Promise<void> {
    const { database, imports } = await claimDatabase(this.#storage, this.#onWarning)
    if (database !== this.#database) {
      this.#onOther()
      this.#report = undefined
    }
    this.#database = database
    this.#imports = imports
    this.#isDoubted = false
  }
}

/**
 * The id of the database, from the row that is made with it: so a wiped one can be told from it. Refuses a database
 * of another format. Without an id when that row is damaged: each row says its own format, so all else can be read.
 */
async function claimDatabase(
  storage: Storage,
  onWarning: (warning: CheckpointerError) => void,
): Promise<{ readonly database: string | undefined; readonly imports: readonly Row[] }> {
  const facts: DatabaseFacts = { format: CURRENT_FORMAT, id: randomId(), createdAt: Date.now() }
  for (;;) {
    const [rows, imports = []] = await storage.read(DATABASE_PARTITION, [
      { table: 'meta', keys: [DATABASE_KEY] },
      { table: 'meta', ...IMPORTS },
    ])
    const row = rows?.[0]
    if (row) return { database: idIn(row, onWarning), imports }
    const made = await storage.commit(DATABASE_PARTITION, {
      checks: [{ table: 'meta', key: DATABASE_KEY, version: undefined }],
      puts: [
        { table: 'meta', key: DATABASE_KEY, head: seal(DATABASE_PARTITION, 'meta', DATABASE_KEY, facts) },
      ],
    })
    // When another one was first, its row serves as well.
    if (made.ok) return { database: facts.id, imports }
  }
}

function idIn(row: Row, onWarning: (warning: CheckpointerError) => void): string | undefined {
  const facts = unlessDamaged(() => unseal(DATABASE_PARTITION, 'meta', row) as DatabaseFacts)
  if (!facts) {
    onWarning(new CheckpointerError('CORRUPT', 'The row that describes the database is damaged.'))
    return undefined
  }
  if (facts.format <= CURRENT_FORMAT) return facts.id
  throw new CheckpointerError(
    'FORMAT_TOO_NEW',
    `The database has format ${facts.format}, this version writes ${CURRENT_FORMAT}. Update the package.`,
  )
}
