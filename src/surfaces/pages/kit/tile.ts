import { pictureAddress } from '../addresses.ts'
import { html, type Markup } from './markup.ts'

const TONES = 5

/** A logo, or the first letter of the name where there is none. It stands beside the name, so it says nothing by itself. */
export function tile(name: string, icon: string | null, options: { big?: boolean } = {}): Markup {
  const address = pictureAddress(icon)
  const size = options.big ? 72 : 48
  const look = options.big ? 'tile big' : 'tile'
  if (address)
    return html`<img class="${look}" src="${address}" alt="" width="${size}" height="${size}" loading="lazy" referrerpolicy="no-referrer">`
  const [letter = '?'] = name.match(/[\p{L}\p{N}]/u) ?? []
  return html`<span class="${look} tone-${toneOf(name)}" aria-hidden="true">${letter.toUpperCase()}</span>`
}

// The same name has the same colour everywhere.
const toneOf = (name: string): number => [...name].reduce((sum, letter) => sum + letter.codePointAt(0)!, 0) % TONES
