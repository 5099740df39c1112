// A submitted body, read: trimmed, every problem named at once, category and tags matched with what there is.
import { badRequest } from '../../kernel/errors.ts'
import { tryReadBody } from '../../kernel/input.ts'
import { isOwnAddress } from '../../kernel/own-addresses.ts'
import { hasControlCharacter, hasVisibleCharacter } from '../../kernel/text.ts'
import { addressProblem } from '../../kernel/web-address.ts'
import { tagSlug } from './rules.ts'
import { MOST_TAGS, type SubmitBody, submitBody } from './schema.ts'

export interface Term {
  slug: string
  name: string
}

export interface Submission {
  body: SubmitBody
  category: Term
  tags: Term[]
  /** Those of the tags that are to be created. */
  newTags: Term[]
}

export interface Terms {
  categories: readonly Term[]
  tags: readonly Term[]
}

const LINKS = /^(website|affiliateLink|socials\.)/
const VIDEO_HOSTS = /^(www\.|m\.)?(youtube\.com|youtube-nocookie\.com|youtu\.be|vimeo\.com|player\.vimeo\.com)$/

/** `publicUrl`: where this service is; its own addresses are no product's. */
export function readSubmission(
  raw: unknown,
  terms: Terms,
  allowed: readonly string[],
  publicUrl: string | null = null,
): Submission {
  const trimmed = trim(raw)
  const result = tryReadBody(submitBody, trimmed)
  const problems = 'problems' in result ? [...result.problems] : []
  // Within their bounds: an address or a tag may be as long as a body otherwise.
  const given: unknown = 'cut' in result ? result.cut : result.value
  const fields = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  problems.push(
    ...textProblems(fields, problems),
    ...repeatedNames(raw),
    ...addressProblems(fields, allowed, publicUrl),
  )
  const category = typeof fields.category === 'string' ? match(terms.categories, fields.category) : undefined
  if (typeof fields.category === 'string' && fields.category !== '' && !category)
    problems.push(
      `category ${JSON.stringify(fields.category.slice(0, 100))} does not exist; GET /categories lists the ones there are.`,
    )
  const tags = Array.isArray(fields.tags) ? matchTags(fields.tags, terms.tags, problems) : { all: [], fresh: [] }
  if (problems.length > 0 || 'problems' in result || !category) throw badRequest(problems.join(' '))
  return { body: result.value, category, tags: tags.all, newTags: tags.fresh }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const MAPS = ['features', 'socials'] as const
// Line breaks and tabs are part of these texts.
const MULTILINE = /^(description|features\.|faq\.\d+\.answer$)/

/** Strings without white space around them; a blank one, and null, counts as missing. `pricing` is taken in any case, as by reads. */
function trim(raw: unknown): unknown {
  if (!isObject(raw)) return raw
  const entries = Object.entries(raw).map(([name, value]): [string, unknown] => {
    if (name === 'pricing' && typeof value === 'string') return [name, String(trimText(value)).toUpperCase()]
    if (name === 'features' || name === 'socials') return [name, isObject(value) ? trimTexts(value) : value]
    if (name === 'faq' && Array.isArray(value))
      return [name, value.map((item) => (isObject(item) ? trimTexts(item) : item))]
    return [name, trimText(value)]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== '' && value !== null))
}

/** Text without a visible character is blank; a control character is no blank, or it would pass unnoticed in an optional field. */
function trimText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  return hasVisibleCharacter(text) || /\p{Cc}/u.test(text) || !text.isWellFormed() ? text : ''
}

const trimTexts = (map: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [trimText(name), trimText(value)]))

