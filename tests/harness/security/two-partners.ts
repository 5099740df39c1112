// A partner and its user with a row in every table, and a second partner and user who must see nothing of it.
import { type Browser, signedUp, signedUpAdmin, userNamed } from '../browser.ts'
import { outcomesOf } from '../done-work.ts'
import { registered, type SignedIn, signedIn } from '../oauth.ts'
import { until } from '../process.ts'
import type { Receiver } from '../receiver.ts'
import type { TestService } from '../service.ts'
import { newTool, queue, RANKED_DIRECTORIES, SUBMISSION_CATALOG, submit } from '../submissions.ts'
import { asked, dataOf, putArticles, reply } from '../support.ts'
import { type Canary, type OwnedRows, plantCanaries } from './canaries.ts'

interface PartnerUser {
  partnerId: string
  partnerKey: string
  catalogKey: string
  keyId: string
  userId: string
  browser: Browser
  /** A program that the user has signed in to. */
  app: SignedIn
  grantId: string
}

export interface TwoPartners {
  one: PartnerUser
  two: PartnerUser
  administrator: Browser
  canaries: Canary[]
  /** Keys and signing secrets in full, which are stored only as hashes or shown once. */
  shownOnce: string[]
  tool: { id: string; slug: string; website: string }
  submissionId: string
  conversationId: string
  deliveryId: string
  articleId: string
}

export async function createTwoPartners(service: TestService, receiver: Receiver): Promise<TwoPartners> {
  await service.load(SUBMISSION_CATALOG)
  for (const { slug, ...rest } of RANKED_DIRECTORIES)
    await service.admin('PUT', `/directories/${slug}`, {
      ...rest,
      submissionLink: `https://zqlink.example.org/${slug}`,
      searchLink: `https://zqsearch.example.org/${slug}?q={name}`,
      automationQuote: 'zqautomationquote',
    })
  await createHiddenListings(service)
  const one = await newPartnerUser(service, receiver, 'zqone')
  const two = await newPartnerUser(service, receiver, 'other')
  const { tool, submissionId } = await work(service, one)
  const articles = await putArticles(service, one.partnerId, [
    { title: 'zqtitle', body: 'The zqbody product is purple and sold in dozens.' },
  ])
  const conversationId = await askTwoQuestions(service, one)
  const [delivery] = await outcomesOf(service, { id: one.partnerId }, 3)
  // The second partner has the same listing, and its own questions.
  await submit(service, two.partnerKey, newTool({ website: tool.website, paymentType: 'starter' }))
  await asked(service, two.partnerKey, { question: 'Mine?', externalId: 'mine' })
  dataOf(await service.admin('POST', `/users/${one.userId}/link`))
  await writeDirectly(service, one, tool.id)
  const owned = ownedBy(one, tool.id, submissionId)
  const secrets = await service.sql(`select webhook_secret as text from partners`)
  const { key: revoked, id } = await service.newKey('standard', 'zqone@example.com')
  await service.admin('DELETE', `/keys/${id}`)
  await service.sql(
    `update keys set last4 = 'zqkeyslast4', policy_version = 'zqpolicy', name = 'zqkeysname' where ${owned.keys}`,
  )
  const administrator = await signedUpAdmin(service)
  return {
    ...{ one, two, tool, submissionId, conversationId, administrator },
    canaries: await plantCanaries(service, owned),
    deliveryId: delivery!.id,
    articleId: articles[0].id,
    shownOnce: [
      one.partnerKey,
      one.catalogKey,
      two.partnerKey,
      two.catalogKey,
      revoked,
      ...[one, two].flatMap(({ app }) => [app.token, app.refreshToken, app.code]),
      ...secrets.map(({ text }) => text),
    ],
  }
}

