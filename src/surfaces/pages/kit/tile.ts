import { pictureAddress } from '../addresses.ts'
import { html, type Markup } from './markup.ts'

const HUES = 8

/**
 * A logo, or the first letter of a name without one. The name is shown beside it, so screen readers skip it. `of`: what gives the letter
 * its colour, such as the slug of a category; the name itself otherwise.
 */
export function tile(name: string, icon: string | null, options: { big?: boolean; of?: string } = {}): Markup {
  const address = pictureAddress(icon)
  const size = options.big ? 88 : 44
  const className = options.big ? 'tile big' : 'tile'
  if (address)
    return html`<img class="${className}" src="${address}" alt="" width="${size}" height="${size}" loading="lazy">`
  const [letter = '?'] = name.match(/[\p{L}\p{N}]/u) ?? []
  return html`<span class="${className} ${hueOf(options.of ?? name)}" aria-hidden="true">${letter.toUpperCase()}</span>`
}

/** The class of a colour: the same text has the same one everywhere. */
export const hueOf = (text: string): string =>
  `hue-${([...text].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % HUES) + 1}`
