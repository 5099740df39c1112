import { pictureAddress } from '../addresses.ts'
import { html, type Markup } from './markup.ts'

const TONES = 5

/** A logo, or the first letter of a name without one. The name is shown beside it, so screen readers skip it. */
export function tile(name: string, icon: string | null, options: { big?: boolean } = {}): Markup {
  const address = pictureAddress(icon)
  const size = options.big ? 72 : 48
  const className = options.big ? 'tile big' : 'tile'
  if (address)
    return html`<img class="${className}" src="${address}" alt="" width="${size}" height="${size}" loading="lazy" referrerpolicy="no-referrer">`
  const [letter = '?'] = name.match(/[\p{L}\p{N}]/u) ?? []
  return html`<span class="${className} tone-${toneOf(name)}" aria-hidden="true">${letter.toUpperCase()}</span>`
}

// The same name has the same colour everywhere.
const toneOf = (name: string): number =>
  [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % TONES
