// What a search has understood of a question, and how much of it the listings have: in sentences, and in chips that change the question.
import type { Taxonomy } from '../../../../features/catalog/rules.ts'
import { type ListedKind, PRICING_LABELS } from '../../../../features/catalog/schema.ts'
import type { Found } from '../../../../features/catalog/site/site-search.ts'
import type { Context } from '../../../../kernel/context.ts'
import { icon } from '../../kit/icon.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { amount, money, number } from '../../kit/values.ts'

type Statement = Found<unknown>['stated'][number]
type Pair = Statement['pairs'][number]

const PRICE_LABELS: Readonly<Record<string, string>> = PRICING_LABELS
/** The values of a pair as alternatives: "Free or freemium". */
const either = ({ value, alternatives = value.split(',') }: Pair): string =>
  alternatives
    .map((one, at) => (at === 0 ? (PRICE_LABELS[one] ?? one) : (PRICE_LABELS[one] ?? one).toLowerCase()))
    .join(' or ')

function termName({ name, value, isNot }: Pair, kind: ListedKind, taxonomy: Taxonomy): string {
  const { categories, tags, directoryCategories } = taxonomy
  const terms = name === 'tag' ? tags : kind === 'tool' ? categories : directoryCategories
  return `${isNot ? 'Not ' : ''}${terms.get(value)?.name ?? value}`
}

/** A fact that the question states, as a visitor would say it. */
const PAIR_WORDS: Readonly<Record<string, (pair: Pair, currency: string) => string>> = {
  pricing: either,
  cost: either,
  type: ({ value }) => value.split(',').join(' or '),
  badge: ({ value }) => (value === 'required' ? 'Badge required' : 'No badge'),
  minDomainRating: ({ value }) => `DR ${value} and more`,
  maxDomainRating: ({ value, isBelow }) => (isBelow ? `DR below ${value}` : `DR up to ${value}`),
  minPrice: ({ value }, currency) => `Price from ${money(Number(value), currency)}`,
  maxPrice: ({ value }, currency) => `Price up to ${money(Number(value), currency)}`,
}

/** The value is empty when the question states facts that exclude each other, such as "free" and "not free". */
const pairWords = (pair: Pair, currency: string): string | undefined =>
  pair.value === '' ? `Not any ${pair.name}` : PAIR_WORDS[pair.name]?.(pair, currency)

const statementWords = ({ pairs }: Statement, kind: ListedKind, taxonomy: Taxonomy, currency: string): string =>
  [...new Set(pairs.map((pair) => pairWords(pair, currency) ?? termName(pair, kind, taxonomy)))].join(', ')

const joined = (texts: readonly string[], last: 'and' | 'or'): string =>
  texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} ${last} ${texts.at(-1)}`

/** The words that no listing has, for a sentence; '' when there are none. */
export const unknownWords = (words: Found<unknown>['words']): string =>
  joined(
    words.flatMap(({ word, isUnknown }) => (isUnknown ? oneLine(word, 30) : [])),
    'or',
  )

/** How many listings match fully. For a question of one word the sentence does not say "all of it". */
export const fullSentence = (counts: readonly string[], full: number, q: string): string =>
  /\s/.test(q.trim())
    ? `${joined(counts, 'and')} ${full === 1 ? 'does' : 'do'} all of it`
    : `${joined(counts, 'and')} for “${oneLine(q, 60)}”`

/** The answer in a sentence: how many listings do all of it, or what none has. */
export function answerSentence(found: Found<unknown>, q: string, noun: Noun): string {
  const { total, fullMatches: full } = found
  if (full > 0) return `${fullSentence([amount(full, noun.one, noun.many)], full, q)}${moreSentence(full, total)}`
  if (total > 0) return partialSentence(found, noun.one)
  const unknown = unknownWords(found.words)
  return unknown ? `No ${noun.one} here mentions ${unknown}` : `No ${noun.one} for “${oneLine(q, 60)}”`
}

/** The end of the sentence: how many further listings come close. */
export const moreSentence = (full: number, total: number): string =>
  full > 0 && total > full ? `, ${number(total - full)}\u00a0more ${total - full === 1 ? 'comes' : 'come'} close` : ''

interface Noun {
  one: string
  many: string
}
export const TOOLS: Noun = { one: 'tool', many: 'tools' }
export const DIRECTORIES: Noun = { one: 'directory', many: 'directories' }

interface AnsweredQuestion extends Searched {
  q: string
  noun: Noun
  /** The number of listings in the list, with the noun. */
  count: string
  /** off: no facts are read from the question, only its words. */
  facts?: string
  /** The address of the same list with other values of its filters. */
  href: (values: { q?: string; facts?: string }) => string
}

/** The head of a list: with a question the answer in a sentence and what was understood, otherwise how many there are. */
export function understoodPart(
  ctx: Context,
  { q, noun, count, facts = '', href, ...searched }: AnsweredQuestion,
): Markup {
  if (!q)
    return html`<h2 class="visually-hidden">Results</h2>
<p class="label" data-count="${count} found">${count}</p>`
  return html`<h2 class="answer" data-count="${count} found">${answerSentence(searched.found, q, noun)}</h2>
