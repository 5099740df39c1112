// Export and deletion of everything about a person. A person is put into every column that may hold one; after the deletion every column of
// every table is searched.
// @module-tag slow
import { beforeAll, describe, expect, test } from 'vitest'
import { addressPattern } from '../../src/features/people/rules.ts'
import { personalData } from '../../src/features.ts'
import { PASSWORD, signedUp, signedUpAdmin, userNamed } from '../harness/browser.ts'
import { catalog } from '../harness/command.ts'
import { signedIn } from '../harness/oauth.ts'
import { startReceiver } from '../harness/receiver.ts'
import { columnsOf } from '../harness/security/canaries.ts'
import { CLASSES } from '../harness/security/columns.ts'
import { createTwoPartners, type TwoPartners } from '../harness/security/two-partners.ts'
import { ADMIN_TOKEN, startService } from '../harness/service.ts'
import { newTool, submit } from '../harness/submissions.ts'
import { asked } from '../harness/support.ts'
import { use, useService } from '../harness/use.ts'

let partners: TwoPartners
const receiver = use(() => startReceiver({ '/zqonehook': (response) => response.end('thanks') }))
const service = useService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', ENRICHMENT_RETRY_SECONDS: '3600' })
beforeAll(async () => {
  partners = await createTwoPartners(service, receiver)
})

const NAME = 'Zoe Quillfeather'
const isText = (type: string) => ['text', 'json', 'jsonb', 'ARRAY'].includes(type)

test('every column that may hold a person has its place in the declaration of a feature', async () => {
  const columns = await columnsOf(service)
  const handled = new Set([
    ...[personalData.labels, personalData.texts].flatMap((places) =>
      Object.entries(places).flatMap(([table, names]) => names.map((name) => `${table}.${name}`)),
    ),
    ...['audit.actor', 'audit.subject', 'audit.details', 'queue_views.owner', 'partners.contact_email'],
  ])
  const stays = ({ table, name }: { table: string; name: string }) =>
    personalData.keptAtDeletion.some((one) => one.table === table && (one.columns?.includes(name) ?? true))
  const missing = columns
    .filter(({ type }) => isText(type))
    .filter(({ table, name }) => !['word', 'reference'].includes(CLASSES.get(`${table}.${name}`)!))
    // Random identifiers of rows, made by the service.
    .filter(({ name }) => !['id', 'event_id', 'founding_date', 'action', 'event'].includes(name))
    .filter(({ table }) => !personalData.ofAccount.includes(table))
    .filter((column) => !handled.has(`${column.table}.${column.name}`) && !stays(column))
  expect(missing).toEqual([])
  const known = new Set(columns.map(({ table, name }) => `${table}.${name}`))
  expect([...handled].filter((column) => !known.has(column))).toEqual([])
  const named = personalData.keptAtDeletion.flatMap(({ table, columns: names = ['*'] }) =>
    names.map((name) => [table, name] as const),
  )
  expect(
    named.filter(
      ([table, name]) => !columns.some((column) => column.table === table && [column.name, '*'].includes(name)),
    ),
  ).toEqual([])
})

test('every text that is unique in its table is replaced so that it stays unique', async () => {
  const unique = (
    await service.sql(`select distinct t.relname || '.' || a.attname as name from pg_index i
      join pg_class t on t.oid = i.indrelid join pg_attribute a on a.attrelid = t.oid and a.attnum = any(i.indkey)
      where i.indisunique`)
  ).map(({ name }) => name)
  const replaced = [personalData.texts, personalData.labels].flatMap((places) =>
    Object.entries(places).flatMap(([table, names]) => names.map((name) => `${table}.${name}`)),
  )
  expect(replaced.filter((name) => unique.includes(name)).sort()).toEqual([...personalData.uniqueTexts].sort())
})