/** Creates listings that are not published: no search may find a word of them. */
async function createHiddenListings(service: TestService): Promise<void> {
  const texts = {
    name: 'zqhidden',
    website: 'https://zqhidden.example.com',
    published: false,
    icon: 'https://zqhidden.example.com/i.png',
  }
  await service.admin('PUT', '/tools/zqhidden', {
    ...texts,
    tagline: 'zqhidden',
    description: 'zqhidden',
    category: 'writing',
    tags: ['api'],
  })
  await service.admin('PUT', '/directories/zqhidden', {
    ...texts,
    smallDescription: 'zqhidden',
    fullDescription: 'zqhidden',
  })
}

async function newPartnerUser(service: TestService, receiver: Receiver, mark: string): Promise<PartnerUser> {
  const partner = await service.newPartner({
    name: `${mark}partner`,
    contactEmail: `${mark}contact@example.com`,
    webhookUrl: `${receiver.origin}/${mark}hook`,
    support: 'hybrid',
  })
  const browser = await signedUp(service, `${mark}@example.com`)
  const { id: userId } = await userNamed(service, `${mark}@example.com`)
  await service.admin('PATCH', `/users/${userId}`, { partner: partner.id })
  const { id: keyId, key } = await service.newKey('premium', `${mark}@example.com`)
  await service.rest('/tags', { key })
  const redirectUri = `https://${mark}agent.example.com/${mark}callback`
  const clientId = await registered(service, {
    client_name: `${mark}agent`,
    client_uri: `https://${mark}agent.example.com/`,
    redirect_uris: [redirectUri],
  })
  const app = await signedIn(service, { browser, clientId, redirectUri })
  const [grant] = await service.sql(`select id from oauth_grants where user_id = '${userId}'`)
  return {
    ...{ partnerId: partner.id, partnerKey: partner.key, catalogKey: key, keyId, userId, browser, app },
    grantId: grant.id,
  }
}

async function work(service: TestService, { partnerId, partnerKey }: PartnerUser) {
  const body = newTool({
    name: 'Canary Tool',
    tags: ['api', 'fresh'],
    paymentType: 'pro',
    founderEmail: 'zqfounder@private.example.com',
    affiliate: 'zqaffiliate text',
    foundingDate: 'zqfounding spring',
    isCustomer: true,
    isLaunched: true,
  })
  const headers = { 'idempotency-key': 'zqidempotency' }
  const tool = dataOf(await submit(service, partnerKey, body, { headers }), 201)
  const [submission] = await queue(service, { client: partnerId })
  const path = `/submissions/${submission.id}`
  await service.admin('PATCH', path, { assignee: 'zqassignee@example.com', notes: 'zqnotes' })
  await service.admin('PUT', `${path}/directories/peak`, {
    isSubmitted: true,
    listingUrl: 'https://peak.example.org/zqlisting',
    proofUrl: 'https://peak.example.org/zqproof.png',
  })
  await service.admin('PUT', `${path}/plan/unrated`, { decision: 'skipped', reason: 'zqreason' })
  await service.admin('POST', `${path}/done`, {})
  return { tool, submissionId: submission.id as string }
}

/** Asks one question that the AI answers and one that an administrator answers. */
async function askTwoQuestions(service: TestService, { partnerKey }: PartnerUser): Promise<string> {
  const { id, replySource } = await asked(service, partnerKey, {
    question: 'Is the zqbody product purple and sold in dozens?',
    externalId: 'zqthread',
    customer: { name: 'zqcustomer', email: 'zqcustomer@example.com', id: 'zqcustomerid' },
    metadata: { plan: 'zqmetadata', peerPushMessageId: 'zqpeer' },
  })
  if (replySource !== 'ai') throw new Error('the AI did not answer')
  await asked(service, partnerKey, { question: 'zqsecond', conversationId: id })
  dataOf(await reply(service, id, 'zqreply'))
  return id
}

