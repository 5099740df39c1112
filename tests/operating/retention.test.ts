// What is old is deleted, by the one table of what is kept how long, in batches.
import { beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { daysKept, RETENTION, RETENTION_KINDS } from '../../src/features/retention/rules.ts'
import { forgetOld } from '../harness/forget-old.ts'
import { asked, newSupportPartner, reply } from '../harness/support.ts'
import { useService } from '../harness/use.ts'

let partner: { id: string; key: string }
const service = useService()
beforeAll(async () => {
  partner = await newSupportPartner(service, 'human')
})

const count = async (from: string): Promise<number> =>
  (await service.sql(`select count(*)::int as count from ${from}`))[0].count

const ago = (days: number) => `now() - interval '${days} days'`
const USER = `insert into users (id, email, created_at, updated_at) values ('old', 'old@example.com', now(), now()) on conflict do nothing`

/** By kind: makes one row that is so many days old; which rows to count. */
const ROWS: Record<keyof typeof RETENTION, { make: (days: number) => string; rows: string }> = {
  usage: {
    make: (
      days,
    ) => `${USER}; insert into keys (id, hash, last4, user_id, policy_version, created_at) values ('k', 'h', 'l', 'old', '1', now()) on conflict do nothing;
      insert into key_usage (key_id, day, surface, calls, last_used_at) values ('k', (${ago(days)})::date, 'rest', 1, now())`,
    rows: 'key_usage',
  },
  deliveries: {
    make: (days) => `insert into webhook_deliveries (id, event_id, partner_id, event, body, state, created_at)
      values (gen_random_uuid()::text, 'e', '${partner.id}', 'x', '{}', 'failed', ${ago(days)})`,
    rows: `webhook_deliveries where state = 'failed'`,
  },
  audit: {
    make: (days) => `insert into audit (at, actor, action, subject) values (${ago(days)}, 'old', 'old', 'old')`,
    rows: `audit where actor = 'old'`,
  },
  conversations: {
    make: (days) => `insert into support_conversations (id, partner_id, status, created_at, updated_at)
      values (gen_random_uuid()::text, '${partner.id}', 'answered', ${ago(days)}, ${ago(days)})`,
    rows: 'support_conversations',
  },
  tests: {
    make: (days) => `insert into webhook_deliveries (id, event_id, partner_id, test, event, body, state, created_at)
      values (gen_random_uuid()::text, 'e', '${partner.id}', true, 'x', '{}', 'delivered', ${ago(days)})`,
    rows: 'webhook_deliveries where test',
  },
  mails: {
    make: (days) => `insert into mails (id, kind, email, details, state, created_at)
      values (gen_random_uuid()::text, 'reset', 'old@example.com', '{}', 'sent', ${ago(days)})`,
    rows: 'mails',
  },
  unsentProducts: {
    make: (
      days,
    ) => `${USER}; insert into founder_products (id, user_id, website, website_key, state, step, fields, sources, created_at, updated_at)
      values (gen_random_uuid()::text, 'old', 'https://a.example', 'a.example', 'draft', 'page', '{}', '{}', ${ago(days)}, ${ago(days)})`,
    rows: 'founder_products',
  },
  refusedProducts: {
    make: (
      days,
    ) => `${USER}; insert into founder_products (id, user_id, website, website_key, state, step, fields, sources, created_at, updated_at)
      values (gen_random_uuid()::text, 'old', 'https://a.example', 'a.example', 'refused', 'page', '{}', '{}', ${ago(days)}, ${ago(days)})`,
    rows: 'founder_products',
  },
  visitorReports: {
    make: (
      days,
    ) => `insert into visitor_reports (id, kind, listing_id, state, counts, messages, answer, first_at, last_at, version)
      values (gen_random_uuid()::text, 'tool', gen_random_uuid()::text, 'open', '{}', '[]', '', ${ago(days)}, ${ago(days)}, 1)`,
    rows: 'visitor_reports',
  },
  // Looks are folded, and some stay for good: tests/proof/checks.test.ts.
  linkChecks: { make: () => 'select 1', rows: 'link_checks' },
  modelCalls: {
    make: (days) =>
      `insert into model_calls (purpose, model, milliseconds, created_at) values ('support', 'm', 1, ${ago(days)})`,
    rows: 'model_calls',
  },
  unfound: {
    make: (days) =>
      `insert into unfound_questions (words, searched, nothing, partial, last_day) values ('w' || ${days}, 'tools', 1, 0, (${ago(days)})::date)`,
    rows: 'unfound_questions',
  },
  endedApps: {
    make: (
      days,
    ) => `${USER}; insert into oauth_clients (id, kind, name, redirect_uris, created_at, updated_at) values ('c', 'registered', 'c', '{}', now(), now()) on conflict do nothing;
      insert into oauth_grants (id, user_id, client_id, policy_version, policy_agreed_at, created_at, ended_at) values (gen_random_uuid()::text, 'old', 'c', '1', now(), now(), ${ago(days)})`,
    rows: 'oauth_grants',
  },
  billingEvents: {
    make: (days) => `insert into billing_events (id, received_at) values (gen_random_uuid()::text, ${ago(days)})`,
    rows: 'billing_events',
  },
  closedCustomers: {
    make: (days) =>
      `insert into billing_customers (id, closed_at, created_at) values (gen_random_uuid()::text, ${ago(days)}, now())`,
    rows: 'billing_customers',
  },
}
const TRIED = RETENTION_KINDS.filter((kind) => kind !== 'linkChecks')

describe('each row of the table', () => {
  test.each(TRIED)('%s: what is older is deleted, what is younger stays', async (kind) => {
    const { make, rows } = ROWS[kind]
    for (const days of [RETENTION[kind].days + 2, RETENTION[kind].days - 2])
      for (const statement of make(days).split(';')) await service.sql(statement)
    await forgetOld(service)
    expect(await count(rows)).toBe(1)
    await forgetOld(service, new Date(Date.now() + 4 * 24 * 3_600_000), { [kind]: 0 })
    expect(await count(rows)).toBe(1)
    await forgetOld(service, new Date(Date.now() + 4 * 24 * 3_600_000))
    expect(await count(rows)).toBe(0)
  })

  test('is a setting', () => {
    const defaults = Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, RETENTION[kind].days]))
    expect(daysKept(readConfig({}))).toEqual(defaults)
    expect(daysKept(readConfig({ KEEP_AUDIT_DAYS: '0', KEEP_TESTS_DAYS: '7' }))).toMatchObject({ audit: 0, tests: 7 })
  })
})