/** Where any of the values is found, by table; the rows of `changes` are announcements that stay for an hour. */
async function found(values: readonly string[], except: readonly string[] = ['changes']): Promise<string[]> {
  const tables = [...new Set((await columnsOf(service)).map(({ table }) => table))].filter(
    (one) => !except.includes(one),
  )
  const pattern = addressPattern(values).replaceAll("'", "''")
  const places: string[] = []
  for (const table of tables)
    for (const { text } of await service.sql(`select t::text as text from ${table} t where t::text ~* '${pattern}'`))
      places.push(`${table}: ${text}`)
  for (const { text } of await service.sql(`select data::text as text from jobs.job where data::text ~* '${pattern}'`))
    places.push(`job: ${text}`)
  return places
}

async function newPerson(email: string) {
  const browser = await signedUp(service, email)
  const { id } = await userNamed(service, email)
  const { key } = await service.newKey('standard', email)
  await service.sql(`insert into key_usage (key_id, day, surface, calls, last_used_at)
    select id, '2026-01-01', 'rest', 1, now() from keys where user_id = '${id}' limit 1`)
  await signedIn(service, { browser })
  await service.sql(`update users set name = '${NAME}', image = 'https://x.example/${NAME}' where id = '${id}'`)
  return { browser, id: id as string, key: key as string, email }
}

/** Puts the address into one row of every column that may hold it. */
async function plant(email: string): Promise<void> {
  const types = new Map((await columnsOf(service)).map(({ table, name, type }) => [`${table}.${name}`, type]))
  const text = `Ask ${email.toUpperCase()}, not w${email} or ${email}.br; see <mailto:${email}>.`
  const put = async (table: string, column: string, value: string) => {
    const rows = await service.sql(
      `update ${table} set ${column} = ${value} where ctid = (select min(ctid) from ${table}) returning 1`,
    )
    expect([table, column, rows.length]).toEqual([table, column, 1])
  }
  for (const [table, names] of Object.entries(personalData.texts))
    for (const name of names)
      await put(table, name, types.get(`${table}.${name}`) === 'text' ? `'${text}'` : `'[{"note":"${text}"}]'`)
  for (const [table, names] of Object.entries(personalData.labels))
    for (const name of names) await put(table, name, `'${email}'`)
  await service.sql(`insert into queue_views (owner, name, query, created_at)
    values ('${email}', 'mine', 'q=1', now()), ('someone@example.com', 'theirs', 'assignee=${encodeURIComponent(email)}', now())`)
  await service.sql(
    `update tools set founder_email = '${email}', founder_name = '${NAME}' where id = '${partners.tool.id}'`,
  )
  await service.admin('PATCH', `/partners/${partners.two.partnerId}`, { contactEmail: email })
  await service.sql(`insert into audit (at, actor, action, subject, details)
    values (now(), 'operator', 'note.made', 'x', '{"about":"${email}"}')`)
  await service.sql(`insert into mails (id, kind, email, details, state, created_at)
    values ('m-${email}', 'sign-up', '${email}', '{}', 'sent', now())`)
  await service.sql(`insert into sign_in_links (hash, email, expires_at, created_at)
    values ('h-${email}', '${email}', now() + interval '1 day', now())`)
}