/** Writes directly into the database what no request can write, or not at once. */
async function writeDirectly(
  service: TestService,
  { partnerId, keyId, grantId }: PartnerUser,
  toolId: string,
): Promise<void> {
  await until(
    async () =>
      (await service.sql(`select 1 from enrichments where tool_id = '${toolId}' and attempts > 0`)).length > 0,
  )
  const parts = '[{"part":"icon","outcome":"missing","note":"zqpart"}]'
  const passages = '[{"articleId":"zqpassageid","title":"Shown to the partner","text":"zqpassagetext"}]'
  for (const statement of [
    `update enrichments set parts = '${parts}', finished_at = now() where tool_id = '${toolId}'`,
    `update support_messages set passages = '${passages}', author = 'zqauthor' where partner_id = '${partnerId}'`,
    `update idempotent_answers set answer = replace(answer, 'Canary Tool', 'zqanswer') where partner_id = '${partnerId}'`,
    `update users set name = 'zqname' where email = 'zqone@example.com'`,
    `insert into billing_customers (id, user_id, checkout_id, checkout_at, compared_at, next_at, leased_until, deleted_at, closed_at, created_at)
     select 'zqpayer', id, 'zqcheckout', '2031-11-01T03:04:05Z', '2031-11-02T03:04:05Z', '2031-11-03T03:04:05Z', '2031-11-04T03:04:05Z',
       '2031-11-05T03:04:05Z', '2031-11-06T03:04:05Z', '2031-11-07T03:04:05Z' from users where email = 'zqone@example.com'`,
    `insert into billing_subscriptions (id, customer_id, status, price_id, ends_at, ended_at, ended_by_failure, first_paid_at, paid_until, refunded, premium_until, created_at, updated_at)
     values ('zqsubscription', 'zqpayer', 'canceled', 'zqprice', '2031-11-08T03:04:05Z', '2031-11-09T03:04:05Z', false, '2031-11-10T03:04:05Z',
       '2031-11-11T03:04:05Z', false, '2031-11-12T03:04:05Z', '2031-11-13T03:04:05Z', '2031-11-14T03:04:05Z')`,
    `insert into billing_events (id, received_at) values ('zqbillingevent', '2031-11-15T03:04:05Z')`,
    `update key_settings set id = 'zqkeysetting'`,
    `update jobs.job set data = data || '{"canary":"zqjob"}'`,
    `insert into audit (id, at, actor, action, subject, details) overriding system value
     values (71399999, now(), 'zqactor', 'zqaction', 'zqsubject', '{"canary":"zqdetails"}')`,
    `insert into changes (topic, ids) values ('zqtopic', array['zqchangedid'])`,
    `insert into visits (day, tool_id, visitor) values ('2031-12-31', '${toolId}', 'zqvisitor')`,
    `insert into key_usage (key_id, day, surface, calls, last_used_at) values ('${keyId}', '2031-12-30', 'mcp', 1, now())`,
    `insert into key_outcomes (key_id, day, surface, operation, status, calls) values ('${keyId}', '2031-12-23', 'mcp', 'search_tools', 200, 1)`,
    `insert into key_calls (key_id, at, surface, operation, status, ms, request_id)
     values ('${keyId}', '2031-12-22T03:04:05Z', 'mcp', 'search_tools', 200, 1, 'zqrequestid')`,
    `insert into mails (id, kind, user_id, details, state, created_at)
     select 'zqmailid', 'reset', user_id, '{"canary":"zqmaildetails"}', 'sent', now() from oauth_grants where id = '${grantId}'`,
    `update oauth_grants set policy_version = 'zqgrantpolicy' where id = '${grantId}'`,
    `insert into oauth_usage (grant_id, day, surface, calls, last_used_at) values ('${grantId}', '2031-12-28', 'mcp', 1, now())`,
    `insert into oauth_clients (id, kind, name, redirect_uris, created_at, updated_at)
     values ('zqendedclient', 'registered', 'zqended', array['https://zqended.example.com/'], now(), now())`,
    `insert into oauth_grants (id, user_id, client_id, policy_version, policy_agreed_at, created_at, ended_at, ended_by)
     select 'zqendedgrant', user_id, 'zqendedclient', 'zqgrantpolicy', now(), now(), '2031-12-27T03:04:05Z', 'user'
     from oauth_grants where id = '${grantId}'`,
    `insert into sandbox_submissions (id, partner_id, tool_id, name, slug, website, website_key, pricing, category, tags, notes, rows, parts, next_step_at, created_at, updated_at)
     values ('zqtestid', '${partnerId}', 'zqtesttool', 'zqtestname', 'zqtestslug', 'https://zqtest.example.com', 'zqtestkey.example.com', 'FREE',
       '{"slug":"zqtestcategory","name":"zqtestcategory"}', '[{"slug":"zqtesttag","name":"zqtesttag"}]', 'zqtestnotes',
       '[{"name":"zqtestrow","slug":"zqtestrow"}]', 0, '2031-12-26T03:04:05Z', '2031-12-25T03:04:06Z', '2031-12-25T03:04:07Z')`,
    `update support_conversations set sample_reply_at = '2031-12-24T03:04:08Z' where partner_id = '${partnerId}'`,
    `insert into link_checks (id, submission_id, directory_id, listing_url, state, checked_at)
     select 'zqcheck', submission_id, directory_id, 'https://peak.example.org/zqchecked', 'live', now() from submission_rows
     where listing_url like '%zqlisting'`,
    `insert into listing_health (listing_id, kind, website, host, next_at, claim)
     values ('${toolId}', 'tool', 'https://zqlooked.example', 'zqlookedhost', now(), 'zqlookclaim')`,
    `insert into visitor_reports (id, kind, listing_id, state, counts, messages, answer, answered_by, answered_at, first_at, last_at, version)
     values ('zqreport', 'tool', '${toolId}', 'answered', '{"wrong":1}', '[{"reason":"wrong","note":"zqreportnote","email":"zqreporter@example.com","at":"2031-07-01T03:04:05Z"}]',
       'zqreportanswer', 'zqreportadmin@example.com', '2031-07-02T03:04:05Z', '2031-07-03T03:04:05Z', '2031-07-04T03:04:05Z', 1)`,
    `insert into directory_searches (submission_id, directory_id, state, listing_url, asked_at)
     select submission_id, directory_id, 'absent', 'https://peak.example.org/zqsearched', '2031-04-01T03:04:05Z' from submission_rows
     where listing_url like '%zqlisting'`,
    `insert into link_hosts (host, next_at) values ('zqhost', now())`,
    `insert into robots_files (origin, rules, fetched_at) values ('https://zqorigin.example', 'zqrules', now())`,
    `insert into queue_views (owner, name, query, created_at) values ('zqowner@example.com', 'zqviewname', 'q=zqviewquery', now())`,
    `insert into support_saved_replies (title, body, updated_at) values ('zqsavedtitle', 'zqsavedbody', now())`,
    `insert into support_desks (conversation_id, assignee, internal_notes, updated_at)
     select id, 'zqdeskassignee@example.com', 'zqdesknotes', now() from support_conversations where partner_id = '${partnerId}'`,
    `insert into tool_embeddings (listing_id) values ('${toolId}')`,
    `insert into picture_work (kind, listing_id, host, hash, state, attempts, due_at, leased_until, parts, updated_at)
     values ('tool', '${toolId}', 'zqpicturehost', 'zqpicturehash', 'failed', 71399811, '2031-11-21', '2031-11-22',
       '[{"part":"zqpart","outcome":"kept","note":"zqpicturenote"}]', '2031-11-23')`,
    `insert into picture_copies (key, name, address, made_at) values ('zqcopykey', 'zqcopyname', 'https://zqcopyaddress.example', '2031-11-24')`,
    'insert into directory_embeddings (listing_id) select id from directories where submission_link is not null',
    `update support_messages set not_answered = 'zqnotanswered' where partner_id = '${partnerId}' and role = 'customer'`,
    `insert into model_calls (purpose, model, failure, milliseconds, created_at) values ('support', 'zqmodel', 'zqfailure', 1, now())`,
    `update tools set search_words = 'zqsearchwords' where id = '${toolId}'`,
    `insert into unfound_questions (words, searched, nothing, partial, last_day)
     values ('zqunfound', 'tools', 71399801, 71399802, '2031-12-29')`,
    `update listing_links set drift = '[{"field":"tagline","found":"zqdrift"}]', own_words = 'zqownwords' where submission_id in
     (select submission_id from submission_rows where listing_url like '%zqlisting')`,
    `insert into proposals (id, tool_id, author_kind, author_id, field, old_value, new_value, quote, state, reason, decided_by, decided_at, created_at)
     values ('zqproposal', '${toolId}', 'partner', '${partnerId}', 'tagline', '"zqoldvalue"', '"zqnewvalue"', 'zqproposalquote', 'refused', 'zqproposalreason',
       'zqdecider@example.com', '2031-12-18T03:04:05Z', '2031-12-19T03:04:05Z')`,
    `insert into withdrawals (partner_id, test, tool_id, slug, website_key, created_at)
     values ('${partnerId}', false, '${toolId}', 'zqwithdrawn', 'zqwithdrawn.example', '2031-12-17T03:04:05Z')`,
    `insert into catalog_marks (kind, slug, version, gone, position, at)
     values ('tool', 'zqmarkslug', 1, true, 1, '2031-12-20T03:04:05Z')`,
    `insert into saved_items (user_id, kind, value, query, created_at)
     select id, 'plans', 'what=zqsavedvalue', 'zqsavedname', '2031-08-20T03:04:05Z' from users where email = 'zqone@example.com'`,
    `insert into search_opening_callers (pair, caller, month) values ('zqpair', 'zqopeningcaller', '2031-11-26')`,
    `insert into search_openings (words, listing_id, weight, last_day)
     values ('zqopening', '${toolId}', 7139980300, '2031-11-27')`,
    `insert into founder_products (id, user_id, website, website_key, state, step, fields, sources, note, suspicions, reason, times_sent, tool_id, created_at, updated_at, sent_at, decided_at, first_sent_at)
     select 'zqproduct', id, 'https://zqproductsite.example', 'zqproductkey', 'refused', 'page', '{"name":"zqproductname"}', '{"name":"site","zqfieldsrc":"guess"}', 'zqproductnote',
       array['zqsuspicion'], 'zqproductreason', 2, '${toolId}', '2031-08-01T03:04:05Z', '2031-08-02T03:04:05Z', '2031-08-03T03:04:05Z', '2031-08-04T03:04:05Z', '2031-08-10T03:04:05Z'
     from users where email = 'zqone@example.com'`,
    `insert into claims (id, user_id, tool_id, token, website, method, proven_at, checked_at, failed_at, next_at, created_at, unasked_at)
     select 'zqclaimid', id, '${toolId}', 'zqclaimtoken', (select 'https://zqclaimsite.' || substring(website from '//([^/:]+)') from tools where id = '${toolId}'), 'dns', '2031-08-05T03:04:05Z', '2031-08-06T03:04:05Z', '2031-08-07T03:04:05Z', '2031-08-08T03:04:05Z', '2031-08-09T03:04:05Z', '2031-08-13T03:04:05Z'
     from users where email = 'zqone@example.com'`,
    `insert into refused_websites (website_key, reason, refused_at)
     values ('zqrefused.example', 'zqrefusedreason', '2031-08-25T03:04:05Z')`,
    `insert into orders (id, user_id, customer_id, tool_id, payment_type, price_id, state, checkout_id, checkout_at, payment_id, amount, currency, refunded_amount, created_at, updated_at, paid_at)
     select 'zqorderid', id, 'zqpayer', '${toolId}', 'pro', 'zqorderprice', 'refunded', 'zqordercheckout', '2031-05-01T03:04:05Z', 'zqpaymentid', 71399821, 'usd', 71399822,
       '2031-05-02T03:04:05Z', '2031-05-03T03:04:05Z', '2031-05-04T03:04:05Z'
     from users where email = 'zqone@example.com'`,
    `insert into tool_days (tool_id, day, appearances, views, opens)
     values ('${toolId}', '2031-08-12', 71399804, 71399805, 71399806)`,
    `insert into verifications (id, identifier, value, expires_at, created_at, updated_at)
     values ('zqverification', 'zqidentifier', 'zqvalue', now() + interval '1 hour', now(), now())`,
  ])
    await service.sql(statement)
}

