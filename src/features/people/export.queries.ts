// Reads what is stored about a person, in sections. No hash, token or secret is read.
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { ENOUGH } from '../../kernel/database/block-ranges.queries.ts'
import { rowsOf } from '../../kernel/database/queries.ts'
import type { PersonalData } from '../../kernel/feature.ts'
import * as queries from './find.queries.ts'

type Row = Record<string, unknown>

const ofUser = ({ userId }: queries.Person): SQL => sql`user_id = ${userId}`

/** The sections with what belongs to an account. Their queries use indexes. */
const OF_ACCOUNT: Readonly<Record<string, (person: queries.Person) => SQL>> = {
  sessions: (person) =>
    sql`select created_at as "createdAt", expires_at as "expiresAt" from sessions where ${ofUser(person)} order by created_at desc`,
  signIn: (person) =>
    sql`select provider_id as provider, account_id as account, created_at as "createdAt" from credentials where ${ofUser(person)} order by created_at`,
  signInLinks: (person) =>
    sql`select created_at as "createdAt", expires_at as "expiresAt" from sign_in_links where ${ofUser(person)} order by created_at desc`,
  keys: (person) =>
    sql`select id, name, last4, plan, policy_version as "policyVersion", policy_agreed_at as "policyAgreedAt",
      created_at as "createdAt", revoked_at as "revokedAt" from keys where ${ofUser(person)} order by created_at desc`,
  calls: (person) =>
    sql`select key_id as key, day::text, surface, calls from key_usage
      where key_id in (select id from keys where ${ofUser(person)}) order by day desc, key_id, surface`,
  latestCalls: (person) =>
    sql`select key_id as key, at, surface, operation, status, ms, request_id as "requestId" from key_calls
      where key_id in (select id from keys where ${ofUser(person)}) order by at desc`,
  outcomes: (person) =>
    sql`select key_id as key, day::text, surface, operation, status, calls from key_outcomes
      where key_id in (select id from keys where ${ofUser(person)}) order by day desc, key_id, operation, status`,
  saved: (person) =>
    sql`select kind, value, query, created_at as "createdAt" from saved_items where ${ofUser(person)} order by created_at desc`,
  mails: (person) =>
    sql`select kind, state, created_at as "createdAt" from mails where ${ofUser(person)} order by created_at desc`,
  apps: (person) =>
    sql`select g.id, c.name, c.website, g.policy_version as "policyVersion", g.created_at as "createdAt", g.ended_at as "endedAt"
      from oauth_grants g join oauth_clients c on c.id = g.client_id where g.${ofUser(person)} order by g.created_at desc`,
  callsOfApps: (person) =>
    sql`select grant_id as app, day::text, surface, calls from oauth_usage
      where grant_id in (select id from oauth_grants where ${ofUser(person)}) order by day desc, grant_id, surface`,
  subscriptions: (person) =>
    sql`select s.id, c.id as customer, s.status, s.first_paid_at as "firstPaidAt", s.premium_until as "premiumUntil", s.created_at as "createdAt"
      from billing_subscriptions s join billing_customers c on c.id = s.customer_id where c.${ofUser(person)} order by s.created_at desc`,
  orders: (person) =>
    sql`select o.id, t.slug as tool, o.payment_type as package, o.state, o.amount, o.currency, o.refunded_amount as "refundedAmount",
      o.payment_id as payment, o.created_at as "createdAt", o.paid_at as "paidAt"
      from orders o left join tools t on t.id = o.tool_id where o.${ofUser(person)} order by o.created_at desc`,
  questionsAboutOrders: ({ userId }) =>
    sql`select external_id as "externalId", m.role, m.content, m.created_at as "createdAt" from support_messages m
      join support_conversations c on c.id = m.conversation_id where c.${queries.isAboutOrderOf(userId)} order by m.created_at desc`,
  products: (person) =>
    sql`select id, website, state, fields, reason, times_sent as "timesSent", created_at as "createdAt", sent_at as "sentAt", decided_at as "decidedAt"
      from founder_products where ${ofUser(person)} order by created_at desc`,
  claims: (person) =>
    sql`select t.slug as tool, c.method, c.proven_at as "provenAt", c.checked_at as "checkedAt", c.created_at as "createdAt"
      from claims c join tools t on t.id = c.tool_id where c.${ofUser(person)} order by c.created_at desc`,
  changesOfListings: ({ userId }) =>
    sql`select t.slug as tool, p.field, p.old_value as "old", p.new_value as "new", p.state, p.reason, p.created_at as "createdAt"
      from proposals p join tools t on t.id = p.tool_id where p.author_kind = 'owner' and p.author_id = ${userId} order by p.created_at desc`,
  actionsOfOthers: ({ email, userId }) =>
    sql`select at, action, details from audit where subject = ${`user:${userId}`} and lower(actor) <> ${email} order by id desc`,
}

