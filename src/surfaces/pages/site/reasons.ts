// Why a search has found a listing: one line in plain words, and marks on the words that matched.
import { markTerms } from '../../../features/catalog/quote.rules.ts'
import { type Directory, PRICING_LABELS, type Tool } from '../../../features/catalog/schema.ts'
import type { Found, Reason } from '../../../features/catalog/site-search.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { number } from '../kit/values.ts'

/** A text with marks on the words by which its listing was found. */
export const marked = (text: string, terms: readonly string[] = []): Markup =>
  html`${markTerms(text, new Set(terms)).map(({ text, isMarked }) => (isMarked ? html`<mark>${text}</mark>` : text))}`

type Pair = Found<unknown>['stated'][number]['pairs'][number]

/** What a listing has of what the question states. */
const TOOL_FACTS: Readonly<Record<string, (tool: Tool, pair: Pair) => string | undefined>> = {
  pricing: ({ pricing }) => PRICING_LABELS[pricing],
  category: ({ category }, { value }) => (category?.slug === value ? `in ${category.name}` : undefined),
  tag: ({ tags }, { value }) => tags.find(({ slug }) => slug === value)?.name,
}
const DIRECTORY_FACTS: Readonly<Record<string, (directory: Directory, pair: Pair) => string | undefined>> = {
  cost: ({ cost }) => cost,
  type: ({ type }) => type,
  badge: ({ requiresBadge }) => (requiresBadge ? 'asks for a badge' : 'no badge'),
  minDomainRating: ({ domainRating }) => (domainRating === null ? undefined : `DR ${domainRating}`),
  maxPrice: ({ minimumPrice }) => (minimumPrice > 0 ? `from $${number(minimumPrice)}` : undefined),
  category: ({ categories }, { value }) => {
    const name = categories.find(({ slug }) => slug === value)?.name
    return name && `in ${name}`
  },
}

/** Why a listing is in a result. */
export interface Why extends Reason {
  facts: readonly string[]
}

/** For each listing why it was found; none without a question. */
export const toolReasons = (found: Found<Tool>): Why[] => reasonsOf(found, TOOL_FACTS)
export const directoryReasons = (found: Found<Directory>): Why[] => reasonsOf(found, DIRECTORY_FACTS)

const reasonsOf = <T>(
  { listings, reasons, stated, keepsFacts }: Found<T>,
  facts: Readonly<Record<string, (listing: T, pair: Pair) => string | undefined>>,
): Why[] =>
  listings.flatMap((listing, at) => {
    const reason = reasons[at]
    const had = keepsFacts ? stated.flatMap(({ pairs }) => pairs) : []
    const said = had.flatMap((pair) => facts[pair.filter]?.(listing, pair) ?? [])
    return reason ? { ...reason, facts: [...new Set(said)].map((text) => oneLine(text, 40)) } : []
  })

/** One line: "Free · DoFollow · mentions transcription". Null when there is nothing to say. */
export function reasonLine(why: Why | undefined, isPartial = false): Markup | null {
  if (!why) return null
  const words = (list: readonly string[]) => html`<bdi>${oneLine(list.join(', '), 80)}</bdi>`
  const parts = [
    ...why.facts,
    ...(why.named.length > 0 ? [html`named ${words(why.named)}`] : []),
    ...(why.mentioned.length > 0 ? [html`mentions ${words(why.mentioned)}`] : []),
  ]
  const said = parts.length > 0 ? parts : isPartial || why.hasUnshown ? ['close in meaning'] : []
  if (said.length === 0) return null
  return html`<p class="reason">${icon('check', 'small')}<span>${said.map((part, at) => html`${at > 0 && ' · '}${part}`)}${parts.length > 0 && why.lacks.length > 0 && html`<span class="lacks"> · not ${words(why.lacks)}</span>`}</span></p>`
}
