// Categories, tags and tools for people: what the operations answer, and all terms but those for adults.
import { browseTerms } from '../../../features/catalog/browse.ts'
import { getTopTools, listDirectoryCategories, searchTools } from '../../../features/catalog/operations.ts'
import type { Tool } from '../../../features/catalog/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import { perform } from '../../../kernel/invoke.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { type Answer, type Pagination, write } from '../../../kernel/output.ts'

export interface Term {
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

/** What a program would be answered, read back. */
function answerOf<T>(operation: Operation, ctx: Context, parameters: Readonly<Record<string, unknown>>): Envelope<T> {
  // Catalog reads come from memory and never wait.
  const answer = perform(operation, ctx, parameters) as Answer<unknown>
  return JSON.parse(write(operation, answer).json.toString())
}

export const categories = (ctx: Context): Term[] => browseTerms(ctx.catalog.snapshot(), 'category')

export const tags = (ctx: Context): Term[] => browseTerms(ctx.catalog.snapshot(), 'tag')

/** The most used ones, by name. */
export const mostUsed = (terms: readonly Term[], limit: number): Term[] => {
  const kept = new Set(terms.toSorted((a, b) => b.toolsCount - a.toolsCount).slice(0, limit))
  return terms.filter((term) => kept.has(term) && term.toolsCount > 0)
}

export const directoryCategories = (ctx: Context): { slug: string; name: string }[] =>
  answerOf<{ slug: string; name: string }[]>(listDirectoryCategories, ctx, {}).data

export const topTools = (ctx: Context, limit: number): Tool[] => answerOf<Tool[]>(getTopTools, ctx, { limit }).data

export const findTools = (ctx: Context, parameters: Readonly<Record<string, unknown>>): Envelope<Tool[]> =>
  answerOf<Tool[]>(searchTools, ctx, parameters)

/** An icon is an emoji or the address of a picture; only the first is shown beside a name. */
export const emoji = ({ icon }: Term): string | undefined => (icon && [...icon].length <= 4 ? icon : undefined)