describe('a deletion by the operator', () => {
  test('leaves the address, the name and the identifier in no column of any table', async () => {
    const person = await newPerson('zoe.person@example.com')
    await service.admin('PATCH', `/users/${person.id}`, { role: 'admin', partnerId: partners.one.partnerId })
    const customer = { name: NAME, email: 'Zoe.Person@Example.com' }
    const thread = await asked(service, partners.one.partnerKey, {
      question: `I am ${NAME}.`,
      customer,
      externalId: 'z',
    })
    await plant(person.email)
    expect((await found([person.email])).length).toBeGreaterThan(20)

    const exported = (await service.admin('POST', '/people/export', { email: 'ZOE.person@Example.com' })).body.data
    expect(Object.keys(exported.sections).sort()).toEqual([
      ...['actions', 'actionsOfOthers', 'apps', 'assignedConversations', 'assignedSubmissions', 'calls', 'contactOf'],
      ...['conversations', 'founderOf', 'issuedKeys', 'keys', 'linksToAddress', 'mailsToAddress', 'mentionedInAudit'],
      ...['mentions', 'replies', 'savedFilters', 'sessions', 'signIn'],
    ])
    expect(exported.account).toMatchObject({ image: `https://x.example/${NAME}`, partnerId: partners.one.partnerId })
    // Every text that a deletion changes is named, with what stands around the address; the own conversation is in a section of its own.
    const named = exported.sections.mentions.flatMap(({ table, ...texts }: Record<string, string>) =>
      Object.entries(texts).map(([name, text]) => [`${table}.${name}`, text] as const),
    )
    const isOther = (name: string) => !name.startsWith('support_conversations.')
    const places = Object.entries(personalData.texts).flatMap(([table, names]) =>
      names.map((name) => `${table}.${name}`),
    )
    expect([...new Set(named.map(([name]: string[]) => name))].filter(isOther as never).sort()).toEqual(
      places.filter(isOther).sort(),
    )
    for (const [, text] of named) expect(text).toMatch(/zoe\.person(@|%40)example\.com/i)
    expect(exported.sections.conversations).toMatchObject([{ id: thread.id, messages: [{ content: `I am ${NAME}.` }] }])
    const secrets = await service.sql(`select password as text from credentials where user_id = '${person.id}'
      union all select hash from keys where user_id = '${person.id}' union all select token from sessions where user_id = '${person.id}'`)
    for (const { text } of [...secrets, { text: person.key }]) expect(JSON.stringify(exported)).not.toContain(text)

    const answer: any = (await service.admin('POST', '/people/delete', { email: person.email })).body.data
    expect(answer.removed).toMatchObject({ accounts: 1, conversations: 1, founderOf: 1, contactOf: 1, savedFilters: 1 })
    const deletions = () => service.sql(`select actor, subject, details from audit where action = 'person.delete'`)
    expect(await deletions()).toEqual([
      { actor: 'operator', subject: `user:${answer.pseudonym}`, details: answer.removed },
    ])
    await service.settled()
    expect(await found([person.email, person.id, NAME])).toEqual([])
    const [{ notes }] = await service.sql(`select notes from submissions where notes like 'Ask deleted-%'`)
    expect(notes).toBe(
      `Ask ${answer.pseudonym}, not wzoe.person@example.com or zoe.person@example.com.br; see <mailto:${answer.pseudonym}>.`,
    )
    expect((await service.rest('/tags', { key: person.key })).status).toBe(401)
    expect((await service.fetch(`/tools/${partners.tool.slug}`)).text).not.toContain(NAME)
    expect(
      await service.sql(`select version from tools where id = '${partners.tool.id}' and founder_email is null`),
    ).toHaveLength(1)
    // Nothing more to do, and no second entry.
    expect((await service.admin('POST', '/people/delete', { email: person.email })).body.data.removed).toEqual({})
    expect(await deletions()).toHaveLength(1)
    expect((await service.admin('POST', '/people/export', { email: person.email })).body.data).toMatchObject({
      account: null,
      sections: {},
    })
  })

  // Both become the same text when the address in them is replaced, and both are unique for a partner.
  test('is not stopped by identifiers of a partner that differ only in how they write the address', async () => {
    const email = 'unique.person@example.com'
    const names = [`t:${email}`, `t:Unique.Person@example.com`, `t:${encodeURIComponent(email)}`]
    for (const name of names)
      await asked(service, partners.one.partnerKey, {
        question: 'Who am I?',
        externalId: name,
        metadata: { peerPushMessageId: name },
      })
    const { status, body } = await service.admin('POST', '/people/delete', { email })
    expect([status, body.data.removed.texts]).toEqual([200, expect.any(Number)])
    expect(await found([email])).toEqual([])
    const stored = await service.sql(`select id, external_id as name from support_conversations
      where external_id like 't:deleted-%' order by id`)
    expect(stored).toEqual(stored.map(({ id }) => ({ id, name: `t:${body.data.pseudonym}-${id}` })))
    expect(stored).toHaveLength(names.length)
    // The identifier of the message was replaced too, so it is a new one for the partner.
    expect(await service.sql(`select 1 from support_messages where peer_message_id like 't:deleted-%'`)).toHaveLength(3)
  })

  test('deletes what was told of a conversation, and nothing that was told of others', async () => {
    const email = 'told.person@example.com'
    const ask = async (address: string, key: string) => {
      const reply = await service.rest('/support/ask', {
        method: 'POST',
        key: partners.one.partnerKey,
        headers: { 'idempotency-key': key },
        body: { question: 'Nobody knows this?', customer: { email: address } },
      })
      await service.admin('POST', `/support/conversations/${reply.body.data.id}/reply`, {
        content: 'A person answers.',
      })
      return reply.body.data.id as string
    }
    const theirs = [await ask(email, 'told-1'), await ask(email, 'told-2')]
    const other = await ask('someone.else@example.com', 'told-3')
    await service.settled()
    const about = async (id: string) =>
      (await found([id])).map((place) => place.split(':')[0]).filter((table) => table !== 'audit' && table !== 'job')
    const before = await about(other)
    expect(new Set(before)).toEqual(
      new Set([
        'idempotent_answers',
        'partner_events',
        'support_conversations',
        'support_messages',
        'webhook_deliveries',
      ]),
    )
    expect((await service.admin('POST', '/people/delete', { email })).body.data.removed.conversations).toBe(2)
    for (const id of theirs) expect(await about(id)).toEqual([])
    expect(await about(other)).toEqual(before)
  })

  test('finds the address where a line break or a blank stands before it, however the text is stored', async () => {
    const email = 'on.a.line@example.com'
    const { id } = await asked(service, partners.one.partnerKey, {
      question: `Who is this?\n${email}`,
      metadata: { note: `of:\n${email}`, cell: `a\t${email}`, raw: JSON.stringify({ note: `of:\n${email}` }) },
    })
    await service.admin('POST', `/support/conversations/${id}/reply`, { content: `It is\n${email}` })
    const query = new URLSearchParams({ q: `late ${email}` })
    await service.sql(`insert into queue_views (owner, name, query, created_at)
      values ('someone@example.com', 'late', '${query}', now())`)
    const exported = (await service.admin('POST', '/people/export', { email })).body.data.sections
    const tables = exported.mentions.map(({ table }: { table: string }) => table)
    expect(tables).toEqual(
      expect.arrayContaining([
        'queue_views',
        'partner_events',
        'support_conversations',
        'support_messages',
        'webhook_deliveries',
      ]),
    )
    expect((await service.admin('POST', '/people/delete', { email })).status).toBe(200)
    const texts = await service.sql(`select metadata::text as text from support_conversations
      union all select content from support_messages union all select body from webhook_deliveries
      union all select answer::text from idempotent_answers union all select query from queue_views`)
    expect(texts.filter(({ text }) => /on\.a\.line(@|%40)example\.com/i.test(text ?? ''))).toEqual([])
  })

  test('replaces an address that a partner has written thousands of times, and every one of them', async () => {
    const email = 'jo@ex.io'
    for (let i = 0; i < 5; i++)
      await asked(service, partners.one.partnerKey, {
        question: `Question ${i}?`,
        metadata: { note: `${email} `.repeat(900), lines: `${email}\n`.repeat(300), other: `mojo@ex.io ${email}.uk` },
      })
    expect((await service.admin('POST', '/people/delete', { email })).status).toBe(200)
    const texts = await service.sql(`select metadata::text as text from support_conversations`)
    expect(texts.filter(({ text }) => /(?<![a-z])jo@ex\.io(?!\.)/.test(text ?? ''))).toEqual([])
    expect(texts.filter(({ text }) => text?.includes('mojo@ex.io jo@ex.io.uk'))).toHaveLength(5)
  })

  test('leaves the address of another person that a backslash stands before, where the text is stored as JSON', async () => {
    const { id } = await asked(service, partners.one.partnerKey, {
      question: 'Whose folder is this?',
      metadata: { folder: 'C:\\nada@example.com', code: 'C:\\u000aada@example.com', line: 'C:\\\nada@example.com' },
    })
    const { pseudonym } = (await service.admin('POST', '/people/delete', { email: 'ada@example.com' })).body.data
    const [{ metadata }] = await service.sql(`select metadata from support_conversations where id = '${id}'`)
    expect(metadata).toEqual({
      folder: 'C:\\nada@example.com',
      code: 'C:\\u000aada@example.com',
      line: `C:\\\n${pseudonym}`,
    })
  })

  test.each(['jürgen@example.com', 'Zoë Q. <zoe.q@exämple.com>', '\u0130pek@example.com', 'i\u0307lke@example.com'])(
    'reaches a customer with an address that no account could have: %s',
    async (written) => {
      const email = /[^ <]+@[^ >]+/.exec(written)![0]
      await asked(service, partners.one.partnerKey, {
        question: 'Secret question?',
        customer: { name: NAME, email: written },
      })
      const { sections } = (await service.admin('POST', '/people/export', { email })).body.data
      expect(sections.conversations).toMatchObject([{ customer: { name: NAME, email: written } }])
      const { removed } = (await service.admin('POST', '/people/delete', { email })).body.data
      expect(removed).toEqual({ conversations: 1 })
      expect(await found([email])).toEqual([])
    },
  )

  test('says where the address still is', async () => {
    await service.admin('PUT', '/knowledge', { articles: [{ title: 'Contact', body: 'Write to known@example.com.' }] })
    const { stays } = (await service.admin('POST', '/people/delete', { email: 'known@example.com' })).body.data
    expect(stays).toMatchObject([{ table: 'support_articles', rows: 1 }])
    await submit(service, partners.one.partnerKey, newTool({ tags: ['Ask tagged@example.com'] }))
    const tagged = (await service.admin('POST', '/people/delete', { email: 'tagged@example.com' })).body.data
    expect(tagged.stays).toMatchObject([{ table: 'tags', rows: 1 }])
    expect(tagged.removed.texts).toBeGreaterThan(0)
    const written = await service.sql(`select written from submission_tags where slug like 'ask-tagged%'`)
    expect(written).toEqual([{ written: `Ask ${tagged.pseudonym}` }])
    await service.admin('PUT', '/tools/listed', {
      name: 'Listed',
      description: 'Not of xlined@example.com',
      faqs: [{ question: 'Who?', answer: 'Write to:\nlined@example.com' }],
    })
    const found = async (email: string) =>
      (await service.admin('POST', '/people/delete', { email })).body.data.stays.map(({ table }: any) => table)
    expect(await found('lined@example.com')).toEqual(['tools'])
    expect(await found('ned@example.com')).toEqual([])
  })

  test('is refused for the last administrator, the own address and what is no address, and changes nothing', async () => {
    const own = await startService()
    try {
      const one = await signedUpAdmin(own)
      const before = await own.sql('select * from audit order by id')
      const last = await own.admin('POST', '/people/delete', { email: one.email })
      expect([last.status, last.body.error]).toEqual([400, expect.stringContaining('only administrator')])
      const headers = { cookie: one.cookieHeader(), origin: own.origin }
      const self = await own.fetch('/api/admin/people/delete', { method: 'POST', body: { email: one.email }, headers })
      expect([self.status, self.body.error]).toEqual([400, expect.stringContaining('your own address')])
      expect((await own.admin('POST', '/people/delete', { email: '%' })).status).toBe(400)
      expect(await own.sql('select * from audit order by id')).toEqual(before)
    } finally {
      await own.close()
    }
  })
})

