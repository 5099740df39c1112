// The statements of a deletion. Those that read a whole table read it in ranges (`find.queries.ts`).
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { countedRows, groupsByLength, onlyRow, rowsOf } from '../../kernel/database/queries.ts'
import type { PersonalData } from '../../kernel/feature.ts'
import {
  anyOf,
  column,
  eachRangeOfRows,
  inRanges,
  isAboutOrderOf,
  isAddress,
  isCustomer,
  isOwnAction,
  mentions,
  type Person,
  rowsInRanges,
  type Scope,
} from './find.queries.ts'
import { addressPattern } from './rules.ts'

const updateStatement = (table: string, sets: readonly SQL[], where: SQL) => (range: SQL) =>
  sql`update ${sql.identifier(table)} set ${sql.join([...sets], sql`, `)} where ${range} and ${where} returning 1`

/** In characters. The time of a replacement grows with the square of a text's length, so one statement changes rows of at most this length. */
const LENGTH_TOGETHER = 20_000

/** Changes rows a few at a time, by `ctid`. If another transaction has moved one meanwhile, the whole range is updated again. */
async function updateInRanges(db: Database, table: string, sets: readonly SQL[], where: SQL): Promise<number> {
  const statement = updateStatement(table, sets, where)
  let count = 0
  await eachRangeOfRows(db, table, async (range) => {
    const rows = await rowsOf<{ place: string; length: number }>(
      db,
      sql`select ctid::text as place, length(t::text) as length from ${sql.identifier(table)} t where ${range} and ${where}`,
    )
    let changed = 0
    for (const group of groupsByLength(rows, LENGTH_TOGETHER)) {
      const places = group.map(({ place }) => place)
      changed += await countedRows(db, statement(sql`ctid = any(${sql.param(places)}::tid[])`))
    }
    if (changed < rows.length) changed += await countedRows(db, statement(range))
    count += changed
  })
  return count
}

/** Replaces the address in columns that name an administrator. */
export async function replaceLabels(
  db: Database,
  labels: PersonalData['labels'],
  { email }: Person,
  pseudonym: string,
): Promise<number> {
  let count = 0
  for (const [table, columns] of Object.entries(labels))
    for (const name of columns)
      count += await inRanges(
        db,
        table,
        updateStatement(table, [sql`${column(name)} = ${pseudonym}`], sql`lower(${column(name)}) = ${email}`),
      )
  return count
}

const typesOf = async (db: Database, table: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (
      await rowsOf<{ name: string; type: string }>(
        db,
        sql`select column_name as name, data_type as type from information_schema.columns
          where table_schema = 'public' and table_name = ${table}`,
      )
    ).map(({ name, type }) => [name, type]),
  )

/** Sets a column to its text with the pseudonym in place of all that matches the pattern. `type`: the type of the column. */
const replaced = (name: string, type: string | undefined, pattern: string, pseudonym: string): SQL => {
  const text = sql`regexp_replace(${column(name)}::text, ${pattern}, ${pseudonym}, 'gi')`
  if (type === 'json') return sql`${column(name)} = ${text}::json`
  return type === 'jsonb' ? sql`${column(name)} = ${text}::jsonb` : sql`${column(name)} = ${text}`
}

/** For unique columns: two texts that differ only in the spelling of the address must not become equal, so the row's id is added. */
const replacedUniquely = (name: string, pattern: string, pseudonym: string): SQL =>
  sql`${column(name)} = case when ${column(name)} ~* ${pattern}
    then regexp_replace(${column(name)}, ${pattern}, ${pseudonym}, 'gi') || '-' || id else ${column(name)} end`

