import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../../scripts/doors.ts'
import type { ContenderName, Measure } from '../contenders.ts'
import { RESULTS, type Figures } from '../figures.ts'
import { percentile, spread } from '../statistics.ts'
import { chart } from './chart.ts'
import { sizeTable, speedTable } from './compare.ts'
import { filled } from './filled.ts'
import { ahead, judged, lostIn, ratioOf } from './judge.ts'
import { page } from './page.ts'
import { allKept, partsOf } from './report.ts'
import { tablesOf, TITLES } from './tables.ts'
import { missed, missedMeasures, singleTargets, targetTable } from './targets.ts'

const all = JSON.parse(readFileSync(join(root, 'test/bench/report/fixed.json'), 'utf8')) as Figures[]
const [chat, many] = all as [Figures, Figures]
const namesAhead = (figures: Figures, measure: Measure): ContenderName[] =>
  ahead(figures, measure).map(({ name }) => name)
const rowOf = (lines: readonly string[], label: string): string =>
  lines.find((line) => line.startsWith(`| ${label}`)) ?? ''

describe('of many times', () => {
  it('the median and the 95th percentile are times that were measured', () => {
    expect(spread(Array.from({ length: 100 }, (_, i) => 100 - i))).toEqual({
      median: 50,
      p95: 95,
      times: 100,
    })
    expect(spread([3])).toEqual({ median: 3, p95: 3, times: 1 })
  })

  it('of fewer than twenty the 95th percentile is the longest', () => {
    expect(spread(Array.from({ length: 19 }, (_, i) => i)).p95).toBe(18)
    expect(spread(Array.from({ length: 20 }, (_, i) => i)).p95).toBe(18)
  })

  it('nothing measured has no median', () => {
    expect(() => percentile([], 0.5)).toThrow()
  })
})

describe('who is judged', () => {
  it('is compared with the floor of the same promise', () => {
    expect(ratioOf(chat, 'forkpoint', 'save')).toBe(2.5)
    expect(ratioOf(chat, 'whole', 'save')).toBe(2.4)
    expect(ratioOf(chat, 'rxdb', 'save')).toBe(18)
  })

  it('meets a target or misses it, in the workload that it is about', () => {
    expect(judged(chat, 'save')).toEqual({ value: 2.5, met: false })
    expect(judged(chat, 'load')).toEqual({ value: 1.25, met: true })
    expect(judged(chat, 'prune')).toBeUndefined()
    expect(judged({ ...chat, workload: 'prune' }, 'prune')).toEqual({ value: 40, met: false })
  })

  it('is ahead by more than a tenth, and among those that persist', () => {
    expect(namesAhead(chat, 'save')).toEqual([])
    expect(ahead(chat, 'load')).toEqual([
      { name: 'dexie', times: 2.5 },
      { name: 'whole', times: 5 / 3 },
    ])
  })

  it('is ahead of nobody where it came less far', () => {
    for (const measure of ['save', 'handed', 'disk'] as const) {
      expect(namesAhead(chat, measure)).not.toContain('dexie')
      expect(ratioOf(chat, 'dexie', measure)).toBeUndefined()
    }
    expect(namesAhead(many, 'list')).toEqual(['idb-keyval'])
    expect(namesAhead(many, 'disk')).toEqual([])
  })

  it('is ahead of nobody by less than three times', () => {
    expect(namesAhead(chat, 'prune')).toEqual([])
  })

  it('is missed when it has failed, or is not there', () => {
    expect(lostIn(chat)).toEqual([])
    const { floor: _floor, ...others } = chat.contenders
    expect(lostIn({ ...chat, contenders: others })).toEqual(['floor'])
    const failed = { ...chat.contenders, forkpoint: { measures: {}, failed: 'it broke' } }
    expect(lostIn({ ...chat, contenders: failed })).toEqual(['forkpoint'])
  })
})

describe('the tables', () => {
  const lines = tablesOf(chat)

  it('say how often each was measured', () => {
    expect(rowOf(lines, 'n |')).toBe('| n | 2 to 75 | 25 | 1 | 1 |')
  })

  it('have the median, the 95th percentile, and what that is to the floor', () => {
    expect(rowOf(lines, '**forkpoint**')).toBe(
      '| **forkpoint** | 2.50 ms (5.00) 2.50× | 0.30 ms (0.90) | 4.70 MB | 3.00 MB |',
    )
  })

  it('say who was given up and after how many of what, and put that in italics', () => {
    const [, mark] = /Dexie<sup>(\d)<\/sup>/.exec(rowOf(lines, 'Dexie')) ?? []
    expect(lines.join('\n')).toContain(`<sup>${mark}</sup> given up after 120 of 500 steps`)
    expect(rowOf(lines, 'Dexie')).toContain('*0.10 ms (0.20)*')
    expect(tablesOf(many).join('\n')).toContain('given up after 300 of 2000 threads')
  })

  it('give a reason for each dash, and none twice', () => {
    const marks = [...lines.join('\n').matchAll(/–(?:<sup>(\d+)<\/sup>)?/g)].map(([, mark]) => mark)
    const notes = lines.filter((line) => line.startsWith('<sup>'))
    expect(marks.length).toBeGreaterThan(10)
    for (const mark of marks) expect(notes[Number(mark) - 1]).toMatch(`<sup>${mark}</sup> `)
    expect(new Set(notes.map((line) => line.replace(/^<sup>\d+<\/sup>/, ''))).size).toBe(notes.length)
    expect(notes.join()).toContain(String.raw`it failed: no \| room`)
  })

  it('tell how an answer is stored while it comes in, and what that promises', () => {
    const stream = tablesOf({ ...chat, workload: 'stream' })
    expect(rowOf(stream, 'forkpoint')).toContain('relaxed, the end strict')
    expect(rowOf(stream, 'raw IndexedDB, whole state')).toMatch(/every 50 ms and at the end \| strict \|$/)
  })

  it('are tables: each row has as many cells as its head', () => {
    for (const block of page('chromium', all).join('\n').split('\n\n')) {
      const rows = block.split('\n').filter((line) => line.startsWith('|'))
      const cells = rows.map((row) => row.replaceAll(String.raw`\|`, '').split('|').length)
      expect(new Set(cells).size).toBeLessThanOrEqual(1)
    }
  })
})

