import { sql } from 'drizzle-orm'
import type { Database } from '../../kernel/context.ts'
import { onlyRow, rowsOf } from '../../kernel/database/queries.ts'
import { listedAs, NEEDS_DECISION } from '../health/queries.ts'

/** The menu shows no larger number than this, so no more rows are counted. */
export const LARGEST_COUNT = 1000

/** Counts what waits for an administrator. It is one statement, because every page of the console runs it. Rows of sandboxes are not counted. */
export const countWaitingWork = async (db: Database) =>
  onlyRow(
    await rowsOf<
      Record<'queue' | 'orders' | 'reviews' | 'proposals' | 'inbox' | 'lostLinks' | 'health' | 'visitorReports', number>
    >(
      db,
      sql`select
        (select count(*)::int from (select 1 from submissions where state = 'IN_QUEUE' limit ${LARGEST_COUNT}) q) as "queue",
        (select count(*)::int from (select 1 from orders o left join submissions s on s.id = o.submission_id
          where o.state = 'paid' and coalesce(s.state, 'IN_QUEUE') = 'IN_QUEUE' limit ${LARGEST_COUNT}) o) as "orders",
        (select count(*)::int from (select 1 from founder_products where state = 'waiting' limit ${LARGEST_COUNT}) r) as "reviews",
        (select count(*)::int from (select 1 from proposals where state = 'waiting' limit ${LARGEST_COUNT}) p) as "proposals",
        (select count(*)::int from (select 1 from support_conversations where test = false and open_questions > 0 limit ${LARGEST_COUNT}) c) as "inbox",
        (select count(*)::int from (select 1 from listing_links where lost_at is not null limit ${LARGEST_COUNT}) l) as "lostLinks",
        (select count(*)::int from (select 1 from listing_health h join lateral ${listedAs(sql`h.listing_id`)} p on true where ${NEEDS_DECISION} limit ${LARGEST_COUNT}) h) as "health",
        (select count(*)::int from (select 1 from visitor_reports v join lateral ${listedAs(sql`v.listing_id`)} p on true where v.state = 'open' limit ${LARGEST_COUNT}) v) as "visitorReports"`,
    ),
  )

interface NamedSubject {
  subject: string
  name: string
  /** The user or partner on whose page it is shown, as a subject; null: it has its own page. */
  owner: string | null
}

/** The names of the subjects that still exist, in one statement that looks up each kind by an index. */
export const listSubjectNames = (db: Database, subjects: readonly string[]): Promise<NamedSubject[]> =>
  rowsOf(
    db,
    sql`with asked as (
        select s as subject, split_part(s, ':', 1) as kind, substr(s, strpos(s, ':') + 1) as id
        from jsonb_array_elements_text(${JSON.stringify(subjects)}::jsonb) as a(s) where strpos(s, ':') > 0
      )
      select a.subject, t.name, null as owner from asked a join tools t on a.kind = 'tool' and t.slug = a.id
      union all select a.subject, t.name, null from asked a join tools t on a.kind = 'tool' and t.id = a.id
      union all select a.subject, d.name, null from asked a join directories d on a.kind = 'directory' and d.slug = a.id
      union all select a.subject, c.name, null from asked a join categories c on a.kind = 'category' and c.slug = a.id
      union all select a.subject, g.name, null from asked a join tags g on a.kind = 'tag' and g.slug = a.id
      union all select a.subject, c.name, null from asked a join directory_categories c on a.kind = 'directoryCategory' and c.slug = a.id
      union all select a.subject, c.name, null from asked a join collections c on a.kind = 'collection' and c.slug = a.id
      union all select a.subject, u.email, null from asked a join users u on a.kind = 'user' and u.id = a.id
      union all select a.subject, p.name, null from asked a join partners p on a.kind = 'partner' and p.id = a.id
      union all select a.subject, t.name, null from asked a
        join submissions s on a.kind = 'submission' and s.id = a.id join tools t on t.id = s.tool_id
      union all select a.subject, t.name, null from asked a join orders o on a.kind = 'order' and o.id = a.id join tools t on t.id = o.tool_id
      union all select a.subject, coalesce(nullif(c.customer ->> 'name', ''), nullif(c.customer ->> 'email', ''), p.name), null from asked a
        join support_conversations c on a.kind = 'conversation' and c.id = a.id join partners p on p.id = c.partner_id
      union all select a.subject, d.event || ' to ' || p.name, null from asked a
        join webhook_deliveries d on a.kind = 'webhook' and d.id = a.id join partners p on p.id = d.partner_id
      union all select a.subject, concat_ws(' ', nullif(k.name, ''), '…' || k.last4), coalesce('user:' || k.user_id, 'partner:' || k.partner_id) from asked a
        join keys k on a.kind = 'key' and k.id = a.id
      union all select a.subject, c.name, 'user:' || g.user_id from asked a
        join oauth_grants g on a.kind = 'grant' and g.id = a.id join oauth_clients c on c.id = g.client_id`,
  )

/** The users with these e-mail addresses. */
export const listUsersByEmail = (db: Database, emails: readonly string[]): Promise<{ email: string; id: string }[]> =>
  rowsOf(
    db,
    sql`select u.email, u.id from jsonb_array_elements_text(${JSON.stringify(emails)}::jsonb) as a(email) join users u on u.email = a.email`,
  )
