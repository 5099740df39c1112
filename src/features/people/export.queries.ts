// What is stored about a person. No hash, token or secret is read.
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { rowsOf } from '../../kernel/rows.ts'
import type { Person } from './erase.queries.ts'

type Section = (person: Person) => SQL

const ofUser = ({ userId }: Person): SQL => sql`user_id = ${userId}`
const isAddress = (text: SQL, { email }: Person): SQL => sql`lower(trim(${text})) = ${email}`

/** What belongs to an account. */
const OF_ACCOUNT: Readonly<Record<string, Section>> = {
  sessions: (person) =>
    sql`select created_at as "createdAt", expires_at as "expiresAt" from sessions where ${ofUser(person)} order by created_at desc`,
  signIn: (person) =>
    sql`select provider_id as provider, created_at as "createdAt" from credentials where ${ofUser(person)} order by created_at`,
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
  actions: ({ email, userId }) =>
    sql`select at, action, subject, details from audit
      where lower(actor) = ${email} and at >= (select created_at from users where id = ${userId}) order by id desc`,
  actionsOfOthers: ({ email, userId }) =>
    sql`select at, action, details from audit where subject = ${`user:${userId}`} and lower(actor) <> ${email} order by id desc`,
}

/** What is found by the address alone. Only operators read it, because an account does not prove whose address it is. */
const BY_ADDRESS: Readonly<Record<string, Section>> = {
  savedFilters: (person) =>
    sql`select name, query, created_at as "createdAt" from queue_views where ${isAddress(sql`owner`, person)} order by name`,
  assignedSubmissions: (person) =>
    sql`select id, slug, state from submissions where ${isAddress(sql`assignee`, person)} order by created_at desc`,
  replies: (person) =>
    sql`select conversation_id as conversation, content, created_at as "createdAt" from support_messages
      where ${isAddress(sql`author`, person)} order by number desc`,
  conversations: (person) =>
    sql`select c.id, c.external_id as "externalId", c.status, c.customer, c.metadata, c.created_at as "createdAt",
      (select coalesce(json_agg(json_build_object('role', m.role, 'content', m.content, 'createdAt', m.created_at) order by m.number), '[]')
        from support_messages m where m.conversation_id = c.id) as messages
      from support_conversations c where ${isAddress(sql`c.customer ->> 'email'`, person)} or ${isAddress(sql`c.external_id`, person)}
      order by c.created_at desc`,
  founderOf: (person) =>
    sql`select slug, name, founder_name as "founderName", founder_email as "founderEmail" from tools
      where ${isAddress(sql`founder_email`, person)} order by slug`,
  contactOf: (person) =>
    sql`select id, name, contact_email as "contactEmail" from partners where ${isAddress(sql`contact_email`, person)} order by name`,
}

/** Of each section at most so many rows, the newest, so that one answer has a bounded length. */
export const MOST_ROWS = 5_000

export type Sections = Record<string, Record<string, unknown>[]>

/** The sections that are not empty, and the names of those that had more rows. */
export async function readSections(
  db: Database,
  person: Person,
  everywhere: boolean,
): Promise<{ sections: Sections; cut: string[] }> {
  const sections: Sections = {}
  const cut: string[] = []
  for (const [name, section] of Object.entries(everywhere ? { ...OF_ACCOUNT, ...BY_ADDRESS } : OF_ACCOUNT)) {
    const rows = await rowsOf<Record<string, unknown>>(db, sql`${section(person)} limit ${MOST_ROWS + 1}`)
    if (rows.length > MOST_ROWS) cut.push(name)
    if (rows.length > 0) sections[name] = rows.slice(0, MOST_ROWS)
  }
  return { sections, cut }
}
