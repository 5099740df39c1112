// Lists of slugs in an address: several listings side by side, or a shortlist that can be shared.
import { findListing } from '../../../features/catalog/reads.ts'
import { detailJson } from '../../../features/catalog/rules.ts'
import type { Directory, Tool } from '../../../features/catalog/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import { Failure } from '../../../kernel/errors.ts'
import type { AddressQuery } from '../kit/site-addresses.ts'
import { isAdultTool } from './tool.ts'

/** Slugs with commas between them, or one by each field of a form, at most `most`. */
export function slugsIn(query: AddressQuery, name: string, most: number): string[] {
  // A name that several fields of a form have ends so.
  const given = [name, `${name}[]`].flatMap((one) => (Object.hasOwn(query, one) ? [query[one]].flat() : []))
  const slugs = given
    .slice(0, most)
    .flatMap((value) => (typeof value === 'string' ? value.slice(0, most * 101).split(',') : []))
    .map((slug) => slug.trim().toLowerCase())
    .filter((slug) => /^[a-z0-9-]{1,100}$/.test(slug))
  return [...new Set(slugs)].slice(0, most)
}

/** Null for a tool that is not listed, and for one for adults, which a shared address must not show unasked. */
export function findTool(ctx: Context, slug: string): Tool | null {
  const snapshot = ctx.catalog.snapshot()
  const tool = listed<Tool>(() => detailJson(findListing(snapshot.tools, slug, 'Tool')))
  return tool && !isAdultTool(tool, snapshot) ? tool : null
}

/** Null for a directory that is not listed. */
export const findDirectory = (ctx: Context, slug: string): Directory | null =>
  listed<Directory>(() => detailJson(findListing(ctx.catalog.snapshot().directories, slug, 'Directory')))

function listed<T>(read: () => Buffer): T | null {
  try {
    return JSON.parse(read().toString())
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}
