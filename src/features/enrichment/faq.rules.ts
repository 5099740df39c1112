// Questions and answers of a page: as it declares them itself, else from what opens and closes, else from headings that ask.
import type { CheerioAPI } from 'cheerio'
import { type Element, isQuestion, plain, textOf, withoutMarkup } from './text.rules.ts'

export interface Question {
  question: string
  answer: string
}

export const MAX_QUESTIONS = 20
export const QUESTION_LENGTH = 300
export const ANSWER_LENGTH = 2000
// A heading with a question mark may be an advertisement ("Ready to start?"); one alone, or hardly an answer, is no FAQ.
const LEAST_HEADINGS = 2
const LEAST_ANSWER = 20

export function findQuestions($: CheerioAPI): Question[] {
  for (const find of [declared, unfolding, asked]) {
    const found = bounded(find($))
    if (found.length > 0) return found
  }
  return []
}

/** Plain, bounded, without repetitions; items that lack a half are left out. */
export function bounded(items: readonly { question: unknown; answer: unknown }[]): Question[] {
  const kept = new Map<string, Question>()
  for (const { question, answer } of items) {
    if (kept.size === MAX_QUESTIONS) break
    if (typeof question !== 'string' || typeof answer !== 'string') continue
    const item = { question: plain(question, QUESTION_LENGTH), answer: plain(answer, ANSWER_LENGTH) }
    const key = item.question.toLowerCase()
    if (item.question && item.answer && !kept.has(key)) kept.set(key, item)
  }
  return [...kept.values()]
}

type Json = Record<string, unknown>

function declared($: CheerioAPI): Question[] {
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

/** Every object of every readable block of JSON-LD, also those inside others. */
export function linkedData($: CheerioAPI): Json[] {
  const found: Json[] = []
  for (const script of $('script[type="application/ld+json" i]').toArray()) {
    const waiting: unknown[] = [parse($(script).html() ?? '')]
    while (waiting.length > 0 && found.length < MAX_ITEMS) {
      const value = waiting.pop()
      if (typeof value !== 'object' || value === null) continue
      if (!Array.isArray(value)) found.push(value as Json)
      waiting.push(...Object.values(value).slice(0, MAX_ITEMS).reverse())
    }
  }
  return found
}

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

function unfolding($: CheerioAPI): Question[] {
  return $('details')
    .toArray()
    .flatMap((details) => {
      const summary = $(details).children('summary').first()
      const question = textOf(summary.toArray(), QUESTION_LENGTH)
      if (!isQuestion(question) && $(details).closest('[id*="faq" i], [class*="faq" i]').length === 0) return []
      const answer = textOf(details.children, ANSWER_LENGTH, (node) => 'name' in node && node.name === 'summary')
      return [{ question, answer }]
    })
}

const HEADINGS = 'h1, h2, h3, h4, h5, h6, dt'

function asked($: CheerioAPI): Question[] {
  const found = $(HEADINGS)
    .toArray()
    .flatMap((heading) => {
      const question = textOf([heading], QUESTION_LENGTH)
      const answer = isQuestion(question) ? answerTo($, heading) : ''
      return answer.length >= LEAST_ANSWER ? [{ question, answer }] : []
    })
  return found.length >= LEAST_HEADINGS ? found : []
}

/** What follows until the next heading; where nothing does, what follows the element around (accordions wrap both halves). */
function answerTo($: CheerioAPI, heading: Element): string {
  let from = $(heading)
  for (let steps = 0; steps < 3 && from.length > 0; steps++) {
    const following = from.nextUntil(HEADINGS).filter((_, element) => $(element).find(HEADINGS).length === 0)
    const answer = textOf(following.toArray(), ANSWER_LENGTH)
    if (answer !== '') return answer
    from = from.parent()
    // Another question in the same element: this one is not wrapped, it has no answer.
    if (from.find(HEADINGS).length > 1) return ''
  }
  return ''
}
