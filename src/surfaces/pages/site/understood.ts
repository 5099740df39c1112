// What a search has understood of a question, and what to do when no listing has all of it.
import { askedMost } from '../../../features/catalog/asked.ts'
import { categoriesNear, directoryCategoriesNear, directoryCategoriesUsed } from '../../../features/catalog/browse.ts'
import { directoryQuestions, exampleQuestions } from '../../../features/catalog/examples.ts'
import type { Taxonomy } from '../../../features/catalog/rules.ts'
import { type ListedKind, PRICING_LABELS, type Tool } from '../../../features/catalog/schema.ts'
import type { Found } from '../../../features/catalog/site-search.ts'
import { hasPage } from '../../../features/site/rules.ts'
import type { Context } from '../../../kernel/context.ts'
import { addressWith } from '../kit/address-query.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { amount, money, number } from '../kit/values.ts'
import { mostUsed, publicCategories } from './catalog-reads.ts'
import { categoryTiles, chips } from './entries.ts'

type Statement = Found<unknown>['stated'][number]
type Pair = Statement['pairs'][number]

const prices: Readonly<Record<string, string>> = PRICING_LABELS
/** The values of a pair as alternatives: "Free or freemium". */
const either = ({ value, alternatives = value.split(',') }: Pair): string =>
  alternatives.map((one, at) => (at === 0 ? (prices[one] ?? one) : (prices[one] ?? one).toLowerCase())).join(' or ')

function termName({ name, value, isNot }: Pair, kind: ListedKind, taxonomy: Taxonomy): string {
  const { categories, tags, directoryCategories } = taxonomy
  const terms = name === 'tag' ? tags : kind === 'tool' ? categories : directoryCategories
  return `${isNot ? 'Not ' : ''}${terms.get(value)?.name ?? value}`
}

/** What was understood, as a visitor would say it. */
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

/** Facts that exclude each other ("free" and "not free") leave no value. */
const pairWords = (pair: Pair, currency: string): string | undefined =>
  pair.value === '' ? `Not any ${pair.name}` : PAIR_WORDS[pair.name]?.(pair, currency)

const statementWords = ({ pairs }: Statement, kind: ListedKind, taxonomy: Taxonomy, currency: string): string =>
  [...new Set(pairs.map((pair) => pairWords(pair, currency) ?? termName(pair, kind, taxonomy)))].join(', ')

const listed = (texts: readonly string[], last: 'and' | 'or'): string =>
  texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} ${last} ${texts.at(-1)}`

/** The words that no listing has, for a sentence; '' when there are none. */
export const unknownWords = (words: Found<unknown>['words']): string =>
  listed(
    words.flatMap(({ word, isUnknown }) => (isUnknown ? oneLine(word, 30) : [])),
    'or',
  )

/** How many listings match fully. For a question of one word the sentence does not say "all of it". */
export const fullSentence = (counts: readonly string[], full: number, q: string): string =>
  /\s/.test(q.trim())
    ? `${listed(counts, 'and')} ${full === 1 ? 'does' : 'do'} all of it`
    : `${listed(counts, 'and')} for “${oneLine(q, 60)}”`

/** The answer in a sentence: how many listings do all of it, or what none has. */
export function answerSentence(found: Found<unknown>, q: string, noun: Noun): string {
  const { total, fullMatches: full } = found
  if (full > 0) return `${fullSentence([amount(full, noun.one, noun.many)], full, q)}${moreSentence(full, total)}`
  if (total > 0) return partialSentence(found, noun.one)
  const unknown = unknownWords(found.words)
  return unknown ? `No ${noun.one} here mentions ${unknown}` : `No ${noun.one} for “${oneLine(q, 60)}”`
}

/** After the full matches, how many come close. */
export const moreSentence = (full: number, total: number): string =>
  full > 0 && total > full ? `, ${number(total - full)}\u00a0more ${total - full === 1 ? 'comes' : 'come'} close` : ''

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
  /** off: the question as words alone. */
  facts?: string
  /** The address of the same list with other values of its filters. */
  href: (values: { q?: string; facts?: string }) => string
}

/** The head of a list: with a question the answer in a sentence and what was understood, otherwise how many there are. */
export function understoodPart(ctx: Context, { q, noun, count, facts = '', href, ...searched }: Answer): Markup {
  if (!q)
    return html`<h2 class="visually-hidden">Results</h2>
<p class="label" data-count="${count} found">${count}</p>`
  return html`<h2 class="answer" data-count="${count} found">${answerSentence(searched.found, q, noun)}</h2>