/** A section whose table is read in ranges, because no index finds the person in it. */
interface Scanned {
  table: string
  columns: SQL
  /** The column that orders the rows by time. */
  time: string
  where: (person: queries.Person) => SQL
}

const scanned = (table: string, columns: SQL, where: Scanned['where'], time = 'created_at'): Scanned => ({
  table,
  columns,
  time,
  where,
})
const byAddress = (table: string, name: string, columns: SQL, time?: string) =>
  scanned(table, columns, (person) => queries.isAddress(queries.column(name), person), time)

const ACTIONS = scanned('audit', sql`at, action, subject, details`, queries.isOwnAction, 'at')

/** The sections that are found by the address alone. Only operators get them, because an account does not prove whose address it is. */
const BY_ADDRESS: Readonly<Record<string, Scanned>> = {
  savedFilters: byAddress('queue_views', 'owner', sql`name, query, created_at as "createdAt"`),
  assignedSubmissions: byAddress('submissions', 'assignee', sql`id, slug, state`),
  assignedConversations: byAddress('support_desks', 'assignee', sql`conversation_id as conversation`, 'updated_at'),
  issuedKeys: byAddress('keys', 'policy_vouched_by', sql`id, name, last4, created_at as "createdAt"`),
  replies: byAddress(
    'support_messages',
    'author',
    sql`conversation_id as conversation, content, created_at as "createdAt"`,
  ),
  conversations: scanned(
    'support_conversations',
    sql`id, external_id as "externalId", status, customer, metadata, created_at as "createdAt"`,
    queries.isCustomer,
  ),
  founderOf: byAddress(
    'tools',
    'founder_email',
    sql`slug, name, founder_name as "founderName", founder_email as "founderEmail"`,
  ),
  contactOf: byAddress('partners', 'contact_email', sql`id, name, contact_email as "contactEmail"`),
  mailsToAddress: byAddress('mails', 'email', sql`kind, state, created_at as "createdAt"`),
  linksToAddress: byAddress('sign_in_links', 'email', sql`created_at as "createdAt", expires_at as "expiresAt"`),
  mentionedInAudit: scanned(
    'audit',
    sql`at, action, subject, details`,
    (person) =>
      sql`${queries.anyOf(['actor', 'subject', 'details'].map((name) => queries.mentions(queries.column(name), person.email)))} and ${queries.isOwnAction(person)} is not true`,
    'at',
  ),
}

/** Each section has its newest rows within these limits, because partners decide how much they store about a person. */
const LIMITS: queries.Limits = { rows: 5_000, length: 2 * 1024 * 1024 }

type Sections = Record<string, Row[]>

const withoutNulls = (row: Row): Row => Object.fromEntries(Object.entries(row).filter(([, text]) => text !== null))

const withoutMeasures = ({ _length, _sum, _at, ...row }: queries.Measured): Row => row

