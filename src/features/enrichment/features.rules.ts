// Features of a product in the words of its page: declared, or listed under a heading that says so.
import type { CheerioAPI } from 'cheerio'
import { isOfType, linkedData } from './faq.rules.ts'
import { type Element, isQuestion, plain, textOf, withoutMarkup } from './text.rules.ts'

export type Features = Record<string, string>

export const MAX_FEATURES = 12
export const NAME_LENGTH = 80
export const TEXT_LENGTH = 300
// Fewer are rather a menu or a slogan than a list.
const LEAST = 2

export function findFeatures($: CheerioAPI): Features {
  for (const find of [declared, described]) {
    const found = boundedFeatures(find($))
    if (Object.keys(found).length >= LEAST) return found
  }
  return {}
}

export function boundedFeatures(entries: readonly (readonly [unknown, unknown])[]): Features {
  const kept = new Map<string, [string, string]>()
  for (const [name, text] of entries) {
    if (kept.size === MAX_FEATURES) break
    if (typeof name !== 'string' || typeof text !== 'string') continue
    const short = plain(name, NAME_LENGTH)
    if (short === '__proto__') continue
    const key = short.toLowerCase()
    if (short && !kept.has(key)) kept.set(key, [short, plain(text, TEXT_LENGTH)])
  }
  return Object.fromEntries(kept.values())
}

const PRODUCTS = ['SoftwareApplication', 'WebApplication', 'MobileApplication', 'Product']

function declared($: CheerioAPI): [string, string][] {
  return linkedData($)
    .filter((item) => isOfType(item, ...PRODUCTS))
    .flatMap((item) => {
      const list = item.featureList
      return typeof list === 'string' ? list.split(/[\n,;•]+/) : [list].flat()
    })
    .flatMap((feature) => (typeof feature === 'string' ? [splitFeature(withoutMarkup(feature))] : []))
}

/** `Name: what it does`, `Name – what it does`, or a name alone. */
export function splitFeature(text: string): [string, string] {
  // On one line and no longer than a feature may be, before the pattern goes back and forth in it.
  const line = plain(text, NAME_LENGTH + TEXT_LENGTH)
  const [, name, rest] = /^([^:–—]{2,80}?) ?(?::| [-–—]) (.+)$/s.exec(line) ?? []
  return name && rest ? [name, rest] : [line, '']
}

const SAYS_SO = /\b(key |main |top |core )?(features?|capabilities|what (you|it) (get|can do|does|do)|highlights)\b/i
const SECTIONS =
  'section, [id*="feature" i], [class~="features" i], [class*="feature-list" i], [class*="features-" i], [class*="-features" i]'
const HEADINGS = 'h1, h2, h3, h4, h5, h6'

function described($: CheerioAPI): [string, string][] {
  const sections = $(SECTIONS)
    .toArray()
    .filter((section) => {
      const { id = '', class: names = '' } = section.attribs
      if (/feature/i.test(`${id} ${names}`)) return true
      return SAYS_SO.test(textOf($(section).find(HEADINGS).first().toArray(), NAME_LENGTH))
    })
  for (const section of sections) {
    const found = [...headed($, section), ...itemised($, $(section).find('li').toArray())]
    if (found.length >= LEAST) return found
  }
  // No element around them: what follows the heading.
  for (const heading of $('h2, h3').toArray()) {
    if (!SAYS_SO.test(textOf([heading], NAME_LENGTH))) continue
    const following = $(heading).nextUntil('h1, h2').toArray()
    const found = itemised($, $(following).filter('ul, ol').first().find('li').toArray())
    if (found.length >= LEAST) return found
  }
  return []
}

/** A heading and the paragraph after it, for every heading but the section's own. */
function headed($: CheerioAPI, section: Element): [string, string][] {
  return $(section)
    .find('h3, h4, h5')
    .toArray()
    .flatMap((heading) => {
      const name = textOf([heading], NAME_LENGTH)
      const text = textOf($(heading).nextAll('p, div').first().toArray(), TEXT_LENGTH)
      return name && text && !isQuestion(name) && !SAYS_SO.test(name) ? [[name, text] as [string, string]] : []
    })
}

function itemised($: CheerioAPI, items: Element[]): [string, string][] {
  return items.flatMap((item) => {
    if ($(item).find('li, h3, h4, h5').length > 0) return []
    const label = textOf($(item).find('strong, b').first().toArray(), NAME_LENGTH)
    const whole = textOf([item], TEXT_LENGTH + NAME_LENGTH)
    if (label && whole.startsWith(label))
      return [[label.replace(/[:–—-]\s*$/, ''), whole.slice(label.length).replace(/^[\s:–—-]+/, '')]]
    return whole ? [splitFeature(whole)] : []
  })
}
