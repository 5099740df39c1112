// Templates that escape the values put into them, and helpers for texts that need more than escaping.
import { raw, html as template } from 'hono/html'

export type Markup = ReturnType<typeof raw>

// The library returns a promise only when a value is a promise, and our templates contain none.
export const html = template as (strings: TemplateStringsArray, ...values: unknown[]) => Markup

/** Makes every line break a single LF. Browsers send a line break of a form as CR LF. */
export const normaliseLineBreaks = (text: string): string => text.replace(/\r\n?/g, '\n')

// Characters that change the writing direction. One that is never closed would reverse the text that a browser shows after it.
const DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g

/** Whether the text has more than spaces. */
export const isFilled = (text: string | null): text is string => text !== null && text.trim() !== ''

/** One line of at most `length` characters for places that cannot be styled: titles, descriptions for search engines. */
export function oneLine(text: string, length: number): string {
  // The text is cut by code points, or half an emoji could remain. A rough cut comes first, because texts can be long.
  const characters = [
    ...text
      .slice(0, length * 8)
      .replace(DIRECTION_CONTROLS, '')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
  if (characters.length <= length) return characters.join('')
  const end = length - 1
  const space = characters.lastIndexOf(' ', end)
  // A word is not cut, unless more than a third of the text would be lost.
  return `${characters
    .slice(0, space > end * (2 / 3) ? space : end)
    .join('')
    .replace(/[\s,;:.–—-]{1,10}$/, '')}…`
}

/**
 * Facts for search engines, as JSON in a script element. Browsers do not execute it, so the content security policy allows it. `<` and the
 * like are written as escapes, because `</script>` inside a text would end the element.
 */
export const dataBlock = (facts: object): Markup =>
  html`<script type="application/ld+json">${raw(
    JSON.stringify(facts).replace(
      /[<>&\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  )}</script>`