/** The sections that are not empty. `cut`: the names of those that have more rows than are returned. */
export async function readSections(
  db: Database,
  texts: PersonalData['texts'],
  person: queries.Person,
  scope: queries.Scope,
): Promise<{ sections: Sections; cut: string[] }> {
  const sections: Sections = {}
  const cut: string[] = []
  const add = (name: string, found: queries.Measured[]) => {
    const { rows, isAll } = queries.fitting(found, LIMITS)
    if (!isAll) cut.push(name)
    if (found.length > 0) sections[name] = rows.map(withoutMeasures)
  }
  if (person.userId !== null) {
    for (const [name, section] of Object.entries(OF_ACCOUNT))
      add(name, await rowsOf<queries.Measured>(db, queries.measured(section(person), LIMITS)))
    add('actions', await newestOf(db, ACTIONS, person))
  }
  if (scope === 'everywhere') {
    for (const [name, section] of Object.entries(BY_ADDRESS)) add(name, await newestOf(db, section, person))
    if (!(await addMessages(db, sections.conversations ?? []))) cut.push('messages')
    add('mentions', await findMentions(db, texts, person))
    if (sections.mentions) sections.mentions = sections.mentions.map(withoutNulls)
  }
  return { sections, cut }
}

const newestOf = (
  db: Database,
  { table, columns, time, where }: Scanned,
  person: queries.Person,
): Promise<queries.Measured[]> =>
  queries.newestInRanges(
    db,
    table,
    (range) =>
      sql`select ${columns}, extract(epoch from ${queries.column(time)})::double precision as _at
        from ${sql.identifier(table)} where ${range} and ${where(person)}`,
    LIMITS,
  )

/** Adds the messages to the conversations. Returns false when not all messages fit; then the later conversations have none. */
async function addMessages(db: Database, conversations: Row[]): Promise<boolean> {
  const remaining = { ...LIMITS }
  for (const conversation of conversations) {
    const messages = sql`select role, content, created_at as "createdAt" from support_messages
      where conversation_id = ${conversation.id} order by number`
    const { rows, isAll } = queries.fitting(
      await rowsOf<queries.Measured>(db, queries.measured(messages, remaining)),
      remaining,
    )
    conversation.messages = rows.map(withoutMeasures)
    if (!isAll) return false
    remaining.rows -= rows.length
    remaining.length -= rows.at(-1)?._sum ?? 0
  }
  return true
}

/** Characters of a text before a mention of the address, and of the whole excerpt. */
const LENGTH_BEFORE = 200
const LENGTH_SHOWN = 500

/** Excerpts of texts that mention the address. The person's own conversations are not included, because they have their own section. */
async function findMentions(
  db: Database,
  texts: PersonalData['texts'],
  person: queries.Person,
): Promise<queries.Measured[]> {
  const found: queries.Measured[] = []
  for (const [table, columns] of Object.entries(texts)) {
    const excerpts = columns.map((name) => {
      const text = sql`${queries.column(name)}::text`
      const start = sql`greatest(1, position(${person.email}::text in lower(${text})) - ${LENGTH_BEFORE}::int)`
      return sql`case when ${queries.mentions(queries.column(name), person.email)} then substring(${text} from ${start} for ${LENGTH_SHOWN}::int) end as ${queries.column(name)}`
    })
    const condition = queries.anyOf(columns.map((name) => queries.mentions(queries.column(name), person.email)))
    const notOwn = table === 'support_conversations' ? sql`${queries.isCustomer(person)} is not true` : sql`true`
    await queries.eachRangeOfRows(db, table, async (range) => {
      const rows = sql`select ${sql.join(excerpts, sql`, `)} from ${sql.identifier(table)} where ${range} and ${condition} and ${notOwn}`
      for (const row of await rowsOf<queries.Measured>(db, queries.measured(rows, LIMITS)))
        found.push({ table, ...row })
      return queries.fitting(found, LIMITS).isAll ? undefined : ENOUGH
    })
    if (!queries.fitting(found, LIMITS).isAll) break
  }
  return found
}
