// What tool and directory pages are put together from. Texts of listings may be in any script: each is set apart, so that
// one that runs from right to left, or pretends to, does not turn its surroundings around.
import { pictureAddress, webAddress } from '../addresses.ts'
import { html, type Markup } from '../markup.ts'

export const heading = (name: string, tagline: string | null, icon: string | null): Markup => {
  const address = pictureAddress(icon)
  return html`${address && html`<img class="icon" src="${address}" alt="Logo" width="64" height="64" loading="lazy" referrerpolicy="no-referrer">`}
<h1 dir="auto">${name}</h1>
${isFilled(tagline) && html`<p class="tagline" dir="auto">${tagline}</p>`}`
}

export const text = (value: string | null): Markup[] =>
  (value ?? '')
    .split(/\n\s*\n/)
    .filter(isFilled)
    .map((paragraph) => html`<p class="text" dir="auto">${paragraph.trim()}</p>`)

export const picture = (source: string | null, description: string): Markup | null => {
  const address = pictureAddress(source)
  return address === null
    ? null
    : html`<img class="picture" src="${address}" alt="${description}" width="736" height="414" loading="lazy" referrerpolicy="no-referrer">`
}

export type Fact = readonly [label: string, value: Markup | string | null]

/** A table of what is known; what is not known has no row. */
export const facts = (rows: readonly Fact[]): Markup => html`<h2>At a glance</h2>
<dl class="facts">
${rows
  .filter(([, value]) => value !== null && value !== '')
  .map(([label, value]) => html`<div><dt>${label}</dt><dd><bdi>${value}</bdi></dd></div>\n`)}</dl>`

export const named = (items: readonly { name: string }[]): Markup | null =>
  items.length === 0 ? null : html`${items.map((item, i) => html`${i > 0 && ', '}<bdi>${item.name}</bdi>`)}`

export const explained = (title: string, entries: readonly (readonly [string, string])[]): Markup | null => {
  const filled = entries.filter(([term]) => isFilled(term))
  return filled.length === 0
    ? null
    : html`<h2>${title}</h2>
<dl>
${filled.map(([term, explanation]) => html`<dt dir="auto">${term}</dt><dd class="text" dir="auto">${explanation}</dd>\n`)}</dl>`
}

export const questions = (items: readonly { question: string; answer: string }[]): Markup | null =>
  explained(
    'Questions and answers',
    items.map(({ question, answer }) => [question, answer]),
  )

export const listed = (title: string, items: readonly string[]): Markup | null => {
  const filled = items.filter(isFilled)
  return filled.length === 0
    ? null
    : html`<h2>${title}</h2>
<ul>
${filled.map((item) => html`<li dir="auto">${item}</li>\n`)}</ul>`
}

/** Links that lead away, each with its host: a label may promise another one. Addresses that may not be linked are left out. */
export const links = (title: string, targets: readonly (readonly [label: string, address: string | null])[]) =>
  linkList(
    title,
    targets.flatMap(([label, target]) => {
      const address = webAddress(target)
      if (!address) return []
      const { host } = new URL(address)
      return [
        html`<li><a href="${address}" rel="nofollow noopener"><bdi>${isFilled(label) ? label : host}</bdi></a>${note(host)}</li>\n`,
      ]
    }),
  )

export const linkList = (title: string, items: readonly Markup[]): Markup | null =>
  items.length === 0
    ? null
    : html`<h2>${title}</h2>
<ul class="links">
${items}</ul>`

export const note = (text: string): Markup | null =>
  isFilled(text) ? html`<span class="note"><bdi>${text}</bdi></span>` : null

export const profiles = (socials: Readonly<Record<string, string>>): string[] =>
  Object.values(socials).flatMap((address) => webAddress(address) ?? [])

export const isFilled = (value: string | null): value is string => value !== null && value.trim() !== ''

const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
export const number = (value: number): string => numbers.format(value)

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
export const date = (value: string | Date | null): Markup | null => {
  if (value === null) return null
  const time = new Date(value)
  return html`<time datetime="${time.toISOString()}">${dates.format(time)}</time>`
}

export const code = (value: string): Markup | null => (isFilled(value) ? html`<code>${value}</code>` : null)
export const yes = (value: boolean): string | null => (value ? 'Yes' : null)
