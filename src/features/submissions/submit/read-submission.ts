// Reads a submitted body: checks it, then matches its category and tags with the stored ones. The answer names all problems together.
import type { Static, TSchema } from 'typebox'
import { isOwnAddress } from '../../../kernel/addresses/own-addresses.ts'
import { addressProblem } from '../../../kernel/addresses/web-address.ts'
import { withoutInvisibleTexts } from '../../../kernel/checks/invisible.ts'
import { invalid } from '../../../kernel/errors.ts'
import { isStorableText, tryReadBody } from '../../../kernel/input.ts'
import { missing, nameProblem, type Problem, problem } from '../../../kernel/problem.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { hasControlCharacter, trimmed } from '../../../kernel/values/text.ts'
import { isVideoHost } from '../../catalog/known-hosts/videos.rules.ts'
import { freeSlug, nameKey, termSlug } from '../../catalog/terms/slugify.ts'
import { addressProblems, repeatedNames } from '../../listings/rules.ts'
import {
  type CorrectionBody,
  correctionBody,
  MOST_NEW_TAGS,
  MOST_TAGS,
  type SubmitBody,
  submitBody,
} from '../schema.ts'

export interface SubmittedTerm {
  slug: string
  name: string
}

export interface SubmittedTag extends SubmittedTerm {
  /** The name as the partner sent it. */
  sentName: string
}

export interface CheckedSubmission {
  body: SubmitBody
  category: SubmittedTerm
  tags: SubmittedTag[]
  /** The tags that do not exist yet and will be created; they get another slug if theirs is taken by then. */
  newTags: SubmittedTerm[]
}

export interface KnownTerms {
  categories: readonly SubmittedTerm[]
  tags: readonly SubmittedTerm[]
}

/** A body after the checks that need no database. */
export interface SubmissionDraft<B = SubmitBody> {
  /** null: invalid. Its category and tags are matched all the same, so that the answer names all problems together. */
  body: B | null
  problems: readonly Problem[]
  /** The category as it was sent; null when none was, or when it is not text. */
  category: string | null
  tags: readonly { text: string; field: string }[]
}

const PICTURE_FIELD = /^(icon|frame|screenshots\.)/

/** `allowed`: private networks that addresses may lead into. `publicUrl`: the address of this service, which no product may give as its own. */
export const readSubmission = (
  raw: unknown,
  allowed: readonly string[],
  publicUrl: string | null = null,
): SubmissionDraft => readDraft(submitBody, raw, allowed, publicUrl)

/** Reads the fields of a listing that a partner changes. */
export const readCorrection = (
  raw: unknown,
  allowed: readonly string[],
  publicUrl: string,
): SubmissionDraft<CorrectionBody> => readDraft(correctionBody, raw, allowed, publicUrl)

/** Reads a body by `schema`, which has the fields of a submission that may be given. */
export function readDraft<B extends TSchema>(
  schema: B,
  raw: unknown,
  allowed: readonly string[],
  publicUrl: string | null,
): SubmissionDraft<Static<B>> {
  const result = tryReadBody(schema, withoutBlanks(raw))
  const schemaProblems = 'problems' in result ? result.problems : []
  // The values in `cut` are within their length limits, so that no address or tag is as long as the whole body.
  const given: unknown = 'cut' in result ? result.cut : result.value
  const fields = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  const problems = [
    ...schemaProblems,
    ...textProblems(fields, schemaProblems),
    ...repeatedNames(raw, schemaProblems),
    ...addressProblems('tool', fields, wrongAddress(allowed, publicUrl)),
  ]
  return {
    body: 'problems' in result ? null : result.value,
    problems,
    category: typeof fields.category === 'string' ? fields.category : null,
    tags: tagsIn(fields.tags),
  }
}

