/**
 * `npm run bench:growth`: what a million threads of a hundred checkpoints would take, on Durable Objects and on Postgres.
 * A few threads are really made, and what they took is counted by the engine itself; the rest is multiplication. It needs
 * what `npm run test:engines` and `npm run bench:edge` install.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openCheckpointer, type Storage } from '../../../../src/index.ts'
import { nodePostgres, postgresStorage } from '../../../../src/storage/postgres.ts'
import { EngineAtWork } from '../../../engines/support/engine.ts'
import { startPostgres } from '../../../engines/support/postgres.ts'
import { root } from '../../../../scripts/doors.ts'
import { advance, newState } from '../../agent-loop.ts'
import { hottestFamily } from './families.ts'

const THREADS = 1_000_000
const CHECKPOINTS = 100
const LOADS = 3
const SAMPLE = 4

/** US dollars, of the vendors' pages as stored in July 2026; what is included for free is left out. */
const RATES = {
  // developers.cloudflare.com/durable-objects/platform/pricing and /d1/platform/pricing, whose rows cost the same
  durableObjects: { millionRowsWritten: 1, millionRowsRead: 0.001, gbMonth: 0.2, millionRequests: 0.15 },
  // neon.com/pricing, plan Launch
  postgres: { cuHour: 0.106, gbMonth: 0.35 },
}

/** Of one thread: all of its saves, and some loads with nothing known. */
interface Taken {
  readonly rowsWritten: number
  readonly rowsRead: number
  readonly bytes: number
  readonly seconds: number
}

async function live(open: () => Promise<Storage>, id: string): Promise<void> {
  const checkpointer = await openCheckpointer({ name: `growth ${id}`, storage: await open() })
  const state = newState()
  for (let step = 1; step <= CHECKPOINTS; step++) await checkpointer.thread(id).save(advance(state, step))
  await checkpointer.close()
  for (let i = 0; i < LOADS; i++) {
    const cold = await openCheckpointer({ name: `growth ${id} ${i}`, storage: await open() })
    await cold.thread(id).load()
    await cold.close()
  }
}

async function onDurableObjects(): Promise<Taken> {
  const file = join(root, 'test/engines/on/durable-object/host.ts')
  const work = new EngineAtWork({
    name: 'growth',
    host: [process.execPath, file],
    hosts: 'one',
    databases: 'many',
  })
  await work.start()
  try {
    const start = performance.now()
    const all: { rowsWritten: number; rowsRead: number; bytes: number }[] = []
    for (let i = 0; i < SAMPLE; i++) {
      const database = await work.newDatabase()
      await live(() => work.open(database), 'thread')
      all.push((await (await fetch(work.address(database))).json()) as (typeof all)[number])
    }
    const mean = (of: keyof (typeof all)[number]) => all.reduce((sum, each) => sum + each[of], 0) / SAMPLE
    const seconds = (performance.now() - start) / 1000 / SAMPLE
    return { rowsWritten: mean('rowsWritten'), rowsRead: mean('rowsRead'), bytes: mean('bytes'), seconds }
  } finally {
    await work.end()
  }
}

async function onPostgres(): Promise<Taken & { readonly wal: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'forkpoint-growth-'))
  chmodSync(folder, 0o711)
  const { process: server, ...where } = await startPostgres(folder)
  const pool = new pg.Pool({ host: where.host, port: where.port, user: where.user, database: where.database })
  try {
    const open = async (): Promise<Storage> => postgresStorage(nodePostgres(pool))
    await live(open, 'first')
    const look = async () => {
      await pool.query('SELECT pg_stat_force_next_flush()')
      const { rows } = await pool.query(`SELECT
        (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables) AS written,
        (SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables) AS read,
        (SELECT sum(pg_total_relation_size(relid)) FROM pg_stat_user_tables) AS bytes,
        pg_current_wal_lsn() - '0/0'::pg_lsn AS wal`)
      return rows[0] as Record<'written' | 'read' | 'bytes' | 'wal', string>
    }
    const before = await look()
    const start = performance.now()
    for (let i = 0; i < SAMPLE; i++) await live(open, `thread ${i}`)
    const seconds = (performance.now() - start) / 1000 / SAMPLE
    const after = await look()
    const each = (of: keyof typeof before): number => (Number(after[of]) - Number(before[of])) / SAMPLE
    return {
      rowsWritten: each('written'),
      rowsRead: each('read'),
      bytes: each('bytes'),
      seconds,
      wal: each('wal'),
    }
  } finally {
    await pool.end()
    server.kill('SIGQUIT')
    await new Promise((resolve) => server.once('exit', resolve))
    rmSync(folder, { recursive: true })
  }
}

const objects = await onDurableObjects()
const postgres = await onPostgres()
const millions = (value: number): string => `${((value * THREADS) / 1e6).toFixed(0)} million`
const tb = (value: number): string => `${((value * THREADS) / 1e12).toFixed(2)} TB`
const usd = (value: number): string => `$${Math.round(value).toLocaleString('en')}`
const { durableObjects: rates, postgres: neon } = RATES
const requests = (CHECKPOINTS + LOADS) * THREADS
const rows: readonly (readonly [string, string, string])[] = [
  ['rows written', millions(objects.rowsWritten), millions(postgres.rowsWritten)],
  ['rows read', millions(objects.rowsRead), millions(postgres.rowsRead)],
  ['bytes stored', tb(objects.bytes), tb(postgres.bytes)],
  ['bytes of the write-ahead log', '', tb(postgres.wal)],
  [
    'price of writing and reading, once',
    usd(
      (objects.rowsWritten * THREADS * rates.millionRowsWritten) / 1e6 +
        (objects.rowsRead * THREADS * rates.millionRowsRead) / 1e6 +
        (requests * rates.millionRequests) / 1e6,
    ),
    `by the time that the machine is awake, ${usd(neon.cuHour * 24 * 30)} a month for each CU`,
  ],
  [
    'price of keeping, a month',
    usd((objects.bytes * THREADS * rates.gbMonth) / 1e9),
    usd((postgres.bytes * THREADS * neon.gbMonth) / 1e9),
  ],
]
console.log(
  `${SAMPLE} threads of ${CHECKPOINTS} checkpoints, each loaded ${LOADS} times; then times ${THREADS / SAMPLE}\n`,
)
console.log(
  [
    '| | Durable Objects | Postgres |',
    '| --- | --- | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n'),
)
const { forks, share } = hottestFamily(THREADS, 0.05)
console.log(
  `\nhottest family: ${forks} of the forks, ${(share * 100).toFixed(4)} % of all saves, ${((objects.bytes * (1 + forks)) / 1e9).toFixed(2)} GB of an object's 10 GB`,
)
