// Which fields of a new product its site fills in: the site states some, others are guessed from its words.
import type { PageFacts } from '../../enrichment/page/page.rules.ts'
import type { FieldSources, NamedTerm } from './rules.ts'

interface FoundSite {
  facts: PageFacts
  icon: string | null
  /** The main one first. */
  pictures: readonly string[]
}

/** The fields of a listing that a site states or suggests. */
export function fieldsOfSite(
  { facts, icon, pictures: [frame, ...screenshots] }: FoundSite,
  terms: { categories: readonly NamedTerm[]; tags: readonly NamedTerm[] },
): { fields: Record<string, unknown>; sources: FieldSources } {
  const { about, profiles, questions, text } = facts
  // A product needs a name and an explanation of each feature. Names alone would be a problem when the founder sends the form.
  const features = Object.fromEntries(Object.entries(facts.features).filter(([, meaning]) => meaning !== ''))
  const allText = `${about.tagline} ${about.description} ${text}`
  const [category] = termsFoundIn(allText, terms.categories)
  const tags = termsFoundIn(allText, terms.tags).slice(0, MOST_GUESSED_TAGS)
  const stated = {
    name: about.name,
    tagline: about.tagline,
    description: about.description,
    icon,
    frame,
    features: isEmpty(features) ? null : features,
    faq: questions.length > 0 ? questions : null,
  }
  const guessed = {
    pricing: about.pricing,
    category: category?.slug,
    tags: tags.length > 0 ? tags.map(({ slug }) => slug) : null,
    screenshots: screenshots.length > 0 ? screenshots : null,
    socials: isEmpty(profiles) ? null : profiles,
  }
  return {
    fields: Object.fromEntries(filledEntries({ ...stated, ...guessed })),
    sources: Object.fromEntries([
      ...filledEntries(stated).map(([name]) => [name, 'site'] as const),
      ...filledEntries(guessed).map(([name]) => [name, 'guess'] as const),
    ]),
  }
}

const MOST_GUESSED_TAGS = 5
const isEmpty = (value: object): boolean => Object.keys(value).length === 0
const filledEntries = (values: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== '')

const WORD = /[\p{L}\p{N}+#]+/gu
const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? []

/** A longer name is not looked for. */
const MOST_WORDS = 6

/** The terms whose names the text contains as whole words, the most frequent first. A catalog may have tens of thousands of tags. */
function termsFoundIn<T extends NamedTerm>(text: string, terms: readonly T[]): T[] {
  const words = wordsOf(text)
  const lengths = Array.from({ length: MOST_WORDS }, (_, at) => at + 1)
  const countOf = new Map<string, number>()
  for (const at of words.keys())
    for (const length of lengths) {
      if (at + length > words.length) break
      const phrase = words.slice(at, at + length).join(' ')
      countOf.set(phrase, (countOf.get(phrase) ?? 0) + 1)
    }
  return terms
    .map((term) => ({ term, count: countOf.get(wordsOf(term.name).join(' ')) ?? 0 }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || a.term.name.localeCompare(b.term.name))
    .map(({ term }) => term)
}
