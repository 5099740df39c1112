// The categories and tags that a question names.
import type { Taxonomy } from '../rules.ts'
import type { ListedKind } from '../schema.ts'
import { slugsSpelled, type TermMap } from '../terms/term-lists.ts'
import type { GivenFilters } from './conditions.ts'
import { NEGATIONS } from './facts.rules.ts'
import { isFillerWord, type Understood } from './understand.ts'

/** How many words the name of a category or tag may have; a longer name is not looked for. */
const LONGEST_NAME = 6

/** A name in the question, with the categories and tags that have it. */
export interface NamedTerms {
  /** The facets of the terms; empty when it is in doubt whether the name is meant. */
  labels: readonly string[]
  /** The places of its words in the question, and of the words of a negation before it. */
  places: readonly number[]
  /** Whether there is a negation before it. */
  isNot: boolean
}

/**
 * The categories and tags whose whole name is in the question, the longest names first. A name of one word counts only when the question
 * asks for nothing else: "speech to text" is not about the category Speech. After a negation it is found beside other words, too, but what
 * is meant is in doubt then: "logos without design" may mean without skills in design. So it has no facets, and no listing is left out;
 * its words are only taken out of the search.
 */
export function namedTermsIn(
  kind: ListedKind,
  /** Whether a listing has the facet. */
  isUsed: (label: string) => boolean,
  { categories, tags, directoryCategories }: Taxonomy,
  { words, negationBefore }: Understood,
  given: GivenFilters,
): NamedTerms[] {
  const lists: Record<string, TermMap<{ slug: string; name: string; adult?: boolean }>> = kind === 'tool'
    ? { category: categories, tag: tags }
    : { category: directoryCategories }
  // A filter that the caller has set is not read from the question.
  const asked = Object.entries(lists).filter(([filter]) => given(filter).length === 0)
  /** The places of the words of names that were found. */
  const taken = new Set<number>()
  const negations = words.map((_, at) => negationBefore(at))
  /** The words that say what is asked for, without those after a negation. */
  const telling = words.filter((word, at) => !isFillerWord(word) && !NEGATIONS.has(word) && negations[at]?.length === 0)
  const found: NamedTerms[] = []
  for (let length = LONGEST_NAME; length > 0; length--)
    for (let from = 0; from + length <= words.length; from++) {
      const spelled = words.slice(from, from + length)
      const negation = negations[from] ?? []
      const isNot = negation.length > 0
      // A name without a negation is one of these words itself.
      const isBesideOthers = length === 1 && telling.length > (isNot ? 0 : 1)
      if (isBesideOthers && !isNot) continue
      if (spelled.every(isFillerWord) || spelled.some((_, at) => taken.has(from + at))) continue
      const labels = asked.flatMap(([filter, terms]) =>
        slugsSpelled(terms, spelled)
          .filter((slug) => !terms.get(slug)?.adult)
          .map((slug) => `${filter}:${slug}`),
      )
      // A term without listings is no condition, because nothing would be found; after a negation it does no harm.
      const used = labels.filter((label) => isNot || isUsed(label))
      if (used.length === 0) continue
      const places = [...negation, ...spelled.map((_, at) => from + at)]
      found.push({ labels: isBesideOthers ? [] : used, places, isNot })
      for (const place of places) taken.add(place)
    }
  return found
}
