// Finds the features that a page lists, and questions and answers: those that it declares as JSON-LD, else those in `details` elements,
// else headings that are questions.
import type { CheerioAPI } from 'cheerio'
import { type Element, isQuestion, plainLine, visibleText, withoutMarkup } from './text.rules.ts'

export interface FoundQuestion {
  question: string
  answer: string
}

const MAX_QUESTIONS = 20
const QUESTION_LENGTH = 300
export const ANSWER_LENGTH = 2000
// A heading with a question mark may be an advertisement ("Ready to start?"), so a single one, or one with a very short answer, is ignored.
const MIN_HEADINGS = 2
const MIN_ANSWER_LENGTH = 20

export function findQuestions($: CheerioAPI): FoundQuestion[] {
  for (const find of [declaredQuestions, questionsInDetails, questionsInHeadings]) {
    const found = boundedQuestions(find($))
    if (found.length > 0) return found
  }
  return []
}

/** The items as plain text of limited length, without repetitions. Items without a question or an answer are left out. */
export function boundedQuestions(items: readonly { question: unknown; answer: unknown }[]): FoundQuestion[] {
  const kept = new Map<string, FoundQuestion>()
  for (const { question, answer } of items) {
    if (kept.size === MAX_QUESTIONS) break
    if (typeof question !== 'string' || typeof answer !== 'string') continue
    const item = { question: plainLine(question, QUESTION_LENGTH), answer: plainLine(answer, ANSWER_LENGTH) }
    const key = item.question.toLowerCase()
    if (item.question && item.answer && !kept.has(key)) kept.set(key, item)
  }
  return [...kept.values()]
}

type Json = Record<string, unknown>

function declaredQuestions($: CheerioAPI): FoundQuestion[] {
  return linkedData($)
    .filter((item) => isOfType(item, 'FAQPage'))
    .flatMap((page) => listOf(page.mainEntity))
    .flatMap((item) => {
      const question = item.name ?? item.text
      const answers = [...listOf(item.acceptedAnswer), ...listOf(item.suggestedAnswer)]
      const answer = answers.map(({ text }) => text).find((text) => typeof text === 'string' && text.trim() !== '')
      return typeof question === 'string' && typeof answer === 'string'
        ? [{ question: withoutMarkup(question), answer: withoutMarkup(answer) }]
        : []
    })
}

const MAX_ITEMS = 5000

/** All objects in the valid JSON-LD blocks of a page, nested ones included. */
export function linkedData($: CheerioAPI): Json[] {
  const found: Json[] = []
  for (const script of $('script[type="application/ld+json" i]').toArray()) {
    const unread: unknown[] = [parse($(script).html() ?? '')]
    while (unread.length > 0 && found.length < MAX_ITEMS) {
      const value = unread.pop()
      if (typeof value !== 'object' || value === null) continue
      if (!Array.isArray(value)) found.push(value as Json)
      unread.push(...Object.values(value).slice(0, MAX_ITEMS).reverse())
    }
  }
  return found
}

/** null when the text is not JSON. Some pages put the JSON into an HTML comment or into CDATA, which is removed. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.trim().replace(/^<!--|-->$|^\/\/<!\[CDATA\[|\/\/\]\]>$/g, ''))
  } catch {
    return null
  }
}

export const isOfType = (item: Json, ...types: string[]): boolean =>
  [item['@type']].flat().some((type) => typeof type === 'string' && types.includes(type.replace(/^.*[/#:]/, '')))

const listOf = (value: unknown): Json[] =>
  [value].flat().filter((item): item is Json => typeof item === 'object' && item !== null)

function questionsInDetails($: CheerioAPI): FoundQuestion[] {
  return $('details')
    .toArray()
    .flatMap((details) => {
      const summary = $(details).children('summary').first()
      const question = visibleText(summary.toArray(), QUESTION_LENGTH)
      if (!isQuestion(question) && $(details).closest('[id*="faq" i], [class*="faq" i]').length === 0) return []
      const answer = visibleText(details.children, ANSWER_LENGTH, (node) => 'name' in node && node.name === 'summary')
      return [{ question, answer }]
    })
}

const HEADINGS = 'h1, h2, h3, h4, h5, h6, dt'

function questionsInHeadings($: CheerioAPI): FoundQuestion[] {
  const found = $(HEADINGS)
    .toArray()
    .flatMap((heading) => {
      const question = visibleText([heading], QUESTION_LENGTH)
      const answer = isQuestion(question) ? answerTo($, heading) : ''
      return answer.length >= MIN_ANSWER_LENGTH ? [{ question, answer }] : []
    })
  return found.length >= MIN_HEADINGS ? found : []
}

/** The text up to the next heading. Without such a text, the text after the parent element, because accordions wrap each question in one. */
function answerTo($: CheerioAPI, heading: Element): string {
  let from = $(heading)
  for (let steps = 0; steps < 3 && from.length > 0; steps++) {
    const following = from.nextUntil(HEADINGS).filter((_, element) => $(element).find(HEADINGS).length === 0)
    const answer = visibleText(following.toArray(), ANSWER_LENGTH)
    if (answer !== '') return answer
    from = from.parent()
    // The parent has other headings too, so it does not wrap this question and there is no answer.
    if (from.find(HEADINGS).length > 1) return ''
  }
  return ''
}

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
const SECTION_HEADINGS = 'h1, h2, h3, h4, h5, h6'

function featuresInSections($: CheerioAPI): [string, string][] {
  const sections = $(SECTIONS)
    .toArray()
    .filter((section) => {
      const { id = '', class: names = '' } = section.attribs
      if (/feature/i.test(`${id} ${names}`)) return true
      return FEATURES_HEADING.test(visibleText($(section).find(SECTION_HEADINGS).first().toArray(), NAME_LENGTH))
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
