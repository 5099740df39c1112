// The statements of a deletion. Those that read a whole table do it in ranges of its blocks, so that each takes a moment and locks only the
// rows that it changes.
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { countedRows } from '../../kernel/old-rows.queries.ts'
import { onlyRow, rowsOf } from '../../kernel/rows.ts'
import { LABELS, patternOf, STAYS, TEXTS } from './rules.ts'

export interface Person {
  email: string
  /** null: there is no account, or it is gone already. */
  userId: string | null
}

const BLOCKS = 2_000
const BATCH = 100

const column = (name: string): SQL => sql`${sql.identifier(name)}`
/** The position is found faster than the pattern, which does not match a longer address. */
const mentions = (text: SQL, value: string): SQL =>
  sql`(position(${value}::text in lower(${text}::text)) > 0 and ${text}::text ~* ${patternOf([value])})`
const anyOf = (conditions: readonly SQL[]): SQL => sql`(${sql.join([...conditions], sql` or `)})`
/** Both spellings, because a saved filter holds the address as in a URL. */
const spellings = (email: string): string[] => [...new Set([email, encodeURIComponent(email).toLowerCase()])]

/** Performs a statement for one range of blocks of the table after the other, and adds up what it counted. */
async function inRanges(db: Database, table: string, statement: (range: SQL) => SQL): Promise<number> {
  const { blocks } = onlyRow(
    await rowsOf<{ blocks: number }>(
      db,
      sql`select (pg_relation_size(${table}::regclass) / current_setting('block_size')::int)::int as blocks`,
    ),
  )
  let count = 0
  for (let from = 0; from < blocks; from += BLOCKS)
    count += await countedRows(
      db,
      statement(sql`ctid >= ${`(${from},0)`}::tid and ctid < ${`(${from + BLOCKS},0)`}::tid`),
    )
  return count
}

const update = (table: string, sets: readonly SQL[], where: SQL) => (range: SQL) =>
  sql`update ${sql.identifier(table)} set ${sql.join([...sets], sql`, `)} where ${range} and ${where} returning 1`

/** Columns that name an administrator. */
export async function replaceLabels(db: Database, { email }: Person, pseudonym: string): Promise<number> {
  let count = 0
  for (const [table, columns] of Object.entries(LABELS))
    for (const name of columns)
      count += await inRanges(
        db,
        table,
        update(table, [sql`${column(name)} = ${pseudonym}`], sql`lower(${column(name)}) = ${email}`),
      )
  return count
}

type TypeOfColumn = Readonly<Record<string, string>>

const typesOf = async (db: Database, table: string): Promise<TypeOfColumn> =>
  Object.fromEntries(
    (
      await rowsOf<{ name: string; type: string }>(
        db,
        sql`select column_name as name, data_type as type from information_schema.columns
          where table_schema = 'public' and table_name = ${table}`,
      )
    ).map(({ name, type }) => [name, type]),
  )

const replaced = (name: string, type: string | undefined, pattern: string, pseudonym: string): SQL => {
  const text = sql`regexp_replace(${column(name)}::text, ${pattern}, ${pseudonym}, 'gi')`
  return sql`${column(name)} = ${type === 'json' ? sql`${text}::json` : type === 'jsonb' ? sql`${text}::jsonb` : text}`
}

/** The address in texts that people wrote. */
export async function replaceMentions(db: Database, { email }: Person, pseudonym: string): Promise<number> {
  let count = 0
  const pattern = patternOf([email])
  for (const [table, columns] of Object.entries(TEXTS)) {
    const types = await typesOf(db, table)
    const sets = columns.map((name) => replaced(name, types[name], pattern, pseudonym))
    const where = anyOf(columns.flatMap((name) => spellings(email).map((value) => mentions(column(name), value))))
    count += await inRanges(db, table, update(table, sets, where))
  }
  return count
}

const auditChange = ({ email, userId }: Person, pseudonym: string): SQL[] => {
  const pattern = patternOf(userId === null ? [email] : [email, userId])
  return ['actor', 'subject', 'details'].map((name) =>
    replaced(name, name === 'details' ? 'jsonb' : 'text', pattern, pseudonym),
  )
}

