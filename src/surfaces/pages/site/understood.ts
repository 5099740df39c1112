// What a search has understood of a question, and what to do when no listing has all of it.
import { categoriesNear } from '../../../features/catalog/browse.ts'
import { exampleQuestions } from '../../../features/catalog/examples.ts'
import type { Taxonomy } from '../../../features/catalog/rules.ts'
import type { ListedKind, Tool } from '../../../features/catalog/schema.ts'
import type { Found } from '../../../features/catalog/site-search.ts'
import { hasPage } from '../../../features/site/rules.ts'
import type { Context } from '../../../kernel/context.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { addressWith } from '../kit/site-addresses.ts'
import { number } from '../kit/values.ts'
import { categoryTiles, chips } from './entries.ts'
import { amount } from './listing.ts'
import { PRICING_LABELS } from './reasons.ts'

type Statement = Found<unknown>['stated'][number]
type Pair = Statement['pairs'][number]

const prices: Readonly<Record<string, string>> = PRICING_LABELS
const either = (value: string): string => value.split(',').join(' or ')

function termName({ name, value, isNot }: Pair, kind: ListedKind, taxonomy: Taxonomy): string {
  const { categories, tags, directoryCategories } = taxonomy
  const terms = name === 'tag' ? tags : kind === 'tool' ? categories : directoryCategories
  return `${isNot ? 'Not ' : ''}${terms.get(value)?.name ?? value}`
}

/** What was understood, as a visitor would say it. */
const PAIR_WORDS: Readonly<Record<string, (pair: Pair) => string>> = {
  pricing: ({ value }) =>
    either(
      value
        .split(',')
        .map((one) => prices[one] ?? one)
        .join(','),
    ),
  cost: ({ value }) => either(value),
  type: ({ value }) => either(value),
  badge: ({ value }) => (value === 'required' ? 'Badge required' : 'No badge'),
  minDomainRating: ({ value }) => `DR ${value} and more`,
  maxDomainRating: ({ value, isBelow }) => (isBelow ? `DR below ${value}` : `DR up to ${value}`),
  minPrice: ({ value }) => `Price from ${value}`,
  maxPrice: ({ value }) => `Price up to ${value}`,
}

/** Facts that exclude each other leave no value. */
const pairWords = (pair: Pair): string | undefined =>
  pair.value === '' ? `Not any ${pair.name}` : PAIR_WORDS[pair.name]?.(pair)

const statementWords = ({ pairs }: Statement, kind: ListedKind, taxonomy: Taxonomy): string =>
  [...new Set(pairs.map((pair) => pairWords(pair) ?? termName(pair, kind, taxonomy)))].join(', ')

const listed = (texts: readonly string[], last: 'and' | 'or'): string =>
  texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} ${last} ${texts.at(-1)}`

/** The words that no listing has, for a sentence; '' when there are none. */
export const unknownWords = (words: Found<unknown>['words']): string =>
  listed(
    words.flatMap(({ word, isUnknown }) => (isUnknown ? oneLine(word, 30) : [])),
    'or',
  )

/** How many listings match fully; a question of one word is not called all of it. */
export const fullSentence = (counts: readonly string[], full: number, q: string): string =>
  /\s/.test(q.trim())
    ? `${listed(counts, 'and')} ${full === 1 ? 'does' : 'do'} all of it`
    : `${listed(counts, 'and')} for “${oneLine(q, 60)}”`

/** The answer in a sentence: how many listings do all of it, or what none has. */
export function answerSentence(found: Found<unknown>, q: string, noun: Noun): string {
  const { total, full } = found
  if (full > 0) return fullSentence([amount(full, noun.one, noun.many)], full, q)
  if (total > 0) return partialSentence(found, noun.one)
  const unknown = unknownWords(found.words)
  return unknown ? `No ${noun.one} here mentions ${unknown}` : `No ${noun.one} for “${oneLine(q, 60)}”`
}

interface Noun {
  one: string
  many: string
}
export const TOOLS: Noun = { one: 'tool', many: 'tools' }
export const DIRECTORIES: Noun = { one: 'directory', many: 'directories' }

interface Answer extends Searched {
  q: string
  noun: Noun
  /** How many there are, with the noun. */
  count: string
  facts?: string
  /** The address of the same list with other values of its filters. */
  href: (values: { q?: string; facts?: string }) => string
}

/** The head of a list: with a question the answer in a sentence and what was understood, otherwise how many there are. */
export function answer(ctx: Context, { q, noun, count, facts = '', href, ...searched }: Answer): Markup {
  if (!q)
    return html`<h2 class="visually-hidden">Results</h2>
<p class="label" data-count="${count} found">${count}</p>`
  return html`<h2 class="answer" data-count="${count} found">${answerSentence(searched.found, q, noun)}</h2>
