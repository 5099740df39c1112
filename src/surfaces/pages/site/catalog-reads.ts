// Reads the catalog for pages of the site as a client of the API reads it, so that a private field cannot reach a page. Lists of categories
// and tags are without those for adults. Also reads lists of slugs in an address, such as the tools of a comparison.
import { getTopTools, listDirectoryCategories, searchTools } from '../../../features/catalog/operations.ts'
import { findListing } from '../../../features/catalog/reads.ts'
import { detailJson } from '../../../features/catalog/rules.ts'
import type { Directory, Tool } from '../../../features/catalog/schema.ts'
import { browseTerms } from '../../../features/catalog/site/browse.ts'
import { isAdultTool } from '../../../features/catalog/site/similar.ts'
import type { Context } from '../../../kernel/context.ts'
import { Failure } from '../../../kernel/errors.ts'
import { perform } from '../../../kernel/invoke.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { type Answer, type Pagination, write } from '../../../kernel/output.ts'
import type { AddressQuery } from '../kit/lists/address-query.ts'

export interface PublicTerm {
  slug: string
  name: string
  description?: string
  icon?: string
  toolsCount: number
}

interface Envelope<T> {
  data: T
  pagination: Pagination
}

function apiAnswerOf<T>(
  operation: Operation,
  ctx: Context,
  parameters: Readonly<Record<string, unknown>>,
): Envelope<T> {
  // Catalog reads work in memory, so `perform` returns an answer and not a promise.
  const answer = perform(operation, ctx, parameters) as Answer<unknown>
  return JSON.parse(write(operation, answer).json.toString())
}

export const publicCategories = (ctx: Context): PublicTerm[] => browseTerms(ctx.catalog, 'category')

export const publicTags = (ctx: Context): PublicTerm[] => browseTerms(ctx.catalog, 'tag')

/** The terms with the most tools; they keep the order in which they were given. */
export const mostUsed = (terms: readonly PublicTerm[], limit: number): PublicTerm[] => {
  const kept = new Set(terms.toSorted((a, b) => b.toolsCount - a.toolsCount).slice(0, limit))
  return terms.filter((term) => kept.has(term) && term.toolsCount > 0)
}

export const publicDirectoryCategories = (ctx: Context): { slug: string; name: string }[] =>
  apiAnswerOf<{ slug: string; name: string }[]>(listDirectoryCategories, ctx, {}).data

export const topTools = (ctx: Context, limit: number, category?: string): Tool[] =>
  apiAnswerOf<Tool[]>(getTopTools, ctx, { limit, category }).data

/** The answer to a client that asks for some fields of the most opened tools. */
export const topToolsAnswer = (ctx: Context, parameters: { limit: number; fields: string }): object[] =>
  apiAnswerOf<object[]>(getTopTools, ctx, parameters).data

export const searchToolsAnswer = (ctx: Context, parameters: Readonly<Record<string, unknown>>): Envelope<Tool[]> =>
  apiAnswerOf<Tool[]>(searchTools, ctx, parameters)

/** Throws a 404 when no tool with this slug is listed. */
export const listedTool = (ctx: Context, slug: string): Tool =>
  JSON.parse(detailJson(findListing(ctx.catalog.snapshot().tools, slug, 'Tool')).toString())

/** Throws a 404 when no directory with this slug is listed. */
export const listedDirectory = (ctx: Context, slug: string): Directory =>
  JSON.parse(detailJson(findListing(ctx.catalog.snapshot().directories, slug, 'Directory')).toString())

/** The slugs in a parameter, separated by commas or from several fields of a form; at most `most`. */
export function slugsIn(query: AddressQuery, name: string, most: number): string[] {
  // Fields of a form that share a name have `[]` at its end.
  const given = [name, `${name}[]`].flatMap((one) => (Object.hasOwn(query, one) ? [query[one]].flat() : []))
  // A slug has at most 100 characters, and a comma follows.
  const slugs = given
    .slice(0, most)
    .flatMap((value) => (typeof value === 'string' ? value.slice(0, most * 101).split(',') : []))
    .map((slug) => slug.trim().toLowerCase())
    .filter((slug) => /^[a-z0-9-]{1,100}$/.test(slug))
  return [...new Set(slugs)].slice(0, most)
}

/** Null for a tool that is not listed, and for an adult tool, because visitors who follow a shared address have not opted in. */
export function findTool(ctx: Context, slug: string): Tool | null {
  const tool = nullIfNotListed(() => listedTool(ctx, slug))
  return tool && !isAdultTool(tool, ctx.catalog.snapshot()) ? tool : null
}

/** Null for a directory that is not listed. */
export const findDirectory = (ctx: Context, slug: string): Directory | null =>
  nullIfNotListed(() => listedDirectory(ctx, slug))

function nullIfNotListed<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}