// The tags to look up. A list that is too long is refused, and only its beginning is looked up, so that no client causes unlimited work.
const tagsIn = (given: unknown): { text: string; field: string }[] =>
  (Array.isArray(given) ? given.slice(0, MOST_TAGS) : []).flatMap((text, i) =>
    typeof text === 'string' && text.trim() !== '' ? [{ text, field: `tags.${i}` }] : [],
  )

/** The slugs and names by which the terms for `matchSubmission` are read from the database. */
export function termsNamedIn({ category, tags }: Pick<SubmissionDraft, 'category' | 'tags'>) {
  const categories = category === null ? [] : [inLowerCase(category)]
  const texts = tags.map(({ text }) => text.trim())
  return {
    category: storableNames(categories, categories),
    tag: storableNames([...texts, ...texts.map((text) => termSlug('tag', text))], texts),
  }
}

/** Leaves out texts that the database cannot store, because none of them is the slug or the name of a term. */
const storableNames = (slugs: readonly string[], names: readonly string[]) => ({
  slugs: slugs.filter(isStorableText),
  names: names.filter(isStorableText),
})

/** Matches the category and the tags of a submission, or throws a 400 with all its problems. */
export function matchSubmission(draft: SubmissionDraft, terms: KnownTerms): CheckedSubmission {
  const { category, ...matched } = matchTerms(draft, terms)
  // A valid body has a category, and a category that does not exist is a problem.
  if (!category) throw invalid([missing('category')])
  return { ...matched, category }
}

/** Matches the category and the tags of a body, or throws a 400 with all its problems. */
export function matchTerms<B>(
  { body, problems, ...draft }: SubmissionDraft<B>,
  terms: KnownTerms,
): Omit<CheckedSubmission, 'body' | 'category'> & { body: B; category: SubmittedTerm | undefined } {
  const category = draft.category === null ? undefined : findTerm(terms.categories, draft.category)
  const tags = matchTags(draft.tags, terms.tags)
  const allProblems = [
    ...problems,
    ...(draft.category && !category ? [unknownCategory(draft.category)] : []),
    ...tags.problems,
  ]
  if (allProblems.length > 0 || !body) throw invalid([...allProblems, ...newTagProblems(tags.newTags)])
  return { body, category, tags: tags.all, newTags: tags.newTags }
}

const unknownCategory = (text: string): Problem =>
  problem('category', `${JSON.stringify(text.slice(0, 100))} does not exist; GET /categories lists the ones there are.`)

// Line breaks and tabs are allowed in these texts.
const MULTILINE = /^(description|features\.|faq\.\d+\.answer$)/

/** The body without invisible characters, and without fields that are blank or null. `pricing` may be in upper or lower case, as in reads. */
function withoutBlanks(raw: unknown): unknown {
  const body = withoutInvisibleTexts(raw)
  if (!isObject(body)) return body
  const entries = Object.entries(body).map(([name, value]): [string, unknown] => {
    const text = typeof value === 'string' ? trimmed(value) : value
    return [name, name === 'pricing' && typeof text === 'string' ? text.toUpperCase() : text]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== '' && value !== null))
}

/**
 * Reports blank names and texts inside features, socials and faq, and control characters in all fields. `known` are the problems found so
 * far; a text or name that has one of them is not called blank, because a text that is too long was replaced by an empty one.
 */
function textProblems(fields: Record<string, unknown>, known: readonly Problem[]): Problem[] {
  const problems: Problem[] = []
  const checkCharacters = (field: string, value: unknown, isMultiline = MULTILINE.test(field), refuse = problem) => {
    if (typeof value === 'string' && hasControlCharacter(value, isMultiline))
      problems.push(
        refuse(field, `must not contain control characters${isMultiline ? ' other than line breaks and tabs' : ''}.`),
      )
  }
  const checkInside = (field: string, value: unknown) => {
    const isKnown = known.some((one) => one.field === field && !one.isName)
    if (value === '' && !isKnown) problems.push(problem(field, 'must not be blank.'))
    else checkCharacters(field, value)
  }
  const checkName = (field: string, name: string) => {
    const isKnown = known.some((one) => one.field === field && one.isName)
    if (name === '' && !isKnown) problems.push(nameProblem(field, 'must not be blank.'))
    else checkCharacters(field, name, MULTILINE.test(`${field}.`), nameProblem)
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
    } else if (Array.isArray(value)) for (const [i, item] of value.entries()) checkCharacters(`${name}.${i}`, item)
    else checkCharacters(name, value)
  }
  return problems
}

