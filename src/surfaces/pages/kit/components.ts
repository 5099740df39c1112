// Small components that many pages use: cards, badges, tabs, logos, texts to copy, breadcrumbs, boards, conversations, messages.
import { PLAN_LABELS } from '../../../features/accounts/schema.ts'
import { capitalised } from '../../../kernel/values/text.ts'
import { pictureAddress } from '../addresses.ts'
import { keyHint } from './button.ts'
import { html, type Markup } from './markup.ts'
import { number } from './values.ts'

export const card = (
  title: Markup | string,
  content: unknown,
  options: { accent?: boolean; level?: 2 | 3 } = {},
): Markup =>
  html`<section class="${options.accent ? 'card accent' : 'card'}">${options.level === 2 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}${content}</section>`

/** The heading of a section, with an optional link to the whole list. */
export const sectionHead = (title: Markup | string, more?: { href: string; label: Markup | string }): Markup =>
  html`<div class="section-head"><h2>${title}</h2>${more && html`<a href="${more.href}">${more.label}</a>`}</div>`

/** The heading of a list with its number of entries. */
export const countedTitle = (title: string, count: number): Markup =>
  html`${title} <span class="count">${number(count)}</span>`

/** Steps that follow one another, each with a title and a few words. */
export const numberedSteps = (steps: readonly (readonly [title: string, text: Markup | string])[]): Markup =>
  html`<ol class="numbered">${steps.map(
    ([title, text]) => html`<li><strong>${title}</strong><span>${text}</span></li>
`,
  )}</ol>`

/** A few labelled values that summarise a page. */
export const summaryFigures = (
  items: readonly (readonly [label: Markup | string, value: Markup | string | number])[],
): Markup =>
  html`<dl class="figures">${items.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`

const HUES = 8
const PATTERNS = 6

/**
 * The logo of a listing. Without one, the first letter of its name, in a colour, pattern and tone that are computed from the name, so that
 * it looks the same everywhere. The name is shown beside it, so screen readers skip it.
 */
export function tile(name: string, icon: string | null, options: { big?: boolean } = {}): Markup {
  const address = pictureAddress(icon)
  const size = options.big ? 88 : 44
  const className = options.big ? 'tile big' : 'tile'
  if (address)
    return html`<img class="${className}" src="${address}" alt="" width="${size}" height="${size}" loading="lazy">`
  const [letter = '?'] = name.match(/[\p{L}\p{N}]/u) ?? []
  const isDark = Math.floor(hashOf(name) / HUES / PATTERNS) % 2 === 1
  return html`<span class="${className} ${patternOf(name)}${isDark && ' dark'}" aria-hidden="true">${letter.toUpperCase()}</span>`
}

/** A large tile on the pattern of the name, for a listing without a picture. */
export const plate = (name: string, icon: string | null): Markup =>
  html`<span class="plate ${patternOf(name)}">${tile(name, icon, { big: true })}</span>`

const patternOf = (name: string): string => `${hueOf(name)} p-${(Math.floor(hashOf(name) / HUES) % PATTERNS) + 1}`

/** A number that depends only on the text. */
const hashOf = (text: string): number =>
  [...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7)

/** The CSS class of a colour, by a hash of the text: the same text has the same colour everywhere. */
export const hueOf = (text: string): string => `hue-${(hashOf(text) % HUES) + 1}`

export type Tone = 'plain' | 'accent' | 'info' | 'good' | 'notice' | 'danger' | 'marker'

/** A state or a property in one word. The word must say everything, because some visitors cannot tell the colours apart. */
export const badge = (text: string, tone: Tone = 'plain'): Markup =>
  html`<span class="${tone === 'plain' ? 'badge' : `badge ${tone}`}">${text}</span>`

/** The plan of a user or a key. */
export const planBadge = (plan: string): Markup =>
  badge(LABELS[plan] ?? capitalised(plan), plan === 'premium' ? 'accent' : 'plain')
// Typed by any text, because the plan comes as a text here.
const LABELS: Readonly<Record<string, string>> = PLAN_LABELS

