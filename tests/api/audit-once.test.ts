// A write that is sent again and changes nothing gets no second row in the audit log, and the time of the last change stays as it was.
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { operatorOperations } from '../../src/features.ts'
import { audited } from '../harness/audit.ts'
import { signedUp } from '../harness/browser.ts'
import { newSubmission } from '../harness/done-work.ts'
import { storeWaiting } from '../harness/founders.ts'
import { grantsOf, signedIn } from '../harness/oauth.ts'
import { ADMIN_TOKEN, type Reply } from '../harness/service.ts'
import { SUBMISSION_CATALOG } from '../harness/submissions.ts'
import { useService } from '../harness/use.ts'

let partner: { id: string; key: string }
let submission: { id: string }
let conversation: { id: string }
let user: { id: string }
let picture: Buffer
const service = useService()
beforeAll(async () => {
  const color = { r: 200, g: 30, b: 90 }
  picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: color } })
    .png()
    .toBuffer()
  await service.load(SUBMISSION_CATALOG)
  partner = await service.newPartner({ support: 'human', webhookUrl: null })
  submission = (
    await service.rest('/submit-ai-tool', {
      method: 'POST',
      key: partner.key,
      body: newSubmission(),
    })
  ).body.data
  const asked = { method: 'POST', key: partner.key, body: { question: 'Where is my invoice, please?' } }
  await service.rest('/support/ask', asked)
  conversation = (await service.admin('GET', '/support/conversations')).body.data[0]
  await service.newKey('premium', 'owner@example.com')
  user = (await service.admin('GET', '/users?q=owner@example.com')).body.data[0]
  await storeWaiting(service, user.id, 'sent-product')
  await service.sql(`insert into visitor_reports (id, kind, listing_id, state, counts, messages, answer, first_at, last_at, version)
    select 'reported', 'directory', id, 'open', '{"gone":1}', '[]', '', now(), now(), 1 from directories where published limit 1`)
})

const TOOL = { name: 'Acme', tagline: 'One', socials: { x: 'https://x.com/acme' }, tags: ['api'], category: 'writing' }