/** Replaces the address in texts that people wrote. */
export async function replaceMentions(
  db: Database,
  { texts, uniqueTexts }: PersonalData,
  person: Person,
  pseudonym: string,
): Promise<number> {
  let count = 0
  const pattern = addressPattern([person.email])
  for (const [table, columns] of Object.entries(texts)) {
    const types = await typesOf(db, table)
    const sets = columns.map((name) =>
      uniqueTexts.includes(`${table}.${name}`)
        ? replacedUniquely(name, pattern, pseudonym)
        : replaced(name, types[name], pattern, pseudonym),
    )
    const where = anyOf(columns.map((name) => mentions(column(name), person.email)))
    count += await updateInRanges(db, table, sets, where)
  }
  return count
}

const IN_AUDIT = ['actor', 'subject', 'details']
const namesOf = ({ email, userId }: Person): string[] => (userId === null ? [email] : [email, userId])

const auditChange = (person: Person, pseudonym: string): SQL[] =>
  IN_AUDIT.map((name) =>
    replaced(name, name === 'details' ? 'jsonb' : 'text', addressPattern(namesOf(person)), pseudonym),
  )

/**
 * Entries about what the account did and what was done to it. With the scope `everywhere` also entries that only mention the address: a
 * user's own deletion leaves those, because an account does not prove whose address it is.
 */
const auditOf = (person: Person, scope: Scope): SQL => {
  const { email, userId } = person
  const own: SQL[] = []
  if (userId !== null)
    own.push(
      isOwnAction(person),
      sql`subject = ${`user:${userId}`}`,
      mentions(sql`details`, userId.toLowerCase()),
      sql`subject in (select 'key:' || id from keys where user_id = ${userId})`,
      sql`subject in (select 'grant:' || id from oauth_grants where user_id = ${userId})`,
    )
  const mentioned = IN_AUDIT.map((name) => mentions(column(name), email))
  const changes = anyOf(IN_AUDIT.flatMap((name) => namesOf(person).map((value) => mentions(column(name), value))))
  return sql`${anyOf(scope === 'everywhere' ? [...own, ...mentioned] : [...own, sql`false`])} and ${changes}`
}

export const replaceInAudit = (db: Database, person: Person, pseudonym: string, scope: Scope) =>
  updateInRanges(db, 'audit', auditChange(person, pseudonym), auditOf(person, scope))

/** Like `replaceInAudit`, for entries that were written since the deletion began. Runs in the transaction that deletes the account. */
export const replaceInLaterAudit = (db: Database, person: Person, pseudonym: string, scope: Scope, since: Date) =>
  countedRows(
    db,
    updateStatement(
      'audit',
      auditChange(person, pseudonym),
      auditOf(person, scope),
    )(sql`at >= ${since.toISOString()}::timestamptz`),
  )

/** Deletes mails and sign-in links to the address, which need not have an account. */
export const deleteMails = async (db: Database, person: Person): Promise<number> =>
  (await deleteByAddress(db, 'mails', 'email', person)) + (await deleteByAddress(db, 'sign_in_links', 'email', person))

export const deleteViews = (db: Database, person: Person) => deleteByAddress(db, 'queue_views', 'owner', person)

const deleteByAddress = (db: Database, table: string, name: string, person: Person): Promise<number> =>
  deleteInRanges(db, table, isAddress(column(name), person))

const deleteInRanges = (db: Database, table: string, condition: SQL): Promise<number> =>
  inRanges(db, table, (range) => sql`delete from ${sql.identifier(table)} where ${range} and ${condition} returning 1`)

export const MOST_FOUND = 5_000

const idsWhere = async (db: Database, table: string, condition: SQL): Promise<string[]> =>
  (
    await rowsInRanges<{ id: string }>(
      db,
      table,
      (range) => sql`select id from ${sql.identifier(table)} where ${range} and ${condition}`,
      MOST_FOUND,
    )
  ).map(({ id }) => id)

/** The conversations in which the person is the customer; at most `MOST_FOUND`. */
export const listConversationsOfPerson = (db: Database, person: Person) =>
  idsWhere(db, 'support_conversations', isCustomer(person))