/** For a row whose stored values break a rule: a badge, and the reason. null for all other rows. */
export function brokenRowBadge(row: unknown): Markup | null {
  const { broken } = (row ?? {}) as { broken?: string }
  return broken ? html`<br>${badge('Broken', 'danger')} <span class="note">${broken}</span>` : null
}

interface Tab {
  href: string
  label: string
  count?: number
  isCurrent?: boolean
  /** The key on the keyboard with which the script of the console opens the view. */
  key?: string
}

/** Links to several views of the same data, each with its own address. */
export const tabs = (label: string, items: readonly Tab[]): Markup =>
  html`<nav class="tabs" aria-label="${label}"><ul>${items.map(
    ({ href, label, count, isCurrent, key }) =>
      html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}${key && html` data-press="${key}"`}>${label}${key && !isCurrent && keyHint(key)}${count !== undefined && html` <span class="badge">${number(count)}</span>`}</a></li>`,
  )}</ul></nav>`

/** A link to a view of a list, with its number of rows. With 0 rows it is shown, but is no link, except to the current view. */
export const viewChip = (
  label: Markup | string,
  href: string,
  { count, isCurrent }: { count?: number | string; isCurrent?: boolean } = {},
): Markup => {
  const shown = html`${label}${count !== undefined && html` <span class="count">${typeof count === 'number' ? number(count) : count}</span>`}`
  return count === 0 && !isCurrent
    ? html`<li><span class="chip">${shown}</span></li>\n`
    : html`<li><a${isCurrent && html` class="on" aria-current="true"`} href="${href}">${shown}</a></li>\n`
}

interface ProgressBar {
  label: string
  value: number
  max: number
  /** Replaces the text "12 of 30". */
  text?: string
}

export function progress({ label, value, max, text = `${number(value)} of ${number(max)}` }: ProgressBar): Markup {
  const most = Math.max(max, 1)
  const reached = Math.min(Math.max(value, 0), most)
  return html`<div class="progress"><div class="row"><span>${label}</span><span class="figure">${text}</span></div><progress value="${reached}" max="${most}" aria-label="${label}">${text}</progress></div>`
}

/** A text to copy, such as a command, in a block with a title. The script shows the copy button; without it the text can be selected. */
export const codeBlock = (title: string, code: string): Markup =>
  html`<figure class="code" data-copied><figcaption class="label">${title}${copyButton(`Copy: ${title}`)}</figcaption><section aria-label="${title}" tabindex="0"><pre><code>${code}</code></pre></section></figure>`

/** Examples of which one is shown at a time. Radio buttons choose it, so no script is needed. The stylesheet allows for at most four. */
export const codeTabs = (
  name: string,
  legend: string,
  examples: readonly { label: string; picture?: Markup; blocks: Markup }[],
): Markup =>
  html`<div class="code-tabs"><fieldset><legend class="visually-hidden">${legend}</legend>${examples.map(({ label, picture }, at) => html`<label><input class="visually-hidden" type="radio" name="${name}" value="${label}"${at === 0 && html` checked`}>${picture}${label}</label>`)}</fieldset>
