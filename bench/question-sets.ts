// Questions with the listing that was meant: two public sets, and our own questions (real-questions.json) on the real listings.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface QuestionSet {
  name: string
  kind: 'tool' | 'directory'
  /** Whether others wrote the questions, each about one listing. */
  isPublic: boolean
  /** Categories and tags, as import lines. */
  terms: readonly object[]
  /** Listings, as import lines. */
  tools: readonly ImportLine[]
  /** `slugs`: the right answers; none when nothing should be found. */
  questions: readonly { question: string; slugs: readonly string[] }[]
  /** The searched text of a listing by weight, for the alternatives. */
  textOf(line: ImportLine): { name: string; middle: string; weak: string }
}

interface ImportLine {
  kind: string
  slug: string
  name: string
  website?: string
  category?: string
  tags?: readonly string[]
  categories?: readonly string[]
  tagline?: string
  description?: string
  smallDescription?: string | null
  fullDescription?: string | null
}

interface PublicTool {
  id: string
  name: string
  tagline?: string
  description?: string
  category?: string
}

export function questionSets(shared: string): QuestionSet[] {
  return [publicSet(shared, 'metatool'), publicSet(shared, 'sealtools'), ...realSets(shared)]
}

const readJson = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8'))

const textOf: QuestionSet['textOf'] = (line) => ({
  name: line.name,
  middle: [
    line.tagline ?? line.smallDescription ?? '',
    line.category ?? '',
    ...(line.tags ?? line.categories ?? []),
  ].join('\n'),
  weak: line.description ?? line.fullDescription ?? '',
})

function publicSet(shared: string, name: string): QuestionSet {
  const tools = readJson<PublicTool[]>(shared, 'judges', `${name}-tools.json`)
  const categories = [...new Set(tools.flatMap(({ category }) => category ?? []))]
  const slugs = new Map(tools.map(({ id }, number) => [id, `tool-${number}`]))
  return {
    name,
    kind: 'tool',
    isPublic: true,
    terms: categories.map((category, number) => ({ kind: 'category', slug: `category-${number}`, name: category })),
    tools: tools.map(({ id, name, tagline = '', description = '', category }) => ({
      kind: 'tool',
      slug: slugs.get(id)!,
      name,
      // A listing needs a tagline and a description.
      tagline: tagline || description,
      description: description || tagline,
      ...(category ? { category: `category-${categories.indexOf(category)}` } : {}),
      website: `https://${slugs.get(id)}.example.com`,
      pricing: 'FREE',
    })),
    questions: readJson<{ query: string; tool: string }[]>(shared, 'judges', `${name}-queries.json`).map(
      ({ query, tool }) => ({ question: query, slugs: [slugs.get(tool)!] }),
    ),
    textOf,
  }
}

interface OwnQuestion {
  query: string
  slugs: string[]
  kind?: string
}

function realSets(shared: string): QuestionSet[] {
  const own = readJson<Record<'keywords' | 'sentences' | 'directories' | 'nothing', OwnQuestion[]>>(
    import.meta.dirname,
    'real-questions.json',
  )
  const read = (file: string) =>
    readFileSync(join(shared, file), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line): ImportLine => JSON.parse(line))
      // Three addresses begin with a space, which an import refuses.
      .map((line) => (line.website ? { ...line, website: line.website.trim() } : line))
  const [tools, directories] = [read('real-tools.ndjson'), read('real-directories.ndjson')]
  const set = (
    name: string,
    kind: 'tool' | 'directory',
    lines: ImportLine[],
    questions: OwnQuestion[],
  ): QuestionSet => ({
    name,
    kind,
    isPublic: false,
    terms: lines.filter((line) => line.kind !== kind),
    tools: lines.filter((line) => line.kind === kind),
    questions: questions.map(({ query, slugs }) => ({ question: query, slugs })),
    textOf,
  })
  return [
    set('real-keywords', 'tool', tools, own.keywords),
    set('real-sentences', 'tool', tools, own.sentences),
    set(
      'real-nothing',
      'tool',
      tools,
      own.nothing.map(({ query }) => ({ query, slugs: [] })),
    ),
    set('real-directories', 'directory', directories, own.directories),
  ]
}
