// Questions for visitors to try: the ones that the operator has written, or else some that are made from the catalog. Only questions that
// the search answers in full are shown. Also the questions of visitors after which they open the most listings.
import type { Context } from '../../../kernel/context.ts'
import { words } from '../../../search/index.ts'
import { roundedCount } from '../../learning/rules.ts'
import type { Catalog, Snapshot } from '../memory/snapshot.ts'
import { NO_FILTERS_GIVEN } from '../questions/conditions.ts'
import { askIndex } from '../questions/question.ts'
import { isFillerWord } from '../questions/understand.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from '../schema.ts'
import { browseTerms } from './browse.ts'

/** At least this many listings must match an example fully. */
export const LEAST_FOUND = 3
const MOST_CATEGORIES = 8
const LONGEST_NAME = 30
/** At most this many wordings of a group are tried, because each costs a search. */
const MOST_TRIED = 4

interface Candidate {
  kind: ListedKind
  q: string
}

/** `key`: what the questions were made from. */
const remembered = new WeakMap<Catalog, { key: string; questions: string[] }>()

/** The examples to show. After a change of the catalog they are made anew, and the examples that were shown before are tried first. */
export function exampleQuestions(catalog: Catalog, own: readonly string[]): string[] {
  const key = JSON.stringify([catalog.listingsVersion(), own])
  const before = remembered.get(catalog)
  if (before?.key === key) return before.questions
  const snapshot = catalog.snapshot()
  const questions =
    own.length > 0
      ? own.filter((q) => mostFullMatches(snapshot, q) >= LEAST_FOUND)
      : madeQuestions(catalog, before?.questions ?? [])
  remembered.set(catalog, { key, questions })
  return questions
}

/** The examples that directories answer in full. */
export const directoryQuestions = (catalog: Catalog, own: readonly string[]): string[] =>
  exampleQuestions(catalog, own).filter((q) => fullMatchesIn(catalog.snapshot(), { kind: 'directory', q }) > 0)

/** The number of listings that match a question fully, in the catalog with more of them. */
export const mostFullMatches = (snapshot: Snapshot, q: string): number =>
  Math.max(...LISTED_KINDS.map((kind) => fullMatchesIn(snapshot, { kind, q })))

/** At most three: from each group of wordings the first that finds enough. */
function madeQuestions(catalog: Catalog, before: readonly string[]): string[] {
  const snapshot = catalog.snapshot()
  const chosen: string[] = []
  for (const group of wordings(catalog)) {
    const found = group
      .filter(({ q }) => !chosen.includes(q))
      .toSorted((a, b) => Number(before.includes(b.q)) - Number(before.includes(a.q)))
      .slice(0, MOST_TRIED)
      .find((candidate) => fullMatchesIn(snapshot, candidate) >= LEAST_FOUND)
    if (found) chosen.push(found.q)
  }
  return chosen
}

function wordings(catalog: Catalog): Candidate[][] {
  // A category that is only called "Tools" or "Free" makes no question.
  const names = browseTerms(catalog, 'category')
    .filter(({ name }) => name.length <= LONGEST_NAME && words(name).some((word) => !isFillerWord(word)))
    .sort((a, b) => b.toolsCount - a.toolsCount)
    .slice(0, MOST_CATEGORIES)
    // A sentence has small letters, but not in AI or ChatGPT.
    .map(({ name }) => name.replace(/\b[A-Z][a-z]+\b/g, (word) => word.toLowerCase()))
  // Every second category each, so that the first and the last question are not about the same one.
  const first = names.filter((_, at) => at % 2 === 0)
  const second = names.filter((_, at) => at % 2 === 1)
  // The usual wording of the largest categories, then the plain one, so that a catalog without prices has examples, too.
  const tools = (list: readonly string[], usual: (name: string) => string, plain: (name: string) => string) =>
    [...list.slice(0, 2).map(usual), ...list.slice(0, 2).map(plain)].map((q): Candidate => ({ kind: 'tool', q }))
  return [
    tools(
      first,
      (name) => `free tools for ${name}`,
      (name) => `tools for ${name}`,
    ),
    [
      { kind: 'directory', q: 'free directories with a DoFollow link' },
      { kind: 'directory', q: 'directories with DR over 60 and no badge' },
      { kind: 'directory', q: 'free directories' },
    ],
    tools(second, (name) => `${toolsOf(name)} with a free plan`, toolsOf),
  ]
}

/** Some categories are called tools already. */
const toolsOf = (name: string): string => (name.toLowerCase().endsWith('tools') ? name : `${name} tools`)

function fullMatchesIn({ taxonomy, ...catalogs }: Snapshot, { kind, q }: Candidate): number {
  const query = { q, none: ['adult'], partial: false, offset: 0, limit: 0, given: NO_FILTERS_GIVEN }
  return askIndex(kind, catalogs[TOPIC[kind]], taxonomy, query).result.full
}

/** At most this many questions are tried, because each costs two searches. */
const MOST_ASKED = 10
const MOST_SHOWN = 6

export interface AskedQuestion {
  /** The words that say what was looked for, sorted. */
  words: string
  /** How often visitors opened a listing after it. Openings count less with time. */
  opened: number
  /** How many listings match it fully, in the catalog where more do. */
  full: number
}

/** `key`: what the questions were made from. */
const rememberedAsked = new WeakMap<Catalog, { key: string; questions: AskedQuestion[] }>()

/**
 * The questions of visitors after which the most listings are opened, and which find something. With `q`, questions that share words with
 * it come first.
 */
export function mostOpenedQuestions(
  { catalog, learned }: Pick<Context, 'catalog' | 'learned'>,
  q = '',
): AskedQuestion[] {
  const ownWords = new Set(words(q))
  const countShared = ({ words }: AskedQuestion) => words.split(' ').filter((word) => ownWords.has(word)).length
  return openedAndFound(catalog, learned)
    .toSorted((a, b) => countShared(b) - countShared(a))
    .slice(0, MOST_SHOWN)
}

function openedAndFound(catalog: Catalog, learned: Context['learned']): AskedQuestion[] {
  const key = `${catalog.listingsVersion()} ${learned.revision()}`
  const before = rememberedAsked.get(catalog)
  if (before?.key === key) return before.questions
  const snapshot = catalog.snapshot()
  const questions = learned
    .mostOpened()
    .slice(0, MOST_ASKED)
    .map(({ words, opened }) => ({ words, opened: roundedCount(opened), full: mostFullMatches(snapshot, words) }))
    .filter(({ full }) => full > 0)
  rememberedAsked.set(catalog, { key, questions })
  return questions
}
