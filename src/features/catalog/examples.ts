// Questions for visitors to try, made from the catalog: the search answers each of them in full.
import { words } from '../../search/index.ts'
import { browseTerms } from './browse.ts'
import { askIndex } from './question.ts'
import { type ListedKind, TOPIC } from './schema.ts'
import type { Snapshot } from './snapshot.ts'
import { isSaidInAsking } from './understand.ts'

/** So many listings must match an example fully. */
const LEAST_FOUND = 3
const MOST_CATEGORIES = 8
const LONGEST_NAME = 30

interface Candidate {
  kind: ListedKind
  q: string
}

/** At most three, of each group of wordings the first that finds enough. */
export function exampleQuestions(snapshot: Snapshot): string[] {
  const chosen: string[] = []
  for (const group of wordings(snapshot)) {
    const found = group.find((candidate) => !chosen.includes(candidate.q) && isAnswered(snapshot, candidate))
    if (found) chosen.push(found.q)
  }
  return chosen
}

function wordings(snapshot: Snapshot): Candidate[][] {
  const names = browseTerms(snapshot, 'category')
    .filter(({ name }) => name.length <= LONGEST_NAME && words(name).some((word) => !isSaidInAsking(word)))
    .sort((a, b) => b.toolsCount - a.toolsCount)
    .slice(0, MOST_CATEGORIES)
    .map(({ name }) => name)
  const [first = [], second = []] = [names.filter((_, at) => at % 2 === 0), names.filter((_, at) => at % 2 === 1)]
  const tools = (list: readonly string[], wording: (name: string) => string): Candidate[] =>
    list.map((name) => ({ kind: 'tool', q: wording(name) }))
  return [
    [...tools(first, (name) => `free tools for ${name}`), ...tools(first, (name) => `tools for ${name}`)],
    [
      { kind: 'directory', q: 'free directories with a DoFollow link' },
      { kind: 'directory', q: 'directories with DR over 60 and no badge' },
      { kind: 'directory', q: 'free directories' },
    ],
    [...tools(second, (name) => `${toolsOf(name)} with a free plan`), ...tools(second, toolsOf)],
  ]
}

/** Some categories are called tools already. */
const toolsOf = (name: string): string => (name.toLowerCase().endsWith('tools') ? name : `${name} tools`)

function isAnswered({ taxonomy, ...catalogs }: Snapshot, { kind, q }: Candidate): boolean {
  const query = { q, none: ['adult'], partial: true, offset: 0, limit: 0, isGiven: () => false }
  return askIndex(kind, catalogs[TOPIC[kind]], taxonomy, query).result.full >= LEAST_FOUND
}