/** By the name of the operation: the request that is sent twice, as a client does when the first answer was lost. */
const IDEMPOTENT: Record<string, () => Promise<Reply>> = {
  put_site: () => service.admin('PUT', '/site', { name: 'Acme Tools' }),
  put_agents: () => service.admin('PUT', '/site/agents', { stopped: true }),
  put_collection: () => service.admin('PUT', '/collections/new', { name: 'New', tools: ['acme'] }),
  put_category: () => service.admin('PUT', '/categories/new', { name: 'New', description: 'Things.' }),
  put_tag: () => service.admin('PUT', '/tags/new', { name: 'New' }),
  put_directory_category: () => service.admin('PUT', '/directory-categories/new', { name: 'New' }),
  put_tool: () => service.admin('PUT', '/tools/acme', TOOL),
  put_directory: () => service.admin('PUT', '/directories/acme', { name: 'Acme', features: ['One'], deal: null }),
  change_tool_health: () => service.admin('PATCH', '/tools/acme/health', { decision: 'keep' }),
  change_directory_health: () => service.admin('PATCH', '/directories/acme/health', { decision: 'keep' }),
  change_tool: () => service.admin('PATCH', '/tools/acme', { published: false }),
  change_directory: () => service.admin('PATCH', '/directories/acme', { featured: true }),
  import_catalog: () =>
    service.fetch('/api/admin/import', {
      method: 'POST',
      key: ADMIN_TOKEN,
      type: 'application/x-ndjson',
      body: [
        { kind: 'tool', slug: 'imported', ...TOOL },
        { kind: 'tag', slug: 'imported', name: 'Imported' },
      ]
        .map((line) => JSON.stringify(line))
        .join('\n'),
    }),
  import_table: () =>
    service.fetch('/api/admin/import/table', {
      method: 'POST',
      key: ADMIN_TOKEN,
      type: 'text/csv',
      body: 'Product,URL,Tags\nTable Tool,https://table-tool.example.com,api\n',
    }),
  decide_health: () => service.admin('POST', '/health/decide', { kind: 'tool', slugs: ['imported'], decision: 'keep' }),
  answer_visitor_reports: () => service.admin('POST', '/visitor-reports/reported/answer', { answer: 'Corrected.' }),
  change_partner: () => service.admin('PATCH', `/partners/${partner.id}`, { name: 'Renamed', support: 'human' }),
  change_user: () => service.admin('PATCH', `/users/${user.id}`, { plan: 'premium', role: 'admin' }),
  change_submission: () =>
    service.admin('PATCH', `/submissions/${submission.id}`, { assignee: 'Ada', state: 'ASSIGNED', notes: 'Begun.' }),
  record_directory: () =>
    service.admin('PUT', `/submissions/${submission.id}/directories/peak`, {
      isSubmitted: true,
      listingUrl: 'https://peak.example.org/acme',
    }),
  decide_plan_directory: () =>
    service.admin('PUT', `/submissions/${submission.id}/plan/peak`, { decision: 'skipped', reason: 'refused' }),
  change_submissions: () =>
    service.admin('POST', '/submissions/bulk', { submissions: [{ id: submission.id }], assignee: 'Grace' }),
  change_conversation_desk: () =>
    service.admin('PATCH', `/support/conversations/${conversation.id}/desk`, { internalNotes: 'Seen.' }),
  put_saved_reply: () => service.admin('PUT', '/support/saved-replies/hello', { body: 'Hello {customer}.' }),
  put_queue_view: () => service.admin('PUT', '/queue/views/mine', { query: 'view=table' }),
  complete_submission: () => service.admin('POST', `/submissions/${submission.id}/done`, { notes: 'All done.' }),
  reply_to_conversation: () =>
    service.admin('POST', `/support/conversations/${conversation.id}/reply`, { content: 'In your mailbox.' }),
  make_article_of_reply: () => service.admin('POST', `/support/conversations/${conversation.id}/article`, {}),
  put_partner_knowledge: () =>
    service.admin('PUT', `/partners/${partner.id}/knowledge`, {
      articles: [{ title: 'Refunds', body: 'In 14 days.' }],
    }),
  add_partner_knowledge: () =>
    service.admin('POST', `/partners/${partner.id}/knowledge`, { title: 'Invoices', body: 'By e-mail.' }),
  put_knowledge: () => service.admin('PUT', '/knowledge', { articles: [{ title: 'Hours', body: 'From 9 to 5.' }] }),
  add_knowledge: () => service.admin('POST', '/knowledge', { title: 'Place', body: 'Lisbon.' }),
  decide_review: () => service.admin('POST', '/reviews/sent-product', { decision: 'accept' }),
  upload_picture: async () => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'image/png' }
    const answer = await fetch(`${service.origin}/api/admin/media`, {
      method: 'POST',
      headers,
      body: new Uint8Array(picture),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) }
  },
}

/** Operations that make something new each time, whose second call is an event of its own, or that answer 404 the second time. */
const NOT_REPEATABLE = [
  ...['create_key', 'create_partner', 'create_partner_key', 'rotate_key', 'rotate_secret'],
  'create_user_link',
  // Asks the payment service; only what it answers differently is a change.
  ...['compare_subscriptions', 'compare_order'],
  ...['resend_webhook', 'send_test_event', 'retry_enrichment', 'retry_pictures', 'take_snapshot'],
  ...['check_listings', 'replace_report'],
  // They store nothing.
  ...['preview_table', 'compare_settings'],
  // Reading what is stored about a person is an event each time; tests/people has the deletion.
  ...['export_person', 'delete_person'],
  ...[
    'delete_category',
    'delete_tag',
    'delete_directory_category',
    'delete_tool',
    'delete_directory',
    'delete_article',
    'delete_queue_view',
    'delete_collection',
    'delete_saved_reply',
    'forget_opening',
    'undo_directory',
    'remove_owner',
  ],
  // These have tests of their own, below and in tests/partners/corrections.
  ...['revoke_key', 'edit_article', 'withdraw_grant', 'decide_proposal'],
  // They answer what they changed.
  ...['confirm_tags', 'split_tag'],
]