${respeltNote([searched], href)}
${understoodLine(ctx, [searched], facts, href)}
${giveUpLinks(ctx, [searched], facts, href)}`
}

/** The words that were searched for instead of misspelt words, with a link to search for the question as it was typed. */
export function respeltNote(searched: readonly Searched[], href: AnsweredQuestion['href']): Markup | null {
  const respelt = searched.flatMap(({ found }) => (found.listings.length > 0 ? (found.respelt ?? []) : []))
  if (respelt.length === 0) return null
  const words = (of: 'typed' | 'meant') => oneLine([...new Set(respelt.map((one) => one[of]))].join(', '), 80)
  return html`<p class="note">Searched for <strong><bdi>${words('meant')}</bdi></strong>. <a href="${href({ facts: 'off' })}">Search for <bdi>${words('typed')}</bdi></a></p>`
}

const MOST_NAMED = 4

/** Says that no listing has all of it, and what the shown ones have: "No tool here mentions zoom. These mention meeting and notes:" */
export function partialSentence(found: Found<unknown>, noun: string): string {
  const unknown = unknownWords(found.words)
  const lacking =
    !found.keepsFacts && !found.othersHaveFacts
      ? `No ${noun} here has all of these facts.`
      : unknown
        ? `No ${noun} here mentions ${unknown}.`
        : `No ${noun} does all of it.`
  return `${lacking} ${closestSentence(found)}`
}

/** The words of the question that the listings of a page have in common. */
export function closestSentence({ reasons }: Found<unknown>): string {
  const lists = reasons.map(({ hits }) => hits)
  const named = [...new Set(lists.flat())]
  const inAll = named.filter((word) => lists.every((list) => list.includes(word))).slice(0, MOST_NAMED)
  if (inAll.length === 0) return 'These come closest:'
  if (lists.length === 1) return `This one mentions ${joined(inAll, 'and')}:`
  const inSome = named.filter((word) => !inAll.includes(word)).slice(0, MOST_NAMED)
  return inSome.length > 0
    ? `These mention ${joined(inAll, 'and')}, some also ${joined(inSome, 'or')}:`
    : `These mention ${joined(inAll, 'and')}:`
}

export interface Searched {
  kind: ListedKind
  found: Found<unknown>
}

interface Chip {
  label: string
  href: string
  /** How many listings match fully without that part of the question. */
  left?: number
  isUnknown?: boolean
}

/** The facts that the question states, each as a link to the question without it. */
function statedChips(ctx: Context, searched: readonly Searched[], href: AnsweredQuestion['href']): Chip[] {
  const { taxonomy } = ctx.catalog.snapshot()
  const { currency } = ctx.site.fields()
  const stated = searched.flatMap(({ kind, found }) =>
    found.stated.map(
      (one): Chip => ({
        label: statementWords(one, kind, taxonomy, currency),
        href: href({ q: one.rest }),
        left: one.left,
      }),
    ),
  )
  return stated.filter(({ label }, at) => stated.findIndex((one) => one.label === label) === at)
}

/** The facts and words that were searched for, each as a link to the question without it; null when there is nothing to say. */
export function understoodLine(
  ctx: Context,
  searched: readonly Searched[],
  facts: string,
  href: AnsweredQuestion['href'],
): Markup | null {
  if (facts === 'off')
    return html`<p class="understood"><span>We looked for the words alone.</span> <a href="${href({ facts: '' })}">Understand the question</a></p>`
  const stated = statedChips(ctx, searched, href)
  // When the question states no facts and some listing has all of its words, repeating them says nothing.
  const isShownInSearchBox = stated.length === 0 && searched.some(({ found }) => found.fullMatches > 0)
  const words = isShownInSearchBox ? [] : wordsOfAll(searched)
  if (stated.length + words.length === 0) return null
  // Where the question is nothing but unknown words, the heading says so.
  const isPartlyKnown = stated.length > 0 || words.some(({ isUnknown }) => !isUnknown)
  return html`<div class="understood"><span>We looked for:</span><ul class="chips" aria-label="What was understood">
${[
  ...stated,
  ...words.map(({ word, rest, isUnknown }): Chip => ({ label: word, href: href({ q: rest }), isUnknown })),
].map(
  ({ label, href, isUnknown }) =>
    html`<li><a class="${isUnknown ? 'no' : 'on'}" href="${href}"><span><span class="visually-hidden">Without </span><bdi>${oneLine(label, 60)}</bdi>${isUnknown && isPartlyKnown && ', 0 found'}</span>${icon('close', 'small')}</a></li>\n`,
)}</ul>${stated.length > 0 && html`<a href="${href({ facts: 'off' })}">Search the words instead</a>`}</div>`
}

/** For each fact that the question states, how many listings match without it. `isPanel`: beside the results instead of above them. */
export function giveUpLinks(
  ctx: Context,
  searched: readonly Searched[],
  facts: string,
  href: AnsweredQuestion['href'],
  { isPanel = false }: { isPanel?: boolean } = {},
): Markup | null {
  const counted = facts === 'off' ? [] : statedChips(ctx, searched, href).filter(({ left = 0 }) => left > 0)
  if (counted.length === 0) return null
  const links = counted.map(
    ({ label, href, left = 0 }) =>
      html`<li><a href="${href}"><span class="without">${icon('close', 'small')}<span class="visually-hidden">Without </span><bdi>${oneLine(label, 60)}</bdi></span><span class="count">${number(left)}</span></a></li>\n`,
  )
  return isPanel
    ? countedLinks('If you give up one wish', links)
    : html`<div class="understood"><span>If you give up one wish:</span><ul class="chips">
${links}</ul></div>`
}

export const countedLinks = (title: string, links: readonly Markup[]): Markup =>
  html`<section class="panel narrowing"><h3>${title}</h3><ul>
${links}</ul></section>`

/** The words for which every catalog was searched; a word is unknown when no catalog has it. */
export const wordsOfAll = ([first, ...others]: readonly Searched[]): Found<unknown>['words'] =>
  (first?.found.words ?? []).flatMap((one) => {
    const same = others.map(({ found }) => found.words.find(({ word }) => word === one.word))
    return same.includes(undefined) ? [] : { ...one, isUnknown: [one, ...same].every((each) => each?.isUnknown) }
  })
