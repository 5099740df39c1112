// Which stored pictures are named by rows. Every table is read, so that a table that is added later needs no entry here.
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { MEDIA_PATH, PICTURE_NAME } from '../../kernel/own-addresses.ts'
import { rowsOf } from '../../kernel/rows.ts'

/** Tables that may be large and name no picture that must stay. The audit log only says what once was. */
const UNREAD = [
  'audit',
  'changes',
  'visits',
  'key_usage',
  'oauth_usage',
  'picture_copies',
  'picture_work',
  'tool_embeddings',
  'directory_embeddings',
  'link_checks',
  'robots_files',
]

/** Of large tables only these columns are read. */
const COLUMNS: Readonly<Record<string, SQL>> = {
  tools: sql`concat_ws(' ', t.icon, t.frame, t.screenshots)`,
  directories: sql`concat_ws(' ', t.icon, t.frame)`,
}

export const listTableNames = async (db: Database): Promise<string[]> =>
  (
    await rowsOf<{ name: string }>(
      db,
      sql`select tablename as name from pg_tables where schemaname = 'public' and tablename <> all(${sql.param(UNREAD)}::text[]) order by 1`,
    )
  ).map(({ name }) => name)

const NAME_IN_ADDRESS = `${MEDIA_PATH}/(${PICTURE_NAME.source.slice(1, -1).replaceAll('(', '(?:')})`

export const listNamedPictures = async (db: Database, table: string): Promise<string[]> =>
  (
    await rowsOf<{ name: string }>(
      db,
      sql`select distinct found[1] as name from ${sql.identifier(table)} t,
          lateral regexp_matches(${COLUMNS[table] ?? sql`t::text`}, ${NAME_IN_ADDRESS}, 'g') found`,
    )
  ).map(({ name }) => name)