test('many rows are deleted in batches, and one kind that fails does not stop the others', async () => {
  await service.sql(
    `insert into billing_events (id, received_at) select 'b' || i, ${ago(100)} from generate_series(1, 2500) i`,
  )
  await service.sql(
    `insert into model_calls (purpose, model, milliseconds, created_at) values ('support', 'm', 1, ${ago(100)})`,
  )
  await service.sql('alter table unfound_questions rename to elsewhere')
  expect(await forgetOld(service)).toMatchObject({ billingEvents: 2500, modelCalls: 1 })
  await service.sql('alter table elsewhere rename to unfound_questions')
})

test('an open question and a delivery that waits are never deleted; an old answered thread goes with its messages', async () => {
  const open = await asked(service, partner.key, 'Is anyone there?')
  const answered = await asked(service, partner.key, 'And here?')
  await reply(service, answered.id, 'Yes.')
  await service.sql(`insert into webhook_deliveries (id, event_id, partner_id, event, body, state, held_until, created_at)
    values ('waits', 'e', '${partner.id}', 'x', '{}', 'pending', null, ${ago(5000)})`)
  await service.sql(`update support_conversations set created_at = ${ago(5000)}, updated_at = ${ago(5000)}`)
  await forgetOld(service)
  expect(await service.sql('select id from support_conversations')).toEqual([{ id: open.id }])
  expect(await count(`support_messages where conversation_id = '${answered.id}'`)).toBe(0)
  expect(await count(`webhook_deliveries where id = 'waits'`)).toBe(1)
})
