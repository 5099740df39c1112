// Finds the names of stored pictures that rows contain. Each table is read in pages, ordered by its key, so that no statement takes long.
import { sql } from 'drizzle-orm'
import { MEDIA_PATH, PICTURE_NAME, SINGLE_PICTURES } from '../../kernel/addresses/own-addresses.ts'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../kernel/database/queries.ts'

interface Place {
  table: string
  /** The columns of the primary key; all are texts. */
  key: readonly string[]
  columns: readonly string[]
}

/**
 * The columns whose pictures must be kept: pictures of listings, and texts in which people may have put the address of an upload. Columns
 * that only record the past (audit, deliveries, answers kept for a repeated request) are left out. A test compares this list with every
 * column of the database.
 */
export const PLACES: readonly Place[] = [
  { table: 'tools', key: ['id'], columns: ['icon', 'frame', 'screenshots'] },
  { table: 'directories', key: ['id'], columns: SINGLE_PICTURES },
  { table: 'categories', key: ['slug'], columns: ['description', 'icon'] },
  { table: 'collections', key: ['slug'], columns: ['text'] },
  { table: 'site', key: ['id'], columns: ['fields'] },
  { table: 'submission_rows', key: ['submission_id', 'directory_id'], columns: ['proof_url'] },
  { table: 'submissions', key: ['id'], columns: ['notes', 'internal_notes'] },
  { table: 'sandbox_submissions', key: ['id'], columns: ['notes', 'rows'] },
  { table: 'founder_products', key: ['id'], columns: ['fields'] },
  // An owner may take a change back, and an administrator may accept one.
  { table: 'proposals', key: ['id'], columns: ['old_value', 'new_value'] },
  { table: 'plan_decisions', key: ['submission_id', 'directory_id'], columns: ['reason'] },
  { table: 'support_articles', key: ['id'], columns: ['body'] },
  { table: 'support_desks', key: ['conversation_id'], columns: ['internal_notes'] },
  { table: 'support_messages', key: ['id'], columns: ['content'] },
  { table: 'support_saved_replies', key: ['title'], columns: ['body'] },
]

const PAGE = 500
// PICTURE_NAME without its anchors and with groups that do not capture, so that found[1] below is the whole name.
const NAME_IN_ADDRESS = `${MEDIA_PATH}/(${PICTURE_NAME.source.slice(1, -1).replaceAll('(', '(?:')})`

interface NamesOfPage {
  names: string[]
  /** The key of the last row of a full page; null: no rows follow. */
  last: string[] | null
}

/** The picture names in the next page of rows, after the row with the key `after`. */
export async function listNamesAfter(
  db: Database,
  { table, key, columns }: Place,
  after: readonly string[] | null,
): Promise<NamesOfPage> {
  const listOf = (names: readonly string[]) => sql.raw(names.map((name) => `"${name}"`).join(', '))
  const keys = listOf(key)
  const isAfter = after
    ? sql`(${keys}) > (${sql.join(
        after.map((value) => sql`${value}::text`),
        sql`, `,
      )})`
    : sql`true`
  return onlyRow(
    await rowsOf<NamesOfPage>(
      db,
      sql`with page as materialized (
            select json_build_array(${keys}) as key, concat_ws(' ', ${listOf(columns)}) as text
            from ${sql.identifier(table)} where ${isAfter} order by ${keys} limit ${PAGE}
          )
          select (select key from page offset ${PAGE - 1}) as last,
            coalesce((select json_agg(distinct found[1]) from page, lateral regexp_matches(text, ${NAME_IN_ADDRESS}, 'g') found
              where strpos(text, ${`${MEDIA_PATH}/`}) > 0), '[]') as names`,
    ),
  )
}
