import { describe, expect, it } from 'vitest'
import { EditableJson } from '../../src/inspector/acts/editable-json.ts'

describe('a state to be edited', () => {
  it('comes back as it was, also what JSON cannot say', () => {
    const circle: Record<string, unknown> = { n: 1 }
    circle['self'] = circle
    const state = {
      text: 'a',
      at: new Date(5),
      seen: new Map([['k', new Set([1n])]]),
      nothing: undefined,
      odd: [NaN, -0, Infinity],
      bytes: new Uint8Array([1, 2]),
      long: 'x'.repeat(50_000),
      own: { $kept: 'a key of its own' },
      circle,
    }
    const json = new EditableJson(state)
    expect(json.text?.length).toBeLessThan(10_000)
    expect(json.read(json.text ?? '')).toEqual(state)
  })

  it('keeps keys that have the names of what every object has', () => {
    const state: unknown = JSON.parse('{"__proto__": {"a": 1}, "at": null}')
    const json = new EditableJson({ state, at: new Date(1) })
    expect(json.text).toContain('"__proto__"')
    const back = json.read(json.text ?? '') as { state: object }
    expect(Object.keys(back.state)).toEqual(['__proto__', 'at'])
    expect(Object.getPrototypeOf(back.state)).toBe(Object.prototype)
  })

  it('can be edited around what was kept', () => {
    const at = new Date(5)
    const json = new EditableJson({ at, list: [1] })
    const back = json.read((json.text ?? '').replace('"at"', '"moved"').replace('1\n', '2\n'))
    expect(back).toEqual({ moved: at, list: [2] })
  })

  it('refuses what is no JSON, and what was never kept', () => {
    const json = new EditableJson({ at: new Date(5) })
    expect(() => json.read('{ a')).toThrow(SyntaxError)
    expect(() => json.read('{"$kept": 7}')).toThrow('There is no kept value 7')
  })

  it('is not offered when there is far too much of it', () => {
    expect(new EditableJson(Array.from({ length: 400_000 }, (_, i) => i)).text).toBeUndefined()
  })
})
