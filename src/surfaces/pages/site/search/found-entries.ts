// The entries of a search result, the sentences that say which of them match every search word, and where to go from a question that no
// listing answers in full: near categories, questions that find something, and the operator.
import type { Tool } from '../../../../features/catalog/schema.ts'
import {
  categoriesNear,
  directoryCategoriesNear,
  directoryCategoriesUsed,
} from '../../../../features/catalog/site/browse.ts'
import {
  directoryQuestions,
  exampleQuestions,
  mostOpenedQuestions,
} from '../../../../features/catalog/site/examples.ts'
import type { Found } from '../../../../features/catalog/site/site-search.ts'
import { hasPage } from '../../../../features/site/rules.ts'
import type { Context } from '../../../../kernel/context.ts'
import { icon } from '../../kit/icon.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { number } from '../../kit/values.ts'
import { mostUsed, publicCategories } from '../catalog-reads.ts'
import { categoryTiles, chips } from '../entries.ts'
import type { MatchReason } from './reasons.ts'
import { partialSentence } from './understood.ts'

/** What a visitor can do when nothing is found; undefined when the search has neither words nor filters. */
export function nothingFoundAdvice(q: string, filters: number): string | undefined {
  if (filters === 0) return q ? 'Try other words.' : undefined
  return q ? 'Try other words, or take a filter away.' : 'Take a filter away.'
}

export interface ShownEntries {
  why: readonly MatchReason[]
  isPartial: boolean
}

/** As `closest`: no sentence, because the page has already said what is missing. */
export const WITHOUT_SENTENCE = ''

/**
 * The full matches, then the partial matches under a sentence that says so. `first`: the place of the page's first listing in the whole
 * result. `closest`: the sentence where there are only partial matches; by default it says that no listing matches fully. `rest`: the
 * sentence after full matches; by default it counts them. `isSorted`: the visitor has chosen the order.
 */
export function foundEntries<T>(
  found: Found<T>,
  given: {
    first?: number
    noun: string
    why: readonly MatchReason[]
    closest?: string
    rest?: string
    isSorted: boolean
  },
  list: (listings: readonly T[], shown: ShownEntries) => Markup,
): Markup {
  const { listings, total, fullMatches: full } = found
  const { first = 0, noun, why, closest, rest = restSentence(full) } = given
  const fullHere = Math.max(0, Math.min(full - first, listings.length))
  const isPartial = full < total && fullHere < listings.length
  const partial = why.slice(fullHere)
  const isByCount = partial.every(({ met }, at) => at === 0 || met.length <= (partial[at - 1]?.met.length ?? 0))
  const sentence = full > 0 ? rest : (closest ?? partialSentence(found, noun))
  return html`${fullHere > 0 && list(listings.slice(0, fullHere), { why: why.slice(0, fullHere), isPartial: false })}
${
  isPartial &&
  html`${sentence && html`<p class="note">${sentence}</p>`}
${list(listings.slice(fullHere), { why: partial, isPartial: true })}
${!given.isSorted && !isByCount && html`<p class="note">Rare words and closeness in meaning count more than the number of words.</p>`}`
}`
}

const restSentence = (full: number): string =>
  `${number(full)} ${full === 1 ? 'matches' : 'match'} every word. These match some of them:`

/** `tools`: the tools that were found; undefined when only directories were searched. */
export const nearQuestionsAndContact = (ctx: Context, q: string, tools: readonly Tool[] | undefined): Markup =>
  html`${nearQuestions(ctx, q, tools)}
${tellOperator(ctx, q)}`

/** Stored words are sorted, so commas keep them from reading like a phrase in the wrong order. */
const withCommas = (words: string): string => words.replaceAll(' ', ', ')

/** How many categories are shown when a question finds nothing. */
const SHOWN_CATEGORIES = 12

/** Near categories, questions that visitors ask often, and questions that find something. */
export function nearQuestions(ctx: Context, q: string, tools: readonly Tool[] | undefined): Markup {
  const snapshot = ctx.catalog.snapshot()
  // Without a question, no category is nearer than another.
  const near = tools && q !== '' ? categoriesNear(ctx.catalog, q, tools) : []
  const isLost = near.length === 0 && tools?.length === 0
  const categories = isLost ? mostUsed(publicCategories(ctx), SHOWN_CATEGORIES) : near
  const nearDirectories = tools || q === '' ? [] : directoryCategoriesNear(snapshot, q)
  const isFar = !tools && nearDirectories.length === 0
  const ofDirectories = isFar ? directoryCategoriesUsed(snapshot, SHOWN_CATEGORIES) : nearDirectories
  const asked = mostOpenedQuestions(ctx, q).map(({ words }) => words)
  const questions = (tools ? exampleQuestions : directoryQuestions)(ctx.catalog, ctx.site.fields().examples)
  const links = (list: readonly string[], labelOf = (q: string) => q) =>
    chips(list.map((q) => ({ label: labelOf(q), href: addressWith('/search', { q }) })))
  return html`${categories.length > 0 && html`<section class="flow"><h3>${isLost ? 'Browse by job' : 'Categories nearby'}</h3>${categoryTiles(categories)}</section>`}
${ofDirectories.length > 0 && html`<section class="flow"><h3>${isFar ? 'Browse by category' : 'Categories nearby'}</h3>${chips(ofDirectories.map(({ slug, name, count }) => ({ label: oneLine(name, 60), href: addressWith('/directories', { category: slug }), count })))}</section>`}
${asked.length > 0 && html`<section class="flow"><h3>Asked for most</h3>${links(asked, withCommas)}</section>`}
${questions.length > 0 && html`<section class="flow"><h3>Questions that find something</h3>${links(questions)}</section>`}`
}

/** A link to write to the operator, with the question as the subject; null when the site names no contact. */
export function tellOperator(ctx: Context, q: string): Markup | null {
  const { contactEmail, ...site } = ctx.site.fields()
  const subject = oneLine(`Missing on ${site.name}: ${q}`, 120).toWellFormed()
  const contact = contactEmail
    ? `mailto:${contactEmail}?subject=${encodeURIComponent(subject)}`
    : hasPage({ contactEmail, ...site }, 'contact') && '/contact'
  return contact
    ? html`<section class="card"><h3>Tell us what is missing</h3><p>We look at what people ask for. Write to us, and your question goes along.</p><p><a class="button plain" href="${contact}">${icon('mail', 'small')}Tell the operator</a></p></section>`
    : null
}
