import { DurableObject } from 'cloudflare:workers'
import type { FamilyIndex, IndexedThread } from 'forkpoint/server'

type Row = { [Name in keyof IndexedThread]: IndexedThread[Name] }

/** Until then it is only remembered when a thread was last changed: what a list needs of it may be lost. */
const WRITE_AFTER = 10_000

/** Which threads a tenant has, and in which family each: one object for each tenant, with one row for each thread. */
export class Index extends DurableObject implements FamilyIndex {
  /** When threads were changed that is not written yet: a save need not bill rows here. */
  readonly #touched = new Map<string, number>()

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    this.ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS threads (thread TEXT PRIMARY KEY, family TEXT NOT NULL, rank REAL NOT NULL) WITHOUT ROWID',
    )
    this.ctx.storage.sql.exec('CREATE INDEX IF NOT EXISTS by_rank ON threads (rank DESC, thread)')
  }

  async find(thread: string): Promise<IndexedThread | undefined> {
    return this.#rows('SELECT * FROM threads WHERE thread = ?', thread)[0]
  }

  async enter({ thread, family, rank }: IndexedThread): Promise<IndexedThread> {
    this.#rows('INSERT INTO threads VALUES (?, ?, ?) ON CONFLICT DO NOTHING', thread, family, rank)
    return (await this.find(thread)) as IndexedThread
  }

  async touch(thread: string, rank: number): Promise<void> {
    if (this.#touched.size === 0) setTimeout(() => this.#write(), WRITE_AFTER)
    this.#touched.set(thread, Math.max(rank, this.#touched.get(thread) ?? 0))
  }

  async list({ limit, after }: Parameters<FamilyIndex['list']>[0]): Promise<readonly IndexedThread[]> {
    this.#write()
    const { rank = Number.MAX_VALUE, thread = '' } = after ?? {}
    return this.#rows(
      'SELECT * FROM threads WHERE rank < ?1 OR (rank = ?1 AND thread > ?2) ORDER BY rank DESC, thread LIMIT ?3',
      rank,
      thread,
      limit,
    )
  }

  #write(): void {
    for (const [thread, rank] of this.#touched)
      this.#rows('UPDATE threads SET rank = ?2 WHERE thread = ?1 AND rank < ?2', thread, rank)
    this.#touched.clear()
  }

  #rows(sql: string, ...values: readonly (string | number)[]): IndexedThread[] {
    const rows = this.ctx.storage.sql.exec<Row>(sql, ...values)
    return rows.toArray().map(({ thread, family, rank }) => ({ thread, family, rank }))
  }
}