/**
 * Entries of what the account did and of what was done to it. With `everywhere` also those that only mention the address: an account
 * alone does not prove whose address it is, and must not change what others did.
 */
const auditOf = ({ email, userId }: Person, everywhere: boolean): SQL => {
  const own: SQL[] = []
  if (userId !== null)
    own.push(
      sql`(lower(actor) = ${email} and at >= (select created_at from users where id = ${userId}))`,
      sql`subject = ${`user:${userId}`}`,
      mentions(sql`details`, userId.toLowerCase()),
      sql`subject in (select 'key:' || id from keys where user_id = ${userId})`,
      sql`subject in (select 'grant:' || id from oauth_grants where user_id = ${userId})`,
    )
  const mentioned = ['actor', 'subject', 'details'].map((name) => mentions(column(name), email))
  return anyOf(everywhere ? [...own, ...mentioned] : own)
}

export const replaceInAudit = (db: Database, person: Person, pseudonym: string, everywhere: boolean) =>
  inRanges(db, 'audit', update('audit', auditChange(person, pseudonym), auditOf(person, everywhere)))

/** Entries that were written since, in the transaction that deletes the account. */
export const replaceInLaterAudit = (
  db: Database,
  person: Person,
  pseudonym: string,
  everywhere: boolean,
  since: Date,
) =>
  countedRows(
    db,
    update(
      'audit',
      auditChange(person, pseudonym),
      auditOf(person, everywhere),
    )(sql`at >= ${since.toISOString()}::timestamptz`),
  )

/** Mails and links to an address that need not have an account. */
export const deleteMails = async (db: Database, { email }: Person): Promise<number> =>
  (await countedRows(db, sql`delete from mails where lower(email) = ${email} returning 1`)) +
  (await countedRows(db, sql`delete from sign_in_links where lower(email) = ${email} returning 1`))

export const deleteViews = (db: Database, { email }: Person) =>
  countedRows(db, sql`delete from queue_views where lower(owner) = ${email} returning 1`)

/** At most a hundred of the conversations in which the person is the customer, with what was told of them. Returns how many. */
export const deleteConversations = async (db: Database, { email }: Person): Promise<number> =>
  onlyRow(
    await rowsOf<{ count: number }>(
      db,
      sql`
      with theirs as (
        select id, partner_id from support_conversations
        where lower(trim(customer ->> 'email')) = ${email} or lower(trim(external_id)) = ${email}
        limit ${BATCH} for update),
      told as (delete from webhook_deliveries d using theirs t
        where d.partner_id = t.partner_id and d.event = 'support.replied' and position(t.id in d.body) > 0),
      answered as (delete from idempotent_answers a using theirs t
        where a.partner_id = t.partner_id and position(t.id in a.answer) > 0),
      spoken as (delete from support_messages where conversation_id in (select id from theirs)),
      gone as (delete from support_conversations where id in (select id from theirs) returning 1)
      select count(*)::int as count from gone`,
    ),
  ).count

/** The products whose founder the person is, at most a hundred: the name and the address are removed. */
export const removeFounder = (db: Database, { email }: Person, now: Date) =>
  rowsOf<{ id: string; slug: string }>(
    db,
    sql`update tools set founder_email = null, founder_name = null, version = version + 1, updated_at = ${now.toISOString()}::timestamptz
      where id in (select id from tools where lower(founder_email) = ${email} limit ${BATCH} for update) returning id, slug`,
  )

/** The partners whose contact the person is. */
export const removeContact = (db: Database, { email }: Person, now: Date) =>
  rowsOf<{ id: string }>(
    db,
    sql`update partners set contact_email = null, version = version + 1, updated_at = ${now.toISOString()}::timestamptz
      where lower(contact_email) = ${email} returning id`,
  )

/** In how many rows of what stays the address is found, by table. */
export async function countInWhatStays(db: Database, { email }: Person) {
  const found: { table: string; rows: number; reason: string }[] = []
  for (const { table, reason, searched } of STAYS) {
    if (!searched) continue
    const rows = await inRanges(
      db,
      table,
      (range) => sql`select 1 from ${sql.identifier(table)} t where t.${range} and ${mentions(sql`t`, email)}`,
    )
    if (rows > 0) found.push({ table, rows, reason })
  }
  return found
}