${respeltNote([searched], href)}
${understoodLine(ctx, [searched], facts, href)}
${givenUp(ctx, [searched], facts, href)}`
}

/** The words that were searched for instead of misspelt ones, with the question as it was typed. */
export function respeltNote(searched: readonly Searched[], href: Answer['href']): Markup | null {
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

/** What the listings of a page have in common. */
export function closestSentence({ reasons }: Found<unknown>): string {
  const lists = reasons.map(({ has }) => has)
  const named = [...new Set(lists.flat())]
  const inAll = named.filter((word) => lists.every((list) => list.includes(word))).slice(0, MOST_NAMED)
  if (inAll.length === 0) return 'These come closest:'
  if (lists.length === 1) return `This one mentions ${listed(inAll, 'and')}:`
  const inSome = named.filter((word) => !inAll.includes(word)).slice(0, MOST_NAMED)
  return inSome.length > 0
    ? `These mention ${listed(inAll, 'and')}, some also ${listed(inSome, 'or')}:`
    : `These mention ${listed(inAll, 'and')}:`
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

/** What was understood of the question, each with the question without it. */
function wishesOf(ctx: Context, searched: readonly Searched[], href: Answer['href']): Chip[] {
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

/** What was looked for, as chips that lead to the question without that part. */
export function understoodLine(
  ctx: Context,
  searched: readonly Searched[],
  facts: string,
  href: Answer['href'],
): Markup | null {
  if (facts === 'off')
    return html`<p class="understood"><span>We looked for the words alone.</span> <a href="${href({ facts: '' })}">Understand the question</a></p>`
  const wishes = wishesOf(ctx, searched, href)
  // When the question states no facts and some listing has all of its words, repeating them says nothing.
  const isShownInSearchBox = wishes.length === 0 && searched.some(({ found }) => found.fullMatches > 0)
  const words = isShownInSearchBox ? [] : wordsOfAll(searched)
  if (wishes.length + words.length === 0) return null
  return html`<div class="understood"><span>We looked for:</span><ul class="chips" aria-label="What was understood">
${[
  ...wishes,
  ...words.map(({ word, rest, isUnknown }): Chip => ({ label: word, href: href({ q: rest }), isUnknown })),
].map(
  ({ label, href, isUnknown }) =>
    html`<li><a class="${isUnknown ? 'no' : 'on'}" href="${href}"><span><span class="visually-hidden">Without </span><bdi>${oneLine(label, 60)}</bdi>${isUnknown && ', 0 found'}</span>${icon('close', 'small')}</a></li>\n`,
)}</ul>${wishes.length > 0 && html`<a href="${href({ facts: 'off' })}">Search the words instead</a>`}</div>`
}

/** What each wish costs. `isPanel`: as a panel beside the results instead of a line above them. */
export function givenUp(
  ctx: Context,
  searched: readonly Searched[],
  facts: string,
  href: Answer['href'],
  { isPanel = false }: { isPanel?: boolean } = {},
): Markup | null {
  const counted = facts === 'off' ? [] : wishesOf(ctx, searched, href).filter(({ left = 0 }) => left > 0)
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

/** A panel of links, each with its count. */
export const countedLinks = (title: string, links: readonly Markup[]): Markup =>
  html`<section class="panel narrowing"><h3>${title}</h3><ul>
${links}</ul></section>`

/** The words that every searched catalog was asked for; unknown are those that none has. */
export const wordsOfAll = ([first, ...others]: readonly Searched[]): Found<unknown>['words'] =>
  (first?.found.words ?? []).flatMap((one) => {
    const same = others.map(({ found }) => found.words.find(({ word }) => word === one.word))
    return same.includes(undefined) ? [] : { ...one, isUnknown: [one, ...same].every((each) => each?.isUnknown) }
  })

/** Where to go from a question that no listing answers in full: near categories, questions that find something, and the operator. */
export const nearby = (ctx: Context, q: string, tools: readonly Tool[] | undefined): Markup =>
  html`${nearQuestions(ctx, q, tools)}
${tellOperator(ctx, q)}`

/** Words that are stored sorted, without reading like a phrase that has its words in the wrong order. */
const sideBySide = (words: string): string => words.replaceAll(' ', ', ')

/** How many categories a question that finds nothing leads to. */
const SHOWN_CATEGORIES = 12

/** `tools`: those that were found; undefined when only directories were searched. */
export function nearQuestions(ctx: Context, q: string, tools: readonly Tool[] | undefined): Markup {
  const snapshot = ctx.catalog.snapshot()
  // Without a question no category is nearer than another.
  const near = tools && q !== '' ? categoriesNear(snapshot, q, tools) : []
  const isLost = near.length === 0 && tools?.length === 0
  const categories = isLost ? mostUsed(publicCategories(ctx), SHOWN_CATEGORIES) : near
  const nearDirectories = tools || q === '' ? [] : directoryCategoriesNear(snapshot, q)
  const isFar = !tools && nearDirectories.length === 0
  const ofDirectories = isFar ? directoryCategoriesUsed(snapshot, SHOWN_CATEGORIES) : nearDirectories
  const asked = askedMost(ctx, q).map(({ words }) => words)
  const questions = (tools ? exampleQuestions : directoryQuestions)(ctx.catalog, ctx.site.fields().examples)
  const links = (list: readonly string[], labelOf = (q: string) => q) =>
    chips(list.map((q) => ({ label: labelOf(q), href: addressWith('/search', { q }) })))
  return html`${categories.length > 0 && html`<section class="flow"><h3>${isLost ? 'Browse by job' : 'Categories nearby'}</h3>${categoryTiles(categories)}</section>`}
${ofDirectories.length > 0 && html`<section class="flow"><h3>${isFar ? 'Browse by category' : 'Categories nearby'}</h3>${chips(ofDirectories.map(({ slug, name, count }) => ({ label: oneLine(name, 60), href: addressWith('/directories', { category: slug }), count })))}</section>`}
${asked.length > 0 && html`<section class="flow"><h3>Asked for most</h3>${links(asked, sideBySide)}</section>`}
${questions.length > 0 && html`<section class="flow"><h3>Questions that find something</h3>${links(questions)}</section>`}`
}

/** How to write to the operator, with the question; null where the site names no way. */
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