${understoodLine(ctx, [searched], facts, href)}`
}

const MOST_NAMED = 4

/** That no listing has all of it, and what those shown have: "No tool here mentions zoom. These mention meeting and notes:" */
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

/** What the listings of a page have in common. */
export function closestSentence({ reasons }: Found<unknown>): string {
  const [first, ...others] = reasons.map(({ has }) => has)
  const shared = (first ?? []).filter((word) => others.every((list) => list.includes(word))).slice(0, MOST_NAMED)
  if (shared.length === 0) return 'These come closest:'
  return `${others.length > 0 ? 'These mention' : 'This one mentions'} ${listed(shared, 'and')}:`
}

export interface Searched {
  kind: ListedKind
  found: Found<unknown>
}

interface Chip {
  label: string
  href: string
  /** How many listings match fully without it. */
  left?: number
  isUnknown?: boolean
}

/** What was looked for, as chips that lead to the question without that part. */
export function understoodLine(
  ctx: Context,
  searched: readonly Searched[],
  facts: string,
  href: Answer['href'],
): Markup | null {
  if (facts === 'off')
    return html`<p class="understood"><span>We looked for the words alone.</span> <a href="${href({ facts: '' })}">Understand the question</a></p>`
  const { taxonomy } = ctx.catalog.snapshot()
  const stated = searched.flatMap(({ kind, found }) =>
    found.stated.map(
      (one): Chip => ({ label: statementWords(one, kind, taxonomy), href: href({ q: one.rest }), left: one.left }),
    ),
  )
  const words = searched.some(({ found }) => found.full > 0) ? [] : wordsOfAll(searched)
  if (stated.length + words.length === 0) return null
  const wishes = stated.filter(({ label }, at) => stated.findIndex((one) => one.label === label) === at)
  return html`<div class="understood"><span>We looked for:</span><ul class="chips" aria-label="What was understood">
${[
  ...wishes,
  ...words.map(({ word, rest, isUnknown }): Chip => ({ label: word, href: href({ q: rest }), isUnknown })),
].map(
  ({ label, href, isUnknown }) =>
    html`<li><a class="${isUnknown ? 'no' : 'on'}" href="${href}"><span><span class="visually-hidden">Without </span><bdi>${oneLine(label, 60)}</bdi>${isUnknown && ', 0 found'}</span>${icon('close', 'small')}</a></li>\n`,
)}</ul>${stated.length > 0 && html`<a href="${href({ facts: 'off' })}">Search the words instead</a>`}</div>
${givenUp(wishes)}`
}

/** What each wish costs. */
function givenUp(wishes: readonly Chip[]): Markup | null {
  const counted = wishes.filter(({ left = 0 }) => left > 0)
  return counted.length === 0
    ? null
    : html`<div class="understood"><span>If you give up one wish:</span><ul class="chips">
${counted.map(({ label, href, left = 0 }) => html`<li><a href="${href}"><s><span class="visually-hidden">Without </span><bdi>${oneLine(label, 60)}</bdi></s><span class="count">${number(left)}</span></a></li>\n`)}</ul></div>`
}

/** The words that every searched catalog was asked for; unknown are those that none has. */
export const wordsOfAll = ([first, ...others]: readonly Searched[]): Found<unknown>['words'] =>
  (first?.found.words ?? []).flatMap((one) => {
    const same = others.map(({ found }) => found.words.find(({ word }) => word === one.word))
    return same.includes(undefined) ? [] : { ...one, isUnknown: [one, ...same].every((each) => each?.isUnknown) }
  })

/** Where to go from a question that no listing answers in full: near categories, questions that find something, and the operator. */
export function nearby(ctx: Context, q: string, tools: readonly Tool[] | undefined): Markup {
  const { contactEmail, examples, ...site } = ctx.site.fields()
  const categories = tools ? categoriesNear(ctx.catalog.snapshot(), q, tools) : []
  const questions = exampleQuestions(ctx.catalog, examples)
  const subject = oneLine(`Missing on ${site.name}: ${q}`, 120).toWellFormed()
  const contact = contactEmail
    ? `mailto:${contactEmail}?subject=${encodeURIComponent(subject)}`
    : hasPage({ contactEmail, ...site }, 'contact') && '/contact'
  return html`${categories.length > 0 && html`<section class="flow"><h3>Categories nearby</h3>${categoryTiles(categories)}</section>`}
${questions.length > 0 && html`<section class="flow"><h3>Questions that find something</h3>${chips(questions.map((label) => ({ label, href: addressWith('/search', { q: label }) })))}</section>`}
${contact && html`<section class="card"><h3>Tell us what is missing</h3><p>We look at what people ask for. Write to us, and your question goes along.</p><p><a class="button plain" href="${contact}">${icon('mail', 'small')}Tell the operator</a></p></section>`}`
}