/** The conversations about orders of the account; at most `MOST_FOUND`. */
export const listQuestionsAboutOrders = async (db: Database, { userId }: Person): Promise<string[]> =>
  (
    await rowsOf<{ id: string }>(
      db,
      sql`select id from support_conversations where ${isAboutOrderOf(userId)} limit ${MOST_FOUND}`,
    )
  ).map(({ id }) => id)
/** The products whose founder the person is; at most `MOST_FOUND`. */
export const listFoundedTools = (db: Database, person: Person) =>
  idsWhere(db, 'tools', isAddress(sql`founder_email`, person))
/** The partners whose contact the person is; at most `MOST_FOUND`. */
export const listPartnersOfContact = (db: Database, person: Person) =>
  idsWhere(db, 'partners', isAddress(sql`contact_email`, person))

/** The first id in the JSON of an event or of a stored response is that of its conversation. */
const isAbout = (text: SQL, conversations: readonly string[]): SQL =>
  sql`substring(${text} from '"id":"([^"]+)"') = any(${sql.param(conversations)}::text[])`

/** Deletes the events and stored responses about the conversations. */
export async function deleteEventsAndAnswers(db: Database, conversations: readonly string[]): Promise<void> {
  for (const table of ['webhook_deliveries', 'partner_events'])
    await deleteInRanges(db, table, sql`event = 'support.replied' and ${isAbout(sql`body`, conversations)}`)
  await deleteInRanges(db, 'idempotent_answers', isAbout(sql`answer`, conversations))
}

/** Deletes the conversations, their messages, and their events since this time. Returns the number of conversations. */
export const deleteConversations = async (
  db: Database,
  conversations: readonly string[],
  since: Date,
): Promise<number> => {
  const isEvent = sql`partner_id in (select partner_id from chosen)
    and created_at >= ${since.toISOString()}::timestamptz and event = 'support.replied' and ${isAbout(sql`body`, conversations)}`
  return onlyRow(
    await rowsOf<{ count: number }>(
      db,
      sql`
      with chosen as (
        select id, partner_id from support_conversations where id = any(${sql.param(conversations)}::text[]) for update),
      deleted_deliveries as (delete from webhook_deliveries where ${isEvent}),
      deleted_events as (delete from partner_events where ${isEvent}),
      deleted_messages as (delete from support_messages where conversation_id in (select id from chosen)),
      deleted as (delete from support_conversations where id in (select id from chosen) returning 1)
      select count(*)::int as count from deleted`,
    ),
  ).count
}

export const removeFounder = (db: Database, person: Person, tools: readonly string[], now: Date) =>
  rowsOf<{ id: string; slug: string }>(
    db,
    sql`update tools set founder_email = null, founder_name = null, version = version + 1, updated_at = ${now.toISOString()}::timestamptz
      where id = any(${sql.param(tools)}::text[]) and ${isAddress(sql`founder_email`, person)} returning id, slug`,
  )

export const removeContact = (db: Database, person: Person, partners: readonly string[], now: Date) =>
  rowsOf<{ id: string }>(
    db,
    sql`update partners set contact_email = null, version = version + 1, updated_at = ${now.toISOString()}::timestamptz
      where id = any(${sql.param(partners)}::text[]) and ${isAddress(sql`contact_email`, person)} returning id`,
  )

/**
 * Counts the rows that contain the address in tables that a deletion leaves. A row is read as JSON, because as plain text its JSON columns
 * would be escaped twice.
 */
export async function countInKeptRows(db: Database, kept: PersonalData['keptAtDeletion'], { email }: Person) {
  const found: { table: string; rows: number; reason: string }[] = []
  for (const { table, reason, countedAtDeletion } of kept) {
    if (!countedAtDeletion) continue
    const rows = await inRanges(
      db,
      table,
      (range) =>
        sql`select 1 from ${sql.identifier(table)} t where t.${range} and ${mentions(sql`row_to_json(t)`, email)}`,
    )
    if (rows > 0) found.push({ table, rows, reason })
  }
  return found
}
