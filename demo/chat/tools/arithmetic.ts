import { ToolError } from './tool.ts'

const FUNCTIONS: Readonly<Record<string, (...values: number[]) => number>> = {
  sqrt: Math.sqrt,
  abs: Math.abs,
  round: Math.round,
  floor: Math.floor,
  ceil: Math.ceil,
  ln: Math.log,
  log: Math.log10,
  min: Math.min,
  max: Math.max,
}
const CONSTANTS: Readonly<Record<string, number>> = { pi: Math.PI, e: Math.E }
const TOKEN = /\s*(?:(\d+(?:\.\d+)?|\.\d+)|([a-z]+)|([-+*/^%(),×÷−]))/iy
const SIGNS: Readonly<Record<string, string>> = { '×': '*', '÷': '/', '−': '-' }

/** What an expression comes to. No code is run: it is read sign by sign. */
export function evaluate(text: string): number {
  const parser = new Parser(tokensOf(text.replace(/(\d),(?=\d{3}\b)/g, '$1')))
  const value = parser.sum()
  parser.end()
  if (!Number.isFinite(value)) throw new ToolError(`'${text}' has no finite value.`)
  return value
}

type Token = number | string

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex
    const match = TOKEN.exec(text)
    if (!match) throw new ToolError(`'${text}' is not arithmetic: what is '${text.slice(at).trim()}'?`)
    const [, number, word, sign = ''] = match
    tokens.push(number === undefined ? (word?.toLowerCase() ?? SIGNS[sign] ?? sign) : Number(number))
  }
  return tokens
}

/** Each rule of the grammar is a method; the loosest is `sum`. */
class Parser {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  sum(): number {
    let value = this.#product()
    for (;;) {
      if (this.#take('+')) value += this.#product()
      else if (this.#take('-')) value -= this.#product()
      else return value
    }
  }

  end(): void {
    if (this.#at < this.#tokens.length) throw this.#unexpected()
  }

  #product(): number {
    let value = this.#signed()
    for (;;) {
      if (this.#take('*')) value *= this.#signed()
      else if (this.#take('/')) value /= this.#signed()
      else return value
    }
  }

  #signed(): number {
    return this.#take('-') ? -this.#signed() : this.#power()
  }

  /** From the right: 2 ^ 3 ^ 2 is 2 ^ 9. */
  #power(): number {
    let base = this.#operand()
    while (this.#take('%')) base /= 100
    return this.#take('^') ? base ** this.#signed() : base
  }

  #operand(): number {
    const token = this.#tokens[this.#at++]
    if (typeof token === 'number') return token
    if (token === '(') {
      const value = this.sum()
      this.#expect(')')
      return value
    }
    const constant =
      typeof token === 'string' && Object.hasOwn(CONSTANTS, token) ? CONSTANTS[token] : undefined
    if (constant !== undefined) return constant
    const work = typeof token === 'string' && Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined
    if (!work) {
      this.#at--
      throw this.#unexpected()
    }
    this.#expect('(')
    const values = [this.sum()]
    while (this.#take(',')) values.push(this.sum())
    this.#expect(')')
    return work(...values)
  }

  #take(sign: string): boolean {
    if (this.#tokens[this.#at] !== sign) return false
    this.#at++
    return true
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw this.#unexpected()
  }

  #unexpected(): ToolError {
    const token = this.#tokens[this.#at]
    return new ToolError(
      token === undefined ? 'The expression ends too early.' : `'${token}' cannot stand there.`,
    )
  }
}