test('an export is bounded however much a partner has said about the person, and says what is cut', async () => {
  const email = 'much.said@example.com'
  const { id } = await asked(service, partners.one.partnerKey, { question: 'First?', customer: { email } })
  await service.sql(`insert into support_conversations (id, partner_id, external_id, status, customer, metadata, created_at, updated_at)
    select 'much-' || i, partner_id, 'much-' || i, 'pending', customer, jsonb_build_object('said', repeat('x', 16000)), now(), now()
    from support_conversations, generate_series(1, 600) i where id = '${id}'`)
  const reply = await service.admin('POST', '/people/export', { email })
  expect(reply.body.data.cut).toEqual(['conversations'])
  expect(reply.body.data.sections.conversations.length).toBeGreaterThan(100)
  expect(reply.text.length).toBeLessThan(2.2 * 1024 * 1024)
  await service.sql(`delete from support_conversations where id like 'much-%'`)
})

describe('in the dashboard', () => {
  test('a user gets what belongs to the account, and nothing that only has the same address', async () => {
    // An account does not prove whose address it is: anyone may sign up with it.
    const email = 'victim@example.com'
    await asked(service, partners.one.partnerKey, { question: 'Secret question', customer: { email } })
    await service.sql(
      `insert into audit (at, actor, action, subject) values (now() - interval '1 year', '${email}', 'old.action', 'old')`,
    )
    const { browser, id } = await newPerson(email)
    const reply = await browser.open('/dashboard/account/export')
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="my-data-/)
    const data = JSON.parse(reply.text)
    expect(data.account).toMatchObject({ id, email, name: NAME })
    expect(Object.keys(data.sections).sort()).toEqual(['actions', 'apps', 'calls', 'keys', 'sessions', 'signIn'].sort())
    expect(reply.text).not.toMatch(/Secret question|old\.action/)

    const page = '/dashboard/account/delete'
    expect((await browser.submit(page, page, { current: PASSWORD, confirm: email })).status).toBe(303)
    expect(await found([id, NAME])).toEqual([])
    const left = (await found([email])).map((place) => place.split(':')[0])
    expect([...new Set(left)].sort()).toEqual(['audit', 'support_conversations'])
    expect(left.filter((table) => table === 'audit')).toHaveLength(1)
  })

  test('a user gets five exports an hour, because each reads the whole audit log', async () => {
    const limited = await startService({ RATE_LIMIT_SCALE: '1' })
    const browser = await signedUp(limited)
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await browser.open('/dashboard/account/export')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
    expect((await browser.open('/dashboard')).status).toBe(200)
    await limited.close()
  })

  test('nothing of a plain user is left', async () => {
    const { browser, id, email } = await newPerson('plain.person@example.com')
    const page = '/dashboard/account/delete'
    await browser.submit(page, page, { current: PASSWORD, confirm: email.toUpperCase() })
    expect(await found([email, id, NAME])).toEqual([])
  })
})

test('the command line exports and deletes', async () => {
  const { email } = await newPerson('by.command@example.com')
  const env = { CATALOG_URL: service.origin, ADMIN_TOKEN }
  const exported = await catalog(['person', 'export', email], env)
  expect(JSON.parse(exported.out)).toMatchObject({ email, account: { email } })
  const unsure = await catalog(['person', 'delete', email], env)
  expect([unsure.status, unsure.err]).toEqual([2, expect.stringContaining('--yes')])
  const deleted = await catalog(['person', 'delete', email, '--yes'], env)
  expect([deleted.status, deleted.out]).toEqual([
    0,
    expect.stringMatching(/^Deleted: .*accounts 1.* deleted-[0-9a-f]{8}\.\n$/),
  ])
  expect((await catalog(['person', 'delete', email, '--yes'], env)).out).toContain(`Nothing is stored about ${email}.`)
})