test('every write of the operator API is on one of the two lists', () => {
  const writes = operatorOperations.filter(({ method }) => method !== 'GET').map(({ name }) => name)
  expect([...Object.keys(IDEMPOTENT), ...NOT_REPEATABLE].sort()).toEqual([...writes].sort())
})

describe('a request that is sent a second time', () => {
  test.each(Object.keys(IDEMPOTENT))('%s is in the audit log once', async (name) => {
    const send = IDEMPOTENT[name]!
    let first!: Reply
    const rows = await audited(service, async () => (first = await send()))
    expect([name, first.status, first.text.slice(0, 200)]).toEqual([name, 200, expect.any(String)])
    expect(rows.length).toBeGreaterThanOrEqual(1)
    let second!: Reply
    expect(await audited(service, async () => (second = await send()))).toEqual([])
    expect(second.status).toBe(200)
    // The second answer shows the same row, with the time of the first change. An import counts what it has changed itself.
    const { data } = first.body
    expect(second.body.data).toEqual(name.startsWith('import_') ? { ...data, created: 0, replaced: 0 } : data)
  })

  test('revoking a key, by the operator or by its owner, is in the audit log once', async () => {
    const { id } = await service.newKey()
    const revoke = () => service.admin('DELETE', `/keys/${id}`)
    let first!: Reply
    expect(await audited(service, async () => (first = await revoke()))).toHaveLength(1)
    let second!: Reply
    expect(await audited(service, async () => (second = await revoke()))).toEqual([])
    expect([second.status, second.body]).toEqual([200, first.body])

    const browser = await signedUp(service)
    const made = await browser.submit('/dashboard', '/dashboard/keys', { name: 'Mine', agree: 'true' })
    expect(made.status).toBe(201)
    const [, own] = /\/dashboard\/keys\/([^/"]+)\/revoke/.exec((await browser.open('/dashboard')).text)!
    const page = `/dashboard/keys/${own}/revoke`
    const rows = await audited(service, async () => {
      expect((await browser.submit(page, page)).status).toBe(303)
      expect((await browser.submit(page, page).catch(() => ({ status: 303 }))).status).toBe(303)
    })
    expect(rows.map(({ action, subject }) => [action, subject])).toEqual([['key.revoke', `key:${own}`]])
  })

  test('withdrawing a grant is in the audit log once', async () => {
    const { browser } = await signedIn(service)
    const [{ id }] = await grantsOf(service, browser.email)
    const withdraw = () => service.admin('DELETE', `/grants/${id}`)
    let first!: Reply
    const rows = await audited(service, async () => (first = await withdraw()))
    expect(rows.map(({ action, subject }) => [action, subject])).toEqual([['grant.end', `grant:${id}`]])
    let second!: Reply
    expect(await audited(service, async () => (second = await withdraw()))).toEqual([])
    expect([second.status, second.body]).toEqual([200, first.body])
  })

  test('saving an article with the same text changes nothing', async () => {
    const text = { title: 'Kept', body: 'As it is.' }
    const { id } = (await service.admin('POST', '/knowledge', text)).body.data
    expect(await audited(service, () => service.admin('PUT', `/knowledge/${id}`, text))).toEqual([])
  })

  test('a submission is in the audit log once', async () => {
    const body = newSubmission()
    const send = () => service.rest('/submit-ai-tool', { method: 'POST', key: partner.key, body })
    expect(await audited(service, send)).toHaveLength(1)
    expect(await audited(service, send)).toEqual([])
  })

  test('setting the plan that a user already has is a change when one of the keys has another plan', async () => {
    await service.newKey('standard', 'mixed@example.com')
    await service.newKey('premium', 'mixed@example.com')
    const [mixed] = (await service.admin('GET', '/users?q=mixed@example.com')).body.data
    const set = () => service.admin('PATCH', `/users/${mixed.id}`, { plan: 'standard' })
    expect(await audited(service, set)).toHaveLength(1)
    expect(await audited(service, set)).toEqual([])
  })
})
