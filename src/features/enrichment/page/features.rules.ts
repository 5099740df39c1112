// Finds the features of a product on its page: those that it declares as JSON-LD, else those listed under a heading such as "Features".
import type { CheerioAPI } from 'cheerio'
import { isOfType, linkedData } from './faq.rules.ts'
import { type Element, isQuestion, plainLine, visibleText, withoutMarkup } from './text.rules.ts'

export type Features = Record<string, string>

const MAX_FEATURES = 12
const NAME_LENGTH = 80
const TEXT_LENGTH = 300
// Fewer than this are more likely a menu or a slogan than a list of features.
const MIN_FEATURES = 2

export function findFeatures($: CheerioAPI): Features {
  for (const find of [declaredFeatures, featuresInSections]) {
    const found = boundedFeatures(find($))
    if (Object.keys(found).length >= MIN_FEATURES) return found
  }
  return {}
}

/** The features as plain text of limited length, without repetitions. Entries without a name are left out. */
export function boundedFeatures(entries: readonly (readonly [unknown, unknown])[]): Features {
  const kept = new Map<string, [string, string]>()
  for (const [name, text] of entries) {
    if (kept.size === MAX_FEATURES) break
    if (typeof name !== 'string' || typeof text !== 'string') continue
    const shortName = plainLine(name, NAME_LENGTH)
    if (shortName === '__proto__') continue
    const key = shortName.toLowerCase()
    if (shortName && !kept.has(key)) kept.set(key, [shortName, plainLine(text, TEXT_LENGTH)])
  }
  return Object.fromEntries(kept.values())
}

const PRODUCTS = ['SoftwareApplication', 'WebApplication', 'MobileApplication', 'Product']

function declaredFeatures($: CheerioAPI): [string, string][] {
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
  // Shortened first, because the pattern backtracks and would be slow on a long text.
  const line = plainLine(text, NAME_LENGTH + TEXT_LENGTH)
  const [, name, rest] = /^([^:–—]{2,80}?) ?(?::| [-–—]) (.+)$/s.exec(line) ?? []
  return name && rest ? [name, rest] : [line, '']
}

const FEATURES_HEADING =
  /\b(key |main |top |core )?(features?|capabilities|what (you|it) (get|can do|does|do)|highlights)\b/i
const SECTIONS =
  'section, [id*="feature" i], [class~="features" i], [class*="feature-list" i], [class*="features-" i], [class*="-features" i]'
const HEADINGS = 'h1, h2, h3, h4, h5, h6'

function featuresInSections($: CheerioAPI): [string, string][] {
  const sections = $(SECTIONS)
    .toArray()
    .filter((section) => {
      const { id = '', class: names = '' } = section.attribs
      if (/feature/i.test(`${id} ${names}`)) return true
      return FEATURES_HEADING.test(visibleText($(section).find(HEADINGS).first().toArray(), NAME_LENGTH))
    })
  for (const section of sections) {
    const found = [...featuresInHeadings($, section), ...featuresInItems($, $(section).find('li').toArray())]
    if (found.length >= MIN_FEATURES) return found
  }
  // The page has no element around its features, so the list after the heading is used.
  for (const heading of $('h2, h3').toArray()) {
    if (!FEATURES_HEADING.test(visibleText([heading], NAME_LENGTH))) continue
    const following = $(heading).nextUntil('h1, h2').toArray()
    const found = featuresInItems($, $(following).filter('ul, ol').first().find('li').toArray())
    if (found.length >= MIN_FEATURES) return found
  }
  return []
}

/** Each heading with the paragraph after it, except the heading of the section itself. */
function featuresInHeadings($: CheerioAPI, section: Element): [string, string][] {
  return $(section)
    .find('h3, h4, h5')
    .toArray()
    .flatMap((heading) => {
      const name = visibleText([heading], NAME_LENGTH)
      const text = visibleText($(heading).nextAll('p, div').first().toArray(), TEXT_LENGTH)
      return name && text && !isQuestion(name) && !FEATURES_HEADING.test(name) ? [[name, text] as [string, string]] : []
    })
}

function featuresInItems($: CheerioAPI, items: Element[]): [string, string][] {
  return items.flatMap((item) => {
    if ($(item).find('li, h3, h4, h5').length > 0) return []
    const label = visibleText($(item).find('strong, b').first().toArray(), NAME_LENGTH)
    const whole = visibleText([item], TEXT_LENGTH + NAME_LENGTH)
    if (label && whole.startsWith(label))
      return [[label.replace(/[:–—-]\s*$/, ''), whole.slice(label.length).replace(/^[\s:–—-]+/, '')]]
    return whole ? [splitFeature(whole)] : []
  })
}
