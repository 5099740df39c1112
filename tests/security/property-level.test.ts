// Mass assignment: whatever a body or a form contains, only the declared fields are written. And the reverse: an answer has the declared
// fields and no other.
import { getTableColumns, getTableName, isTable, type Table } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import * as accounts from '../../src/features/accounts/tables.ts'
import * as catalog from '../../src/features/catalog/tables.ts'
import * as keys from '../../src/features/keys/tables.ts'
import * as partners from '../../src/features/partners/tables.ts'
import * as submissions from '../../src/features/submissions/tables.ts'
import * as support from '../../src/features/support/tables.ts'
import { operatorOperations, restOperations } from '../../src/features.ts'
import type { RoutedOperation } from '../../src/kernel/operation.ts'
import { createBrowser, PASSWORD, signedUp, userNamed } from '../harness/browser.ts'
import { populateService } from '../harness/page-list.ts'
import { filledPath } from '../harness/routes.ts'
import { startService } from '../harness/service.ts'
import { newTool, SUBMISSION_CATALOG, submit } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

const service = useService()
beforeAll(() => service.load(SUBMISSION_CATALOG))

const TEXT = 'zqxassigned'
const NUMBER = 987_654_321
const TIME = '1999-09-09T09:09:09.000Z'

const operationNamed = (name: string): RoutedOperation =>
  [...restOperations, ...operatorOperations].find((operation) => operation.name === name)!

/** Fields that an attacker would like to set in any table. */
const ATTACKER_FIELDS: Record<string, unknown> = {
  role: 'admin',
  roles: ['admin'],
  plan: 'premium',
  isAdmin: true,
  admin: true,
  banned: true,
  partner: TEXT,
  clientId: TEXT,
  owner: TEXT,
  access: ['operator'],
  budgets: { rest: NUMBER },
  submissionState: 'DONE',
  paymentStatus: 'PREMIUM',
}

const valueFor = (dataType: string): unknown =>
  dataType === 'boolean' ? true : dataType === 'number' ? NUMBER : dataType === 'date' ? TIME : TEXT

interface DeclaredFields {
  properties?: object
}

/** Every column of the tables under both of its names and the attacker's fields, without the fields that the operation declares. */
function extrasFor(operation: RoutedOperation, ...tables: Table[]): Record<string, unknown> {
  const extras: Record<string, unknown> = { ...ATTACKER_FIELDS }
  for (const table of tables)
    for (const [name, column] of Object.entries(getTableColumns(table)))
      extras[name] = extras[column.name] = valueFor(column.dataType)
  const body = (operation.body ?? {}) as DeclaredFields & { anyOf?: DeclaredFields[] }
  for (const { properties = {} } of body.anyOf ?? [body])
    for (const name of Object.keys(properties)) delete extras[name]
  return extras
}

const TABLES = [accounts, catalog, keys, partners, submissions, support].flatMap((module) =>
  Object.values(module).filter((value): value is Table => isTable(value)),
)

/** Checks every stored value of every table as text. */
async function expectNothingAssigned(): Promise<void> {
  expect(TABLES.length).toBeGreaterThan(15)
  for (const table of TABLES) {
    const rows = JSON.stringify(await service.sql(`select * from ${getTableName(table)}`))
    expect(rows, getTableName(table)).not.toContain(TEXT)
    expect(rows, getTableName(table)).not.toContain(String(NUMBER))
    expect(rows, getTableName(table)).not.toContain('1999-09-09')
  }
}

const row = async (table: string, where: string) => (await service.sql(`select * from ${table} where ${where}`))[0]

describe('a partner', () => {
  test('submits a tool: no column of the listing or the submission can be set beside the declared fields', async () => {
    const { key, id } = await service.newPartner({ support: 'human' })
    const operation = operationNamed('submit_ai_tool')
    const extras = extrasFor(operation, catalog.tools, submissions.submissions, submissions.submissionDetails)
    expect(Object.keys(extras)).toEqual(expect.arrayContaining(['published', 'opens', 'founder_email', 'partner_id']))
    const body = newTool()
    const { status, body: answer } = await submit(service, key, { ...extras, ...body })
    expect(status).toBe(201)
    const plain = (await submit(service, key, newTool())).body.data
    const stored = await row('tools', `id = '${answer.data.id}'`)
    const usual = await row('tools', `id = '${plain.id}'`)
    const own = ['id', 'slug', 'name', 'website', 'website_key', 'created_at', 'updated_at']
    for (const name of own) for (const tool of [stored, usual]) delete tool[name]
    expect(stored).toEqual(usual)
    expect(await row('submissions', `tool_id = '${answer.data.id}'`)).toMatchObject({
      partner_id: id,
      payment_type: null,
      state: null,
      assignee: null,
      notes: '',
    })
    await expectNothingAssigned()
  })

  test('asks a question: the body cannot set the owner or the state of the conversation', async () => {
    const { key, id } = await service.newPartner({ support: 'human' })
    const extras = extrasFor(operationNamed('ask_support'), support.conversations, support.messages)
    const body = { ...extras, question: 'How?', customer: { name: 'Ida', role: 'admin', partnerId: TEXT } }
    const reply = await service.rest('/support/ask', { method: 'POST', key, body })
    expect(reply.status).toBe(200)
    expect(await row('support_conversations', `id = '${reply.body.data.id}'`)).toMatchObject({
      partner_id: id,
      status: 'pending',
      message_count: 1,
      external_id: null,
      customer: { name: 'Ida' },
    })
    expect(await row('support_messages', `conversation_id = '${reply.body.data.id}'`)).toMatchObject({
      role: 'customer',
      source: null,
      author: null,
    })
    await expectNothingAssigned()
  })
})

