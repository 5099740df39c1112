// Makes slugs from names, checks given slugs, and decides whether two names are the same.
import { hash } from 'node:crypto'
import { type Problem, problem } from '../../../kernel/problem.ts'
import { SLUG_PATTERN } from '../../../kernel/schema.ts'
import type { Kind, TermKind } from '../schema.ts'

const SLUG = new RegExp(SLUG_PATTERN)
const MAX_SLUG = 100

/** Slugs are part of addresses, of the sitemap and of facets, so they may contain no character with a special meaning there. */
export const isSlug = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_SLUG && SLUG.test(value)

// /tools/top is an address of the API, and /directories/top may become one. No public address contains the slug of a tag or category.
const RESERVED: Partial<Record<Kind, readonly string[]>> = { tool: ['top'], directory: ['top'] }

export function slugProblem(kind: Kind, slug: unknown): Problem | undefined {
  if (!isSlug(slug))
    return problem(
      'slug',
      `must be 1 to ${MAX_SLUG} lower-case letters, digits and single hyphens, such as acme-writer.`,
    )
  return RESERVED[kind]?.includes(slug) ? problem('slug', `${slug} is reserved; choose another.`) : undefined
}

// Shorter than a slug may be, so that `freeSlug` can add a number.
const MAX_BASE = 80
// Longer than any name. A slug is made from the beginning of the text, so the rest need not be read.
const MAX_READ = 1_000

/** Returns lower-case ASCII letters, digits and hyphens; empty when the text has no such letter or digit. */
export const slugify = (text: string): string =>
  text
    .slice(0, MAX_READ)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, MAX_BASE)
    .replace(/-$/, '')

/**
 * Two names of terms are the same when their keys are equal: case and surrounding blanks do not count. Upper case makes ß and SS equal, but
 * leaves the capital ẞ as it is, so that one is changed to lower case first. A text that is too long for a name is its own key, because to
 * normalise thousands of combining marks takes seconds.
 */
export const nameKey = (name: string): string =>
  name.length > MAX_READ
    ? name
    : name.normalize('NFC').trim().toLowerCase().toUpperCase().toLowerCase().normalize('NFC')

/** The slug of a new term; the caller makes it unique. A name in another alphabet gets a hash; empty without any letter or digit. */
export const termSlug = (kind: TermKind, name: string): string =>
  slugify(name) || (/[\p{L}\p{N}]/u.test(name) ? `${slugify(kind)}-${hash('sha256', nameKey(name)).slice(0, 10)}` : '')

/** The first of base, base-2, base-3 … that is not taken. */
export function freeSlug(base: string, isTaken: (slug: string) => boolean): string {
  for (let number = 1; ; number++) {
    const slug = number === 1 ? base : `${base}-${number}`
    if (!isTaken(slug)) return slug
  }
}
