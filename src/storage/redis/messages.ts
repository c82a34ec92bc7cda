import { CheckpointerError } from '../../errors.ts'
import type { Batch, ListedRow, Query, Row } from '../storage.ts'
import { bodyOf, textOf } from './bodies.ts'
import type { RedisReply } from './driver.ts'
import { aliasOf, keyOf, nameOf } from './keys.ts'

/** Redis's word for no limit. */
const ALL = -1

/** What the script that commits is given. */
export function commitArgs(partition: string, batch: Batch, version: string): string[] {
  const { checks = [], puts = [], deletes = [], deleteRanges = [] } = batch
  const bodies: string[] = []
  const work = {
    checks: checks.map(({ table, key, version = '' }) => [nameOf(table, key), version]),
    ranges: deleteRanges.map(({ table, from, to }) => [nameOf(table, from), nameOf(table, to)]),
    deletes: deletes.map(({ table, key }) => nameOf(table, key)),
    puts: puts.map(({ table, key, head, body, alias, rank }) => ({
      name: nameOf(table, key),
      head,
      ...(alias ? { alias: aliasOf(alias) } : {}),
      ...(rank === undefined ? {} : { score: scoreOf(rank) }),
      ...(body ? { body: BEFORE_BODIES + bodies.push(textOf(body)) } : {}),
    })),
  }
  return [partition, version, JSON.stringify(work), ...bodies]
}

const BEFORE_BODIES = 3

/** Negative, so that the greatest rank comes first, and rows of the same in the order of their names. */
export function scoreOf(rank: number): string {
  // Redis would refuse it in the midst of the script.
  if (Number.isNaN(rank)) throw new CheckpointerError('INVALID', 'A rank is a number, and not NaN.')
  return String(0 - rank)
}

export function readArgs(partition: string, queries: readonly Query[]): string[] {
  const asked = queries.map((query) => {
    const { table } = query
    if ('keys' in query) return { names: query.keys.map((key) => nameOf(table, key)) }
    if ('alias' in query) return { alias: aliasOf(query.alias) }
    const { from, to, reverse = false, limit } = query
    return { from: nameOf(table, from), to: nameOf(table, to), reverse, limit: mostOf(limit) }
  })
  return [partition, JSON.stringify(asked)]
}

export const mostOf = (limit = Number.POSITIVE_INFINITY): number => (limit < 2 ** 53 ? limit : ALL)

export function rowsOf(queries: readonly Query[], reply: RedisReply): Row[][] {
  const lists = reply as readonly (readonly string[])[]
  return queries.map(({ table }, i) => {
    const fields = lists[i] ?? []
    return Array.from({ length: fields.length / 3 }, (_, row) => {
      const [name = '', head = '', body = ''] = fields.slice(3 * row, 3 * row + 3)
      return rowOf(table, name, head, body).row
    })
  })
}

export function rowOf(
  table: Query['table'],
  name: string,
  value: string,
  body: string,
): { readonly row: Row; readonly link: string } {
  const first = value.indexOf('\n')
  const second = value.indexOf('\n', first + 1)
  return {
    link: value.slice(first + 1, second),
    row: {
      key: keyOf(table, name),
      head: value.slice(second + 1),
      version: value.slice(0, first),
      ...(body === '' ? {} : { body: bodyOf(body) }),
    },
  }
}

export function listedRows(reply: RedisReply): ListedRow[] {
  const fields = reply as readonly string[]
  return Array.from({ length: fields.length / 4 }, (_, i) => {
    const [name = '', score, head = '', body = ''] = fields.slice(4 * i, 4 * i + 4)
    const { row, link } = rowOf('threads', name, head, body)
    return { ...row, partition: link, rank: 0 - Number(score) }
  })
}
