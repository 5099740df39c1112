// How a category looks: its icon follows from the words in its slug, and its colour stays the same on every page.
import { hueOf } from '../../kit/components.ts'
import { type IconName, icon } from '../../kit/icon.ts'
import { html, type Markup } from '../../kit/markup.ts'

/** A category has the icon of the first of these words that its slug contains. */
const ICONS: readonly (readonly [word: string, name: IconName])[] = [
  ['copywriting', 'pen'],
  ['writ', 'pen'],
  ['image', 'image'],
  ['photo', 'image'],
  ['video', 'video'],
  ['music', 'music'],
  ['voice', 'mic'],
  ['speech', 'mic'],
  ['audio', 'wave'],
  ['meeting', 'users'],
  ['developer', 'terminal'],
  ['code', 'code'],
  ['chat', 'chat'],
  ['productiv', 'list'],
  ['market', 'send'],
  ['email', 'mail'],
  ['research', 'bulb'],
  ['search', 'search'],
  ['design', 'palette'],
  ['art', 'palette'],
  ['education', 'cap'],
  ['academ', 'cap'],
  ['learn', 'cap'],
  ['data', 'bars'],
  ['analytic', 'bars'],
  ['support', 'help'],
  ['business', 'clipboard'],
  ['sales', 'clipboard'],
  ['service', 'hands'],
  ['automat', 'flow'],
  ['agent', 'sparkles'],
  ['model', 'blocks'],
  ['extension', 'puzzle'],
  ['security', 'shield'],
  ['legal', 'file'],
  ['document', 'file'],
  ['book', 'book'],
  ['launch', 'rocket'],
]

const iconOf = (slug: string): IconName => ICONS.find(([word]) => slug.includes(word))?.[1] ?? 'box'

export const categoryMark = (slug: string): Markup =>
  html`<span class="hue ${hueOf(slug)}" aria-hidden="true">${icon(iconOf(slug))}</span>`

/** The picture of a listing, or a cover with the icon of its category. Names are shown beside it, so screen readers skip it. */
export const cover = (picture: string | null, { name, category }: { name: string; category: string }): Markup =>
  picture
    ? html`<span class="cover ${hueOf(name)}"><img src="${picture}" alt="" width="640" height="400" loading="lazy"></span>`
    : html`<span class="cover made ${hueOf(name)}" aria-hidden="true">${icon(iconOf(category))}</span>`
