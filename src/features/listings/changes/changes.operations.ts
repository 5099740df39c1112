// Operator API: what changed in the catalog, for programs that mirror it into another system.
import { Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { cursorAt, cursorParameter, isCursorOf, nextCursor, positionOf } from '../../../kernel/database/cursor.ts'
import { operation } from '../../../kernel/operation.ts'
import { oneOf, pageParameters, stringType, timestamp, titledObject } from '../../../kernel/schema.ts'
import { KINDS } from '../../catalog/schema.ts'
import { compareMarks, findPositions, listMarksAfter } from './changes.queries.ts'

/** For how many days a deleted entry is among the changes. */
export const GONE_DAYS = 90

export const listChanges = operation({
  name: 'list_changes',
  summary: 'What changed in the catalog',
  description: `Every entry that was written (put) or deleted (gone) since the cursor, each once, with its last change; read what was put at its own address. Without a cursor every entry comes. Deleted ones stay for ${GONE_DAYS} days. A mirror begins with GET /export, whose X-Catalog-Cursor is the cursor to go on with.`,
  group: 'Import and export',
  access: 'operator',
  method: 'GET',
  path: '/changes',
  parameters: Type.Object({
    since: cursorParameter('next of an earlier answer, or X-Catalog-Cursor of an export.'),
    limit: pageParameters(200, 1000).limit,
  }),
  data: Type.Array(
    titledObject('CatalogChange', 'The last change of an entry.', {
      kind: oneOf(KINDS, 'Kind of the entry.', 'tool'),
      slug: stringType('Slug of the entry.', 'acme-writer'),
      change: oneOf(['put', 'gone'], 'put: written; gone: deleted, or renamed.', 'put'),
      at: timestamp('When it changed, or when the change was noticed.'),
    }),
  ),
  next: nextCursor('The cursor to ask with later, also when data is empty.'),
  run: async (ctx, { since, limit }) => {
    const { position, isFirstRead } = startOf(since, await findPositions(ctx.db))
    let marks = await listMarksAfter(ctx.db, position, limit)
    // The comparison reads the whole catalog, so it is left out when the page is full without it.
    if (marks.length < limit) {
      await ctx.transaction((ctx) => compareMarks(ctx.db))
      marks = await listMarksAfter(ctx.db, position, limit)
    }
    const last = marks.at(-1)?.position ?? position
    return {
      data: marks.map(({ kind, slug, gone, at }) => ({ kind, slug, change: gone ? 'gone' : 'put', at }) as const),
      next: cursorAt(isFirstRead && marks.length === limit ? FIRST_READ : LATER_READS, last),
    }
  },
})

// A cursor contains the name of its list, so it tells whether its program is still reading the catalog for the first time. Such a program
// has no listings yet and needs no deletions of the past, so its cursor never becomes too old.
const LATER_READS = 'changes'
const FIRST_READ = 'changes from the beginning'

/** The position after which the page begins. `isFirstRead`: the program reads the catalog for the first time. */
function startOf(since: string | undefined, { last, removed }: { last: number; removed: number }) {
  if (since === undefined) return { position: 0, isFirstRead: true }
  const isFirstRead = isCursorOf(FIRST_READ, since)
  const kept = { least: isFirstRead ? 0 : removed, most: last }
  return { position: positionOf(isFirstRead ? FIRST_READ : LATER_READS, 'since', since, kept), isFirstRead }
}

/** The cursor after which only later changes follow. */
export const currentCursor = async (ctx: Context): Promise<string> =>
  cursorAt(LATER_READS, (await ctx.transaction((ctx) => compareMarks(ctx.db))).last)
