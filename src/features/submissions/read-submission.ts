// A submitted body, read: trimmed and checked first, then category and tags matched with those that exist. All problems of both steps
// are answered together.
import { invalid } from '../../kernel/errors.ts'
import { isStorableText, tryReadBody } from '../../kernel/input.ts'
import { isOwnAddress } from '../../kernel/own-addresses.ts'
import { nameProblem, type Problem, problem } from '../../kernel/problem.ts'
import { hasControlCharacter, hasVisibleCharacter } from '../../kernel/text.ts'
import { addressProblem } from '../../kernel/web-address.ts'
import { ADDRESS_LISTS, TOOL_ADDRESSES } from '../listings/rules.ts'
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

/** A checked body. Without a `body` it is refused, but what it names is looked up all the same. */
export interface Draft {
  body: SubmitBody | null
  problems: readonly Problem[]
  /** As it was sent; null when it is no text. */
  category: string | null
  tags: readonly { text: string; field: string }[]
}

const LINKS = /^(website|affiliateLink|socials\.)/
const VIDEO_HOSTS = /^(www\.|m\.)?(youtube\.com|youtube-nocookie\.com|youtu\.be|vimeo\.com|player\.vimeo\.com)$/

/** `publicUrl`: where this service is; its own addresses are no product's. */
export function readSubmission(raw: unknown, allowed: readonly string[], publicUrl: string | null = null): Draft {
  const result = tryReadBody(submitBody, trim(raw))
  const known = 'problems' in result ? result.problems : []
  // Within their bounds: an address or a tag may be as long as a body otherwise.
  const given: unknown = 'cut' in result ? result.cut : result.value
  const fields = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  const problems = [
    ...known,
    ...textProblems(fields, known),
    ...repeatedNames(raw),
    ...addressProblems(fields, allowed, publicUrl),
  ]
  return {
    body: 'problems' in result ? null : result.value,
    problems,
    category: typeof fields.category === 'string' ? fields.category : null,
    tags: tagsIn(fields.tags),
  }
}

// More than there may be are refused as a whole; looking each of them up would take as long as the client likes.
const tagsIn = (given: unknown): { text: string; field: string }[] =>
  (Array.isArray(given) ? given.slice(0, MOST_TAGS) : []).flatMap((text, i) =>
    typeof text === 'string' && text.trim() !== '' ? [{ text, field: `tags.${i}` }] : [],
  )

/** The slugs and names among which `matchSubmission` looks for the terms of a draft. */
export function termsNamedIn({ category, tags }: Draft) {
  const categories = category === null ? [] : [inLowerCase(category)]
  const texts = tags.map(({ text }) => inLowerCase(text))
  return {
    category: namesOf(categories, categories),
    tag: namesOf([...texts, ...tags.map(({ text }) => tagSlug(text))], texts),
  }
}

/** A text that the database does not store is the name of nothing. */
const namesOf = (slugs: readonly string[], names: readonly string[]) => ({
  slugs: slugs.filter(isStorableText),
  names: names.filter(isStorableText),
})

/** The submission, or a 400 with everything that is wrong with it. */
export function matchSubmission({ body, problems, ...draft }: Draft, terms: Terms): Submission {
  const category = draft.category === null ? undefined : match(terms.categories, draft.category)
  const tags = matchTags(draft.tags, terms.tags)
  const found = [
    ...problems,
    ...(draft.category && !category ? [unknownCategory(draft.category)] : []),
    ...tags.problems,
  ]
  if (found.length > 0 || !body || !category) throw invalid(found)
  return { body, category, tags: tags.all, newTags: tags.fresh }
}

const unknownCategory = (text: string): Problem =>
  problem('category', `${JSON.stringify(text.slice(0, 100))} does not exist; GET /categories lists the ones there are.`)

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
function textProblems(fields: Record<string, unknown>, known: readonly Problem[]): Problem[] {
  const problems: Problem[] = []
  const check = (field: string, value: unknown, isMultiline = MULTILINE.test(field), refuse = problem) => {
    if (typeof value === 'string' && hasControlCharacter(value, isMultiline))
      problems.push(
        refuse(field, `must not contain control characters${isMultiline ? ' other than line breaks and tabs' : ''}.`),
      )
  }
  const checkInside = (field: string, value: unknown) => {
    // A text that is too long was left empty; its own sentence says so.
    const isCut = known.some((one) => one.field === field && !one.isName)
    if (value === '' && !isCut) problems.push(problem(field, 'must not be blank.'))
    else check(field, value)
  }
  const checkName = (field: string, name: string) => {
    const isKnown = known.some((one) => one.field === field && one.isName)
    if (name === '' && !isKnown) problems.push(nameProblem(field, 'must not be blank.'))
    else check(field, name, MULTILINE.test(`${field}.`), nameProblem)
  }
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'features' || name === 'socials') {
      for (const [key, text] of Object.entries(isObject(value) ? value : {})) {
        checkName(name, key)
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
function repeatedNames(raw: unknown): Problem[] {
  if (!isObject(raw)) return []
  return MAPS.flatMap((field) => {
    const value = raw[field]
    const names = isObject(value) ? Object.keys(value) : []
    const isRepeated = new Set(names.map(trimText)).size < names.length
    return isRepeated ? [problem(field, 'must not have the same name twice.')] : []
  })
}

function addressProblems(
  fields: Record<string, unknown>,
  allowed: readonly string[],
  publicUrl: string | null,
): Problem[] {
  const problems: Problem[] = []
  const check = (field: string, value: unknown) => {
    if (typeof value !== 'string' || value === '') return
    const wrong = addressProblem(value, { allowed })
    if (wrong) problems.push(problem(field, wrong))
    // A link to a tool's way out would count a click for another tool. Pictures are looked at where they are stored.
    else if (LINKS.test(field) && publicUrl && isOwnAddress(publicUrl, value))
      problems.push(problem(field, 'must not be an address of this service.'))
    else if (field === 'video' && !VIDEO_HOSTS.test(new URL(value).hostname))
      problems.push(problem(field, 'must be an address at YouTube or Vimeo.'))
  }
  for (const name of TOOL_ADDRESSES) check(name, fields[name])
  for (const name of ADDRESS_LISTS) {
    const values = fields[name]
    if (typeof values === 'object' && values !== null)
      for (const [at, value] of Object.entries(values)) check(`${name}.${at}`, value)
  }
  return problems
}

const inLowerCase = (text: string): string => text.trim().toLowerCase()

const match = (terms: readonly Term[], text: string): Term | undefined => {
  const wanted = inLowerCase(text)
  return terms.find((term) => term.slug === wanted) ?? terms.find((term) => term.name.toLowerCase() === wanted)
}

function matchTags(given: Draft['tags'], known: readonly Term[]): { all: Term[]; fresh: Term[]; problems: Problem[] } {
  const all = new Map<string, Term>()
  const fresh: Term[] = []
  const problems: Problem[] = []
  for (const { text, field } of given) {
    let term = match(known, text) ?? match(fresh, text)
    if (!term) {
      const slug = tagSlug(text)
      if (slug === '') {
        problems.push(problem(field, 'must contain a letter or a digit.'))
        continue
      }
      term = known.find((one) => one.slug === slug) ?? fresh.find((one) => one.slug === slug)
      if (!term) fresh.push((term = { slug, name: text.trim() }))
    }
    all.set(term.slug, term)
  }
  return { all: [...all.values()], fresh, problems }
}