/** Blank names and texts inside features, socials and faq, and control characters anywhere. */
function textProblems(fields: Record<string, unknown>, known: readonly string[]): string[] {
  const problems: string[] = []
  const check = (name: string, value: unknown, called = name) => {
    if (typeof value === 'string' && hasControlCharacter(value, MULTILINE.test(name)))
      problems.push(
        `${called} must not contain control characters${MULTILINE.test(name) ? ' other than line breaks and tabs' : ''}.`,
      )
  }
  const checkInside = (name: string, value: unknown, called = name) => {
    // A text that is too long was left empty; its own sentence says so.
    const isCut = known.some((problem) => problem.startsWith(`${called} must`))
    if (value === '' && !isCut) problems.push(`${called} must not be blank.`)
    else check(name, value, called)
  }
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'features' || name === 'socials') {
      for (const [key, text] of Object.entries(isObject(value) ? value : {})) {
        checkInside(`${name}.`, key, `A name in ${name}`)
        if (key !== '') checkInside(`${name}.${key}`, text)
      }
    } else if (name === 'faq') {
      for (const [i, item] of Array.isArray(value) ? value.entries() : [])
        if (isObject(item)) for (const part of ['question', 'answer']) checkInside(`faq.${i}.${part}`, item[part])
    } else if (Array.isArray(value)) for (const [i, item] of value.entries()) check(`${name}.${i}`, item)
    else check(name, value)
  }
  return problems
}

/** Names that are the same once they are trimmed: one of the two texts would be lost. */
function repeatedNames(raw: unknown): string[] {
  if (!isObject(raw)) return []
  return MAPS.flatMap((field) => {
    const value = raw[field]
    const names = isObject(value) ? Object.keys(value) : []
    const isRepeated = new Set(names.map(trimText)).size < names.length
    return isRepeated ? [`${field} must not have the same name twice.`] : []
  })
}

function addressProblems(
  fields: Record<string, unknown>,
  allowed: readonly string[],
  publicUrl: string | null,
): string[] {
  const problems: string[] = []
  const check = (name: string, value: unknown) => {
    if (value === '') return
    const problem = typeof value === 'string' ? addressProblem(value, { allowed }) : undefined
    if (problem) problems.push(`${name} ${problem}`)
    // A link to a tool's way out would count a click for another tool. Pictures are looked at where they are stored.
    else if (LINKS.test(name) && typeof value === 'string' && publicUrl && isOwnAddress(publicUrl, value))
      problems.push(`${name} must not be an address of this service.`)
    else if (name === 'video' && typeof value === 'string' && !VIDEO_HOSTS.test(new URL(value).hostname))
      problems.push('video must be an address at YouTube or Vimeo.')
  }
  for (const name of ['website', 'icon', 'frame', 'video', 'affiliateLink']) check(name, fields[name])
  for (const name of ['screenshots', 'socials']) {
    const values = fields[name]
    if (typeof values === 'object' && values !== null)
      for (const [at, value] of Object.entries(values)) check(`${name}.${at}`, value)
  }
  return problems
}

const match = (terms: readonly Term[], text: string): Term | undefined => {
  const wanted = text.trim().toLowerCase()
  return terms.find((term) => term.slug === wanted) ?? terms.find((term) => term.name.toLowerCase() === wanted)
}

function matchTags(given: unknown[], known: readonly Term[], problems: string[]): { all: Term[]; fresh: Term[] } {
  const all = new Map<string, Term>()
  const fresh: Term[] = []
  // More than there may be are refused as a whole; looking each of them up would take as long as they like.
  for (const [i, text] of given.slice(0, MOST_TAGS).entries()) {
    if (typeof text !== 'string' || text.trim() === '') continue
    let term = match(known, text) ?? match(fresh, text)
    if (!term) {
      const slug = tagSlug(text)
      if (slug === '') {
        problems.push(`tags.${i} must contain a letter or a digit.`)
        continue
      }
      term = known.find((one) => one.slug === slug) ?? fresh.find((one) => one.slug === slug)
      if (!term) fresh.push((term = { slug, name: text.trim() }))
    }
    all.set(term.slug, term)
  }
  return { all: [...all.values()], fresh }
}