<div>${examples.map(({ blocks }) => html`<div class="flow">${blocks}</div>\n`)}</div></div>`

/** A short value with a copy button, such as a key or a discount code. */
export const copyableValue = (value: string, what = 'Copy'): Markup =>
  html`<span class="copyable" data-copied><code>${value}</code>${copyButton(what)}</span>`

interface CopyableFact {
  note?: Markup | string | null
  picture?: Markup | null
  key?: string
  /** The row above has the same value, so the page does not show it again. */
  isRepeated?: boolean
}

/** A row of a `dl` with a copy button. The note is shown beside the label, the picture above the value; pressing the key copies the value. */
export const copyableFact = (
  label: string,
  value: string,
  { note, picture, key, isRepeated }: CopyableFact = {},
): Markup =>
  html`<div data-copied><dt>${key && keyHint(key)}<bdi>${label}</bdi>${note && html` <span class="note">${note}</span>`}${copyButton(`Copy: ${label}`)}</dt><dd>${picture}${isRepeated && html`<span class="quiet">As above</span>`}<bdi class="${isRepeated ? 'visually-hidden text source' : 'text'}" data-source>${value}</bdi></dd></div>`

/** A button that copies a text of several lines. The text itself is hidden on the page, except from screen readers. */
export const copyTextButton = (label: string, text: string): Markup =>
  html`<span data-copied><span class="visually-hidden text source" data-source>${text}</span><button type="button" class="button plain" data-copy hidden>${label}</button></span>`

const copyButton = (what: string): Markup =>
  html`<button type="button" class="copy" data-copy hidden>Copy<span class="visually-hidden">${what.replace(/^Copy/, '')}</span></button>`

export interface Crumb {
  label: string
  href?: string
}

/** Links from the top of the site down to this page. The last one is this page itself and is no link. */
export const breadcrumbs = (crumbs: readonly Crumb[]): Markup =>
  html`<nav class="breadcrumbs" aria-label="Breadcrumbs"><ol>${crumbs.map(({ label, href }) =>
    href
      ? html`<li><a href="${href}"><bdi>${label}</bdi></a></li>`
      : html`<li><span aria-current="page"><bdi>${label}</bdi></span></li>`,
  )}</ol></nav>`

/** The breadcrumbs in the vocabulary of schema.org, for search engines. */
export const breadcrumbJsonLd = (publicUrl: string, crumbs: readonly Crumb[]): object => ({
  '@type': 'BreadcrumbList',
  itemListElement: crumbs.map(({ label, href }, i) => ({
    '@type': 'ListItem',
    position: i + 1,
    name: label,
    item: href ? publicUrl + href : undefined,
  })),
})

export interface EmptyState {
  title: string
  text?: Markup | string
  /** A link or button for what the user can do next. */
  action?: Markup
}

export const emptyState = ({ title, text, action }: EmptyState): Markup =>
  html`<div class="empty"><p><strong>${title}</strong></p>${text && html`<p class="quiet">${text}</p>`}${action}</div>`

export interface BoardColumn {
  title: string
  count?: number | string
  /** A link to the whole list of this column. */
  more?: Markup
  cards: readonly Markup[]
  /** For a script that moves cards between columns. */
  key?: string
}

/** Columns side by side, such as the states of work; on phones below each other. */
export const board = (label: string, columns: readonly BoardColumn[]): Markup =>
  html`<section class="board" aria-label="${label}" tabindex="0">${columns.map(
    ({ title, count, cards, more, key }) =>
      html`<section${key && html` data-column="${key}"`}><h2>${title} <span>${count ?? cards.length}</span></h2>${cards.length === 0 ? html`<p class="quiet small">Nothing here.</p>` : cards}${more}</section>`,
  )}</section>`

export interface ThreadMessage {
  id: string
  isCustomer: boolean
  /** The author, in words. */
  who: Markup | string
  when: Markup | null
  content: string
  /** Shown under the message: its sources, and the actions on it. */
  more?: Markup | null
}

/** A conversation, oldest message first. */
export const thread = (messages: readonly ThreadMessage[]): Markup =>
  html`<ol class="thread">${messages.map(
    ({ id, isCustomer, who, when, content, more }) =>
      html`<li id="message-${id}"${isCustomer && html` class="customer"`}><p class="row small"><strong>${who}</strong>${when}</p><p class="text"><bdi>${content}</bdi></p>${more}</li>\n`,
  )}</ol>`

export interface Flash {
  kind?: 'info' | 'good' | 'notice' | 'danger'
  text: Markup | string
  /** A permanent message has no button to dismiss it. */
  isPermanent?: boolean
}

/**
 * A message above the content of a page, such as whether the last action succeeded. Screen readers announce a failure at once; other
 * messages wait until the reader has finished its sentence.
 */
export const flash = ({ kind = 'info', text, isPermanent = false }: Flash): Markup =>
  html`<div class="flash ${kind}" role="${kind === 'danger' ? 'alert' : 'status'}"><div>${text}</div>${
    !isPermanent && html`<button type="button" class="dismiss" data-dismiss aria-label="Dismiss" hidden>×</button>`
  }</div>`

export const flashes = (messages: readonly Flash[]): Markup | null =>
  messages.length === 0 ? null : html`<div class="flashes">${messages.map(flash)}</div>`
