import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, type Door } from './doors.ts'

/** As api-extractor writes them: of all that is there, what is read here. */
interface Item {
  readonly kind: string
  readonly name?: string
  readonly docComment?: string
  readonly excerptTokens?: readonly { readonly text: string }[]
  /** The file of declarations that it stands in. */
  readonly fileUrlPath?: string
  readonly members?: readonly Item[]
}

const KINDS: Readonly<Record<string, string>> = {
  Function: 'Functions',
  Class: 'Classes',
  Variable: 'Values',
  Interface: 'Interfaces',
  TypeAlias: 'Types',
}

/** A page of a door: all that it exports, with the words above each in the sources. */
export interface ApiPage {
  readonly text: string
  /** Those with no word above them. */
  readonly undocumented: readonly string[]
}

export function apiPage(door: Door, model: string): ApiPage {
  const { members = [] }: Item = JSON.parse(readFileSync(model, 'utf8'))
  const items = members.flatMap((entry) => entry.members ?? [])
  const undocumented: string[] = []
  const sections = Object.entries(KINDS).flatMap(([kind, title]) => {
    const found = items.filter((item) => item.kind === kind)
    return found.length === 0 ? [] : [`## ${title}`, ...found.map((item) => sectionOf(item, undocumented))]
  })
  const unknown = items.find(({ kind }) => !(kind in KINDS))
  if (unknown) throw new Error(`${door.name} exports a ${unknown.kind}, which the pages have no place for`)
  const intro = `What \`${door.name}\` exports. Written by \`npm run api\` from the comments in the sources; change it there.`
  const text = [`# ${door.name}`, intro, contentsOf(items), ...sections].join('\n\n') + '\n'
  return { text, undocumented }
}

const contentsOf = (items: readonly Item[]): string => items.map((item) => linkTo(nameOf(item))).join(' · ')

const linkTo = (name: string): string => `[${name}](#${name.toLowerCase()})`

function sectionOf(item: Item, undocumented: string[]): string {
  const name = nameOf(item)
  const words = wordsOf(item)
  if (words === '') undocumented.push(name)
  const members = inOrder(item).map((member) => {
    const text = wordsOf(member)
    if (text === '') undocumented.push(`${name}.${member.name ?? member.kind}`)
    return `- \`${signatureOf(member).replace(/\s+/g, ' ')}\`${text === '' ? '' : `\n\n${indented(text)}`}`
  })
  const signature = signatureOf(item)
  const code = signature === `interface ${name}` ? [] : ['```ts\n' + signature + '\n```']
  return [`### ${name}`, ...(words === '' ? [] : [words]), ...code, ...members].join('\n\n')
}

/** As it is declared, without what stands before each. */
function signatureOf({ excerptTokens = [] }: Item): string {
  return excerptTokens
    .map(({ text }) => text)
    .join('')
    .replace(/^export (?:declare )?/, '')
    .replace(/;?\s*$/, '')
    .replace(/[ \t]+$/gm, '')
}

/** As it is exported: where a global has the same name, the model has another. */
function nameOf(item: Item): string {
  const [, declared] =
    /^(?:abstract )?(?:class|interface|type|function|const) (\w+)/.exec(signatureOf(item)) ?? []
  return declared ?? item.name ?? ''
}

/** The comment's own text: it is Markdown as it stands. */
function wordsOf({ docComment = '', kind }: Item): string {
  // What api-extractor says of a constructor that has no words of its own.
  if (kind === 'Constructor' && docComment.includes('Constructs a new instance of')) return ''
  return docComment
    .replace(/^\/\*\*/, '')
    .replace(/\*\/\s*$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim()
}

const indented = (text: string): string => text.replace(/^(?=.)/gm, '  ')

/** As they stand in the declarations, where one may go on from the other. The model has them by name. */
function inOrder(item: Item): readonly Item[] {
  const { members = [], fileUrlPath } = item
  if (members.length === 0 || fileUrlPath === undefined) return members
  const source = readFileSync(join(root, fileUrlPath), 'utf8')
  const declared = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:class|interface) ${nameOf(item)}\\b`,
    'm',
  ).exec(source)
  const body = source.slice(declared?.index ?? 0)
  const placeOf = (member: Item): number =>
    body.indexOf((member.excerptTokens ?? []).map(({ text }) => text).join(''))
  return [...members].sort((a, b) => placeOf(a) - placeOf(b))
}

/** A list of all pages. */
export const apiIndex = (doors: readonly Door[]): string =>
  [
    '# The API, door by door',
    'Written by `npm run api` from the comments in the sources.',
    doors.map((door) => `- [\`${door.name}\`](${pageName(door)})`).join('\n'),
  ].join('\n\n') + '\n'

/** `forkpoint/storage/memory` is in `storage-memory.md`. */
export const pageName = ({ name }: Door): string =>
  `${name.replace(/^forkpoint\//, '').replaceAll('/', '-')}.md`