const ownedBy = (
  { partnerId, userId, keyId, grantId }: PartnerUser,
  toolId: string,
  submissionId: string,
): OwnedRows => {
  const partner = `partner_id = '${partnerId}'`
  const user = `user_id = '${userId}'`
  const submission = `submission_id = '${submissionId}'`
  return {
    audit: `actor = 'zqactor'`,
    billing_customers: `id = 'zqpayer'`,
    billing_events: `id = 'zqbillingevent'`,
    billing_subscriptions: `id = 'zqsubscription'`,
    changes: `topic = 'zqtopic'`,
    claims: `id = 'zqclaimid'`,
    credentials: user,
    directories: 'submission_link is not null',
    directory_embeddings: 'true',
    directory_searches: submission,
    enrichments: `tool_id = '${toolId}'`,
    founder_products: `id = 'zqproduct'`,
    idempotent_answers: partner,
    key_calls: `key_id = '${keyId}' and surface = 'mcp'`,
    key_outcomes: `key_id = '${keyId}' and surface = 'mcp'`,
    key_settings: 'true',
    key_usage: `key_id = '${keyId}' and surface = 'mcp'`,
    keys: `${user} or ${partner}`,
    link_checks: `id = 'zqcheck'`,
    link_hosts: `host = 'zqhost'`,
    listing_health: `listing_id = '${toolId}'`,
    listing_links: submission,
    mails: `id like 'zq%'`,
    oauth_clients: `name like 'zq%'`,
    oauth_codes: `grant_id = '${grantId}'`,
    oauth_grants: user,
    oauth_tokens: `grant_id = '${grantId}'`,
    oauth_usage: `grant_id = '${grantId}'`,
    orders: `id = 'zqorderid'`,
    partners: `id = '${partnerId}'`,
    queue_views: `name = 'zqviewname'`,
    sandbox_submissions: partner,
    refused_websites: `website_key = 'zqrefused.example'`,
    robots_files: 'true',
    picture_copies: `key = 'zqcopykey'`,
    picture_work: `host = 'zqpicturehost'`,
    plan_decisions: submission,
    saved_items: user,
    search_opening_callers: `pair = 'zqpair'`,
    search_openings: `words = 'zqopening'`,
    sessions: user,
    sign_in_links: user,
    submission_details: submission,
    submission_rows: submission,
    submission_tags: submission,
    submissions: `id = '${submissionId}'`,
    support_articles: partner,
    support_conversations: partner,
    support_desks: `conversation_id in (select id from support_conversations where ${partner})`,
    support_messages: partner,
    support_saved_replies: `title = 'zqsavedtitle'`,
    tool_embeddings: 'true',
    tools: `id = '${toolId}'`,
    unfound_questions: `words = 'zqunfound'`,
    model_calls: `model = 'zqmodel'`,
    users: `id = '${userId}'`,
    verifications: `id = 'zqverification'`,
    tool_days: `day = '2031-08-12'`,
    visits: `visitor = 'zqvisitor'`,
    visitor_reports: `id = 'zqreport'`,
    webhook_deliveries: partner,
    catalog_feed: 'true',
    catalog_marks: 'true',
    proposals: `tool_id = '${toolId}'`,
    withdrawals: partner,
    partner_events: partner,
    event_feeds: partner,
  }
}
