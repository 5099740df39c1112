// Why a search has found a listing: one line in plain words, and marks on the words that matched.
import { type Directory, PRICING_LABELS, type Tool } from '../../../../features/catalog/schema.ts'
import type { Reason } from '../../../../features/catalog/site/found-reasons.ts'
import { markedWords, markTerms } from '../../../../features/catalog/site/quote.rules.ts'
import type { Found } from '../../../../features/catalog/site/site-search.ts'
import { icon } from '../../kit/icon.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { money } from '../../kit/values.ts'

// Characters; they fill two lines on a wide screen.
const QUOTE_LENGTH = 160

/** A text with marks on the words by which its listing was found. */
export const marked = (text: string, terms: readonly string[] = []): Markup =>
  html`${markTerms(text, new Set(terms)).map(({ text, isMarked }) => (isMarked ? html`<mark>${text}</mark>` : text))}`

/** The sentence that matched, cut to the shown length; '' when every word of the question in it is marked in the shown texts already. */
export function quoteBeside(shown: string, { quote, terms }: MatchReason): string {
  const cut = oneLine(quote, QUOTE_LENGTH)
  const [quoted, seen] = [markedWords(cut, terms), markedWords(shown, terms)]
  return terms.some((term) => quoted.has(term) && !seen.has(term)) ? cut : ''
}

export const quoteLine = (quote: string, why: MatchReason | undefined): Markup | false =>
  quote !== '' && html`<p class="why" dir="auto">${marked(quote, why?.terms)}</p>`

type Pair = Found<unknown>['stated'][number]['pairs'][number]

/** For each fact that a question can state, how it is with a tool or directory. */
const TOOL_FACTS: Readonly<Record<string, (tool: Tool, pair: Pair) => string | undefined>> = {
  pricing: ({ pricing }) => PRICING_LABELS[pricing],
  category: ({ category }, { value }) => (category?.slug === value ? `in ${category.name}` : undefined),
  tag: ({ tags }, { value }) => tags.find(({ slug }) => slug === value)?.name,
}
const DIRECTORY_FACTS: Readonly<
  Record<string, (directory: Directory, pair: Pair, currency: string) => string | undefined>
> = {
  cost: ({ cost }) => cost,
  type: ({ type }) => type,
  badge: ({ requiresBadge }) => (requiresBadge ? 'asks for a badge' : 'no badge'),
  minDomainRating: ({ domainRating }) => (domainRating === null ? undefined : `DR ${domainRating}`),
  maxPrice: ({ minimumPrice }, _, currency) => (minimumPrice > 0 ? `from ${money(minimumPrice, currency)}` : undefined),
  category: ({ categories }, { value }) => {
    const name = categories.find(({ slug }) => slug === value)?.name
    return name && `in ${name}`
  },
}

/** Why a listing is in a result. */
export interface MatchReason extends Reason {
  facts: readonly string[]
  /** How many words the question has. */
  asked: number
  /** Whether the listing has the facts that the question states. */
  keepsFacts: boolean
}

/** For each listing why it was found; an empty list without a question. */
export const toolReasons = (found: Found<Tool>): MatchReason[] =>
  reasonsOf(found, (tool, pair) => TOOL_FACTS[pair.filter]?.(tool, pair))
export const directoryReasons = (found: Found<Directory>, currency: string): MatchReason[] =>
  reasonsOf(found, (directory, pair) => DIRECTORY_FACTS[pair.filter]?.(directory, pair, currency))

const reasonsOf = <T>(
  { listings, reasons, asked, stated, keepsFacts }: Found<T>,
  factOf: (listing: T, pair: Pair) => string | undefined,
): MatchReason[] =>
  listings.flatMap((listing, at) => {
    const reason = reasons[at]
    // Also where the listings do not have the facts that were asked for: their own facts then say so.
    const texts = stated.flatMap(({ pairs }) => pairs.flatMap((pair) => factOf(listing, pair) ?? []))
    return reason ? { ...reason, asked, keepsFacts, facts: [...new Set(texts)].map((text) => oneLine(text, 40)) } : []
  })

/**
 * One line: "Free · DoFollow · mentions transcription". For a partial match it begins with the words that the listing has, with their number,
 * and ends with those that it lacks: "2 of 3 words: meeting, notes · not zoom". Null when there is nothing to say.
 */
export function reasonLine(why: MatchReason | undefined, isPartial = false): Markup | null {
  if (!why) return null
  const { facts, named, mentioned, lacks, met, asked } = why
  const words = (list: readonly string[]) => html`<bdi>${oneLine(list.join(', '), 80)}</bdi>`
  const isNear = named.length + mentioned.length === 0 && (isPartial || (facts.length === 0 && why.hasUnshown))
  const isCounted = isPartial && !isNear && met.length > 0 && met.length < asked
  const matched = isCounted
    ? []
    : [
        ...(named.length > 0 ? [html`named ${words(named)}`] : []),
        ...(mentioned.length > 0 ? [html`mentions ${words(mentioned)}`] : []),
      ]
  // A word that the listing has only among its hidden words is counted, but not named.
  const unnamed = met.filter((word) => word === '').length
  const counted = html`<strong>${met.length} of ${asked} words:</strong> ${words([...new Set(met)].filter(Boolean))}${unnamed > 0 && ` and ${unnamed} more`}`
  const parts = [...(isCounted ? [counted] : []), ...facts, ...matched, ...(isNear ? ['close in meaning'] : [])]
  if (parts.length === 0) return null
  return html`<p class="reason">${!isCounted && (why.keepsFacts || facts.length === 0) && icon('check', 'small')}<span>${parts.map((part, at) => html`${at > 0 && ' · '}${part}`)}${!isNear && lacks.length > 0 && html` · <span class="lacks">not ${words(lacks)}</span>`}</span></p>`
}
