// A submitted body, read: trimmed, every problem named at once, category and tags matched with what there is.
import { badRequest } from '../../kernel/errors.ts'
import { tryReadBody } from '../../kernel/input.ts'
import { isOwnAddress } from '../../kernel/own-addresses.ts'
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
  problems.push(...addressProblems(fields, allowed, publicUrl))
  const category = typeof fields.category === 'string' ? match(terms.categories, fields.category) : undefined
  if (typeof fields.category === 'string' && fields.category !== '' && !category)
    problems.push(
      `category ${JSON.stringify(fields.category.slice(0, 100))} does not exist; GET /categories lists the ones there are.`,
    )
  const tags = Array.isArray(fields.tags) ? matchTags(fields.tags, terms.tags, problems) : { all: [], fresh: [] }
  if (problems.length > 0 || 'problems' in result || !category) throw badRequest(problems.join(' '))
  return { body: result.value, category, tags: tags.all, newTags: tags.fresh }
}

/** Strings without white space around them; a blank one, and null, counts as missing. */
function trim(raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw
  const entries = Object.entries(raw).map(([name, value]) => [name, typeof value === 'string' ? value.trim() : value])
  return Object.fromEntries(entries.filter(([, value]) => value !== '' && value !== null))
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