describe('the targets', () => {
  it('are told with what was missed of them, and where', () => {
    expect(rowOf(targetTable(all), 'chat')).toContain('2.50× **missed**')
    expect(rowOf(targetTable(all), 'chat')).toContain('not in: load, cold')
    expect(singleTargets(all)).toMatchObject([{ value: 2, most: 1.5, times: 67 }])
    expect(missed(all)).toEqual([
      '- save, at most 2.00×: 2.50× in `chat`',
      '- a save at 4,000 messages to one at 400, frozen: 2.00× (n = 67), at most 1.50× **missed**',
    ])
  })
})

describe('a chart', () => {
  const svg = chart(chat)

  it('has a row for each who was measured, and nothing outside of it', () => {
    const [, width = '', height = ''] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []
    expect([...svg.matchAll(/class="name"/g)]).toHaveLength(Object.keys(chat.contenders).length)
    for (const [, axis, value] of svg.matchAll(/ c?(x|y)[12]?="([-\d.]+)"/g)) {
      expect(Number(value)).toBeGreaterThanOrEqual(0)
      expect(Number(value)).toBeLessThanOrEqual(Number(axis === 'x' ? width : height))
    }
  })

  it('closes what it opens', () => {
    const open: string[] = []
    for (const [, slash, name = '', empty] of svg.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g))
      if (slash) expect(open.pop()).toBe(name)
      else if (!empty) open.push(name)
    expect(open).toEqual([])
  })

  it('puts into brackets what is of less', () => {
    expect(svg).toContain('>(0.10 ms)<')
    expect(svg).toContain('>2.50 ms<')
  })
})

describe('what documents tell', () => {
  it('is filled in at its place, and nowhere else', () => {
    const document = 'before\n<!-- measured: a -->\nold\n<!-- /measured -->\nafter\n'
    const text = filled(document, { a: ['new'] })
    expect(text).toBe('before\n<!-- measured: a -->\n\nnew\n\n<!-- /measured -->\nafter\n')
    expect(filled(text, { a: ['new'] })).toBe(text)
    expect(() => filled(document, {})).toThrow()
    expect(() => filled(document, { a: [], b: [] })).toThrow()
  })

  it('is one line for each of those that persist, and their sizes', () => {
    const lines = speedTable(all, 'bench/README.md')
    expect(rowOf(lines, '**forkpoint**')).toContain('| 2.50 ms | 0.30 ms | – | 3.00 MB |')
    expect(rowOf(lines, 'Dexie')).toContain('| *0.10 ms* |')
    expect(rowOf(lines, 'LangGraph')).toBe('')
    const contenders = { dexie: { first: 31_564, later: 0, version: '4.0.0', licence: 'Apache-2.0' } }
    expect(rowOf(sizeTable({ day: '2026-01-02', contenders }), 'Dexie')).toBe(
      '| Dexie | 4.0.0 | Apache-2.0 | 31.6 KB | – |',
    )
  })

  const kept = allKept(RESULTS, 'chromium')

  it('is what was measured last: `npm run bench -- --report` writes it', () => {
    for (const [name, parts] of Object.entries(partsOf(RESULTS, kept))) {
      const text = readFileSync(join(root, name), 'utf8')
      expect(filled(text, parts), name).toBe(text)
    }
    for (const engine of ['chromium', 'firefox'] as const) {
      const figures = allKept(RESULTS, engine)
      if (figures.length === 0) continue
      const name = engine === 'chromium' ? 'README.md' : 'firefox.md'
      expect(readFileSync(join(RESULTS, name), 'utf8')).toBe(`${page(engine, figures).join('\n')}\n`)
    }
  })

  it('has a reason for each target that was missed', () => {
    const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    for (const measure of new Set([...missedMeasures(all), ...missedMeasures(kept)]))
      expect(text).toContain(`\n- **${TITLES[measure]}.** `)
  })
})
