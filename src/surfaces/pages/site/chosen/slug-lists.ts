// Reads lists of slugs in an address, such as the tools of a comparison or of a shortlist, and finds their listings.
import type { Directory, Tool } from '../../../../features/catalog/schema.ts'
import { isAdultTool } from '../../../../features/catalog/site/similar.ts'
import type { Context } from '../../../../kernel/context.ts'
import { Failure } from '../../../../kernel/errors.ts'
import type { AddressQuery } from '../../kit/lists/address-query.ts'
import { listedDirectory, listedTool } from '../catalog-reads.ts'

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