describe('a visitor', () => {
  const USER = { role: 'user', plan: 'standard', banned: false, partner_id: null, email_verified: false, name: '' }
  const attackerFields = () =>
    Object.fromEntries(
      Object.entries(extrasFor(operationNamed('create_key'), accounts.users, accounts.sessions, accounts.credentials))
        .filter(([name]) => !['email', 'password', 'token', 'next', 'name'].includes(name))
        .map(([name, value]) => [name, String(value)]),
    )

  test('signs up: the form cannot set role, plan, ban, partner or dates', async () => {
    const email = 'attacker@example.com'
    const reply = await createBrowser(service).post('/sign-up', {
      ...attackerFields(),
      email,
      password: PASSWORD,
      name: TEXT,
    })
    expect(reply.status).toBe(303)
    expect(await row('users', `email = '${email}'`)).toMatchObject(USER)
    await expectNothingAssigned()
  })

  test('makes a key and changes the password: neither form can set the owner, the plan or the dates', async () => {
    const person = await signedUp(service)
    const other = await signedUp(service)
    const { id: foreign } = await userNamed(service, other.email)
    const fields = { ...attackerFields(), userId: foreign, user_id: foreign, owner: other.email }
    expect((await person.submit('/dashboard', '/dashboard/keys', { ...fields, agree: 'true' })).status).toBe(201)
    const { id } = await userNamed(service, person.email)
    expect(await row('keys', `user_id = '${id}'`)).toMatchObject({ plan: null, partner_id: null, revoked_at: null })
    expect(await row('keys', `user_id = '${foreign}'`)).toBeUndefined()
    await person.submit('/dashboard/account', '/dashboard/account/password', {
      ...fields,
      current: PASSWORD,
      next: 'another long password',
      email: 'taken@example.com',
    })
    expect(await row('users', `id = '${id}'`)).toMatchObject({ ...USER, email: person.email })
    const untouched = createBrowser(service)
    expect((await untouched.post('/sign-in', { email: other.email, password: PASSWORD })).status).toBe(303)
    await expectNothingAssigned()
  })
})

describe('the operator API', () => {
  const PATHS: [operation: string, path: string, body: object, tables: Table[]][] = [
    ['create_key', '/keys', { email: 'issued@example.com' }, [keys.keys, accounts.users]],
    ['create_partner', '/partners', { name: 'Assigned' }, [partners.partners, keys.keys]],
    ['put_category', '/categories/assigned', { name: 'Assigned' }, [catalog.categories]],
    ['put_tag', '/tags/assigned', { name: 'Assigned' }, [catalog.tags]],
    ['put_directory_category', '/directory-categories/assigned', { name: 'Assigned' }, [catalog.directoryCategories]],
    ['put_tool', '/tools/assigned', { name: 'Assigned' }, [catalog.tools]],
    ['put_directory', '/directories/assigned', { name: 'Assigned' }, [catalog.directories]],
  ]

  test.each(PATHS)('%s writes the declared fields and nothing else', async (name, path, body, tables) => {
    const operation = operationNamed(name)
    expect(operation, name).toBeDefined()
    const reply = await service.admin(operation.method, path, { ...extrasFor(operation, ...tables), ...body })
    expect(reply.status, reply.text).toBeLessThan(300)
    await expectNothingAssigned()
  })

  test('a user who is created for a key is an ordinary user', async () => {
    expect(await row('users', "email = 'issued@example.com'")).toMatchObject({ role: 'user', banned: false })
    expect(await row('partners', "name = 'Assigned'")).toMatchObject({ banned: false, support: 'off' })
  })

  test('an imported line cannot set an id or a private column', async () => {
    const extras = extrasFor(operationNamed('put_tool'), catalog.tools)
    delete extras.slug
    await service.load([{ ...extras, kind: 'tool', slug: 'imported-fields', name: 'Imported' }])
    await expectNothingAssigned()
  })
})