/** What is wrong with an address in a submission; undefined when nothing is. */
const wrongAddress = (allowed: readonly string[], publicUrl: string | null) => (address: string, field: string) => {
  const wrong = addressProblem(address, { allowed })
  if (wrong) return wrong
  if (field === 'video' && !isVideoHost(new URL(address))) return 'must be an address at YouTube or Vimeo.'
  // A link to the visit page of another tool would count click-throughs for it. Addresses of pictures are checked when they are fetched.
  const isOwn = !PICTURE_FIELD.test(field) && publicUrl !== null && isOwnAddress(publicUrl, address)
  return isOwn ? 'must not be an address of this service.' : undefined
}

const inLowerCase = (text: string): string => text.trim().toLowerCase()

const findTerm = (terms: readonly SubmittedTerm[], text: string): SubmittedTerm | undefined => {
  const lowerCaseText = inLowerCase(text)
  return terms.find((term) => term.slug === lowerCaseText) ?? withName(terms, text)
}

const withName = (terms: readonly SubmittedTerm[], text: string): SubmittedTerm | undefined =>
  terms.find((term) => nameKey(term.name) === nameKey(text))

/**
 * The tag that a text means. Names are compared before slugs: `c` is the tag C, even if C++ has the slug c. A new tag is found by its slug
 * only if the slug spells the whole name, so `c` never means a new tag C++.
 */
const matchTag = (
  known: readonly SubmittedTerm[],
  newTags: readonly SubmittedTerm[],
  text: string,
): SubmittedTerm | undefined =>
  withName(known, text) ??
  withName(newTags, text) ??
  known.find(({ slug }) => slug === text.trim()) ??
  newTags.find(({ slug, name }) => slug === text.trim() && slug === nameKey(name).replaceAll(' ', '-'))

function matchTags(
  given: SubmissionDraft['tags'],
  known: readonly SubmittedTerm[],
): { all: SubmittedTag[]; newTags: SubmittedTerm[]; problems: Problem[] } {
  const all = new Map<string, SubmittedTag>()
  const newTags: SubmittedTerm[] = []
  const problems: Problem[] = []
  for (const { text, field } of given) {
    let term = matchTag(known, newTags, text)
    if (!term) {
      const base = termSlug('tag', text)
      if (base === '') {
        problems.push(problem(field, 'must contain a letter or a digit.'))
        continue
      }
      const slug = freeSlug(base, (candidate) => [...known, ...newTags].some((tag) => tag.slug === candidate))
      term = { slug, name: text.trim() }
      newTags.push(term)
    }
    if (!all.has(term.slug)) all.set(term.slug, { ...term, sentName: text.trim() })
  }
  return { all: [...all.values()], newTags, problems }
}

const newTagProblems = ({ length }: readonly SubmittedTerm[]): Problem[] =>
  length <= MOST_NEW_TAGS
    ? []
    : [
        problem(
          'tags',
          `has ${length} that do not exist, and a submission may make at most ${MOST_NEW_TAGS}. Leave some out, or name tags that exist (GET /tags lists them).`,
        ),
      ]

/**
 * Throws a 400 when there are too many new tags. Call it only before tags are created. A repeated submission creates none, but its tags
 * count as new if readers no longer see them.
 */
export function checkNewTags({ newTags }: Pick<CheckedSubmission, 'newTags'>): void {
  const problems = newTagProblems(newTags)
  if (problems.length > 0) throw invalid(problems)
}
