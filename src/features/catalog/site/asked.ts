// Which questions visitors open the most listings after, and whether a listing is among the first results of a question.
import type { Context } from '../../../kernel/context.ts'
import { words as wordsOf } from '../../../search/index.ts'
import { roundedCount } from '../../learning/rules.ts'
import type { Catalog, Snapshot } from '../memory/snapshot.ts'
import { NO_FILTERS_GIVEN } from '../questions/conditions.ts'
import { askIndex } from '../questions/question.ts'
import { type ListedKind, TOPIC } from '../schema.ts'
import { mostFullMatches } from './examples.ts'

/** At most this many questions are tried, because each costs two searches. */
const MOST_TRIED = 10
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
const remembered = new WeakMap<Catalog, { key: string; questions: AskedQuestion[] }>()

/**
 * The questions of visitors after which the most listings are opened, and which find something. With `q`, questions that share words with
 * it come first.
 */
export function mostOpenedQuestions(
  { catalog, learned }: Pick<Context, 'catalog' | 'learned'>,
  q = '',
): AskedQuestion[] {
  const ownWords = new Set(wordsOf(q))
  const countShared = ({ words }: AskedQuestion) => words.split(' ').filter((word) => ownWords.has(word)).length
  return openedAndFound(catalog, learned)
    .toSorted((a, b) => countShared(b) - countShared(a))
    .slice(0, MOST_SHOWN)
}

function openedAndFound(catalog: Catalog, learned: Context['learned']): AskedQuestion[] {
  const key = `${catalog.listingsVersion()} ${learned.revision()}`
  const before = remembered.get(catalog)
  if (before?.key === key) return before.questions
  const snapshot = catalog.snapshot()
  const questions = learned
    .mostOpened()
    .slice(0, MOST_TRIED)
    .map(({ words, opened }) => ({ words, opened: roundedCount(opened), full: mostFullMatches(snapshot, words) }))
    .filter(({ full }) => full > 0)
  remembered.set(catalog, { key, questions })
  return questions
}

/** A visitor who opens a result has rarely looked at more results than these. */
const MOST_LOOKED_AT = 100
/** The pages of results refuse a longer question. */
const LONGEST_QUESTION = 500

/** Whether the listing is among the first results of a question. */
export function isFoundBy({ taxonomy, ...catalogs }: Snapshot, kind: ListedKind, q: string, slug: string): boolean {
  if (q.length > LONGEST_QUESTION) return false
  const query = { q, partial: true, offset: 0, limit: MOST_LOOKED_AT, given: NO_FILTERS_GIVEN }
  return askIndex(kind, catalogs[TOPIC[kind]], taxonomy, query).result.items.some((one) => one.slug === slug)
}