test('every answer of every list and lookup has the declared fields and no other, however deep', async () => {
  const whole = await startService()
  const { known } = await populateService(whole)
  const listingUrl = 'https://launch-list.example.org/acme'
  // It waits for the founder, so that it is in the list of what waits.
  const row = { isSubmitted: true, listingUrl, reason: 'payment' }
  await whole.admin('PUT', `/submissions/${known.submissions}/directories/launch-list`, row)
  await whole.sql(
    `insert into link_checks (id, submission_id, directory_id, listing_url, state, checked_at)
     select gen_random_uuid(), submission_id, directory_id, listing_url, 'live', now() from submission_rows where listing_url = '${listingUrl}'`,
  )
  await whole.sql(
    `insert into billing_customers (id, user_id, created_at) select 'cus_1', id, now() from users limit 1`,
  )
  await whole.sql(
    `insert into billing_subscriptions (id, customer_id, status, price_id, ended_by_failure, refunded, created_at, updated_at)
     values ('sub_1', 'cus_1', 'active', 'price_1', false, false, now(), now())`,
  )
  await whole.sql(
    `insert into orders (id, user_id, customer_id, tool_id, payment_type, price_id, state, amount, currency, created_at, updated_at)
     select 'order-1', users.id, 'cus_1', tools.id, 'pro', 'price_2', 'paid', 17900, 'usd', now(), now() from users, tools limit 1`,
  )
  await whole.sql(
    `insert into submission_tags (submission_id, slug, written)
     select submissions.id, tools.tags[1], 'Another name' from submissions join tools on tools.id = tool_id
     where cardinality(tools.tags) > 0 on conflict (submission_id, slug) do update set written = excluded.written`,
  )
  await whole.sql(
    `insert into proposals (id, tool_id, author_kind, author_id, field, old_value, new_value, state, reason, created_at)
     select 'proposal-1', id, 'partner', 'someone', 'tagline', '"a"', '"b"', 'waiting', '', now() from tools limit 1`,
  )
  await whole.sql(
    `insert into founder_products (id, user_id, website, website_key, state, step, fields, sources, sent_at, created_at, updated_at)
     select 'product-1', id, 'https://x.example', 'x.example', 'waiting', 'page', '{"name":"X"}', '{}', now(), now(), now() from users limit 1`,
  )
  await whole.sql(
    `insert into claims (id, user_id, tool_id, token, method, proven_at, checked_at, created_at)
     select 'claim-1', users.id, tools.id, 'token', 'dns', now(), now(), now() from users, tools limit 1`,
  )
  await whole.sql(
    `insert into listing_health (listing_id, kind, website, host, next_at, state, since)
     select id, 'tool', website, 'x.example', now(), 'gone', now() from tools where published limit 1 on conflict do nothing`,
  )
  await whole.sql(
    `insert into search_openings (words, listing_id, weight, last_day) select 'words', id, 7000000, current_date from tools where published limit 1`,
  )
  await whole.admin('PUT', '/queue/views/mine', { query: 'view=table' })
  await whole.admin('PUT', '/support/saved-replies/hello', { body: 'Hello {customer}.' })
  const { key } = await whole.newPartner({ support: 'human' })
  const asked = [
    ...restOperations.filter(({ access }) => access === 'catalog').map((one) => ['/api/v1', one] as const),
    ...operatorOperations.map((one) => ['/api/admin', one] as const),
  ].filter(([, { method, streams }]) => method === 'GET' && !streams)
  expect(asked.length).toBeGreaterThan(25)
  const places = { ...known, conversations: known.support!, slug: 'x' }
  let filled = 0
  for (const [base, operation] of asked) {
    const path = filledPath(operation.path, places)
    const query = operation.name === 'search_knowledge' ? '?q=refund' : ''
    const reply = await whole.fetch(base + path + query, base === '/api/v1' ? { key } : { key: 'test-operator-token' })
    expect([operation.name, reply.status]).toEqual([operation.name, 200])
    if (JSON.stringify(reply.body.data).length > 2) filled++
    expect([operation.name, undeclared(operation.data as unknown as Node, reply.body.data)]).toEqual([
      operation.name,
      [],
    ])
  }
  // An empty answer would prove nothing.
  expect(filled).toBeGreaterThan(asked.length - 4)
  await whole.close()
})

type Node = { properties?: Record<string, Node>; items?: Node; additionalProperties?: unknown; anyOf?: Node[] }

/** Paths of fields that the schema does not declare. */
function undeclared(schema: Node, value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => undeclared(schema.items ?? {}, item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return []
  const object = schema.anyOf?.find(({ properties }) => properties) ?? schema
  // Declared as free-form: metadata, details of the audit log, maps of strings.
  if (!object.properties) return []
  return Object.entries(value).flatMap(([name, item]) =>
    Object.hasOwn(object.properties!, name)
      ? undeclared(object.properties![name]!, item, `${path}.${name}`)
      : object.additionalProperties
        ? []
        : [`${path}.${name}`],
  )
}
