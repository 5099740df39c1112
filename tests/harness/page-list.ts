// All pages that people see, in a service that has something to show on each. A test compares the list with the server's own routes.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { type Browser, signedUp, signedUpAdmin, userNamed } from './browser.ts'
import { FIXTURE, FULL_DIRECTORY, FULL_TOOL } from './fixture.ts'
import { storeOwner, storeWaiting } from './founders.ts'
import { authorizePath, grantsOf, newProof, signedIn } from './oauth.ts'
import { filledPath, type PathValues, servedRoutes } from './routes.ts'
import type { TestService } from './service.ts'
import { submitted } from './submissions.ts'
import { asked, putArticles } from './support.ts'

export interface PopulatedService {
  pages: Record<PageReader, string[]>
  /** A user who has just signed up and has nothing yet. */
  newUser: Browser
  /** A user with keys and calls who works for a partner. */
  partnerUser: Browser
  administrator: Browser
  /** One row of every kind, for paths with parameters. */
  known: PathValues
}

type PageReader = 'visitor' | 'newUser' | 'partnerUser' | 'administrator'

/** Loads a catalog that has one of everything, with pictures that the service stores. */
export async function populateCatalog(service: TestService): Promise<void> {
  const picture = await ownPicture(service, 1200, 675)
  const square = await ownPicture(service, 128, 128)
  const pictured = { icon: square, frame: picture }
  await service.load(FIXTURE)
  await service.load([
    {
      kind: 'tool',
      slug: 'full-house',
      name: 'Full House',
      ...FULL_TOOL,
      ...pictured,
      screenshots: [picture, picture],
    },
    { kind: 'directory', slug: 'launch-list', name: 'Launch List', ...FULL_DIRECTORY, ...pictured },
    { kind: 'tool', slug: 'long-haul', ...LONG },
  ])
}

/** Loads a catalog and creates users; `pages` lists the pages that each can open. */
export async function populateService(service: TestService): Promise<PopulatedService> {
  await populateCatalog(service)
  const text = '## Heading\n\nWords with **weight**, a [link](https://example.com) and\n\n- a list'
  await service.admin('PUT', '/site', { texts: { about: text, contact: text, privacy: text, terms: text } })
  await service.admin('PUT', '/collections/first-steps', {
    name: 'First steps',
    text,
    tools: ['full-house', 'long-haul', 'no-such-tool'],
    directories: ['launch-list'],
  })
  const newUser = await signedUp(service)
  const partnerUser = await signedUp(service)
  const { id: keyId, key } = await service.newKey('premium', partnerUser.email)
  await service.newKey('standard', partnerUser.email)
  const revoked = await service.newKey('standard', partnerUser.email)
  await service.admin('DELETE', `/keys/${revoked.id}`)
  await service.rest('/tags', { key })
  const partner = await service.newPartner({
    name: 'Launchpad',
    webhookUrl: 'https://launchpad.example.com/hook',
    support: 'human',
  })
  const { id } = await userNamed(service, partnerUser.email)
  await service.admin('PATCH', `/users/${id}`, { partner: partner.id })
  for (const paymentType of ['starter', 'pro', undefined]) await submitted(service, partner.key, { paymentType })
  const tool = await submitted(service, partner.key, { name: 'Finished', paymentType: 'starter' })
  await service.admin('PUT', `/submissions/${tool.id}/directories/peak`, {
    isSubmitted: true,
    listingUrl: 'https://peak.example.org/finished',
  })
  await service.admin('PUT', `/submissions/${tool.id}/directories/zero`, { isSubmitted: false })
  await service.admin('POST', `/submissions/${tool.id}/done`, { notes: 'All of them took it.' })
  const [forAll] = await putArticles(service, null, [
    { title: 'Opening hours', body: 'We are here from nine to five.' },
  ])
  const [article] = await putArticles(service, partner.id, [
    { title: 'Refunds', body: 'Within 14 days of the payment.' },
  ])
  const conversation = await asked(service, partner.key, {
    question: 'When is a refund paid?',
    customer: { name: 'Ida' },
  })
  await service.admin('POST', `/support/conversations/${conversation.id}/reply`, { content: 'Within 14 days.' })
  await asked(service, partner.key, 'And for yearly plans?')
  await service.sql(`insert into picture_work (kind, listing_id, host, hash, state, attempts, due_at, parts, updated_at)
    select 'tool', id, 'far.example', '', 'failed', 4, now(),
      '[{"part":"icon","outcome":"kept","note":"The address answered 404."}]', now() from tools where slug = 'full-house'`)
  const administrator = await signedUpAdmin(service)
  const app = await signedIn(service, { browser: partnerUser })
  await service.rest('/tags', { key: app.token })
  const [grant] = await grantsOf(service, partnerUser.email)
  await signedIn(service, { browser: partnerUser })
  await service.admin('DELETE', `/grants/${(await grantsOf(service, partnerUser.email))[0].id}`)
  const consent = authorizePath(service, app.clientId, newProof())
  const [submission] = (await service.admin('GET', '/submissions?state=IN_QUEUE')).body.data
  await service.admin('PUT', `/submissions/${submission.id}/plan/launch-list`, { decision: 'pinned' })
  const [delivery] = (await service.admin('GET', '/webhooks')).body.data
  await storeWaiting(service, id, 'sent-product', LONG.name)
  await service.sql(
    `update founder_products set suspicions = '{"A listing of this host was taken down."}' where id = 'sent-product'`,
  )
  await storeOwner(service, id, 'full-house')
  await service.sql(`insert into proposals (id, tool_id, author_kind, author_id, field, old_value, new_value, state, reason, created_at)
    select 'applied-change', id, 'owner', '${id}', 'tagline', '"Before"', '"After"', 'applied', '', now() from tools where slug = 'full-house'`)
  await service.sql(`insert into tool_days (tool_id, day, appearances, views, opens)
    select id, current_date - n, 40 + n, 9 + n % 7, n % 4 from tools, generate_series(0, 59) n where slug = 'full-house'`)
  await service.sql(`insert into founder_products (id, user_id, website, website_key, state, step, fields, sources, note, created_at, updated_at)
    values ('draft-product', '${id}', 'https://draft.example', 'draft.example', 'draft', 'page', '{"name":"Draft","category":"writing"}', '{"name":"site","category":"guess"}', '', now(), now()),
      ('read-product', '${id}', 'https://read.example', 'read.example', 'reading', 'page', '{}', '{}', '', now() + interval '1 day', now())`)
  await service.sql(`insert into visitor_reports (id, kind, listing_id, state, counts, messages, answer, first_at, last_at, version)
    select 'reported', 'tool', id, 'open', '{"wrong":2}', jsonb_build_array(jsonb_build_object('reason', 'wrong', 'note', left(description, 500), 'email', null, 'at', now())),
      '', now(), now(), 1 from tools where slug = 'long-haul'`)
  await service.sql(`insert into listing_health (listing_id, kind, website, host, next_at, state, since, checked_at, status, final_url)
    select id, 'tool', website, 'long-haul.example.com', now() + interval '1 day', 'moved', now(), now(), 200, website || 'moved' from tools where slug = 'long-haul'
    union all select id, 'tool', website, 'ended.example.com', now() + interval '1 day', 'gone', now(), now(), 404, website from tools where slug = 'bare-bones'`)
  const known: PathValues = {
    'visitor-reports': 'reported',
    reviews: 'sent-product',
    owners: 'owner-full-house',
    orders: 'none',
    keys: keyId,
    grants: grant.id,
    apps: grant.id,
    users: id,
    partners: partner.id,
    submissions: submission.id,
    support: conversation.id,
    webhooks: delivery.id,
    enrichments: tool.id,
    knowledge: article.id,
    '/admin/knowledge': forAll.id,
    taxonomy: 'categories',
    categories: 'writing',
    tags: 'api',
    'directory-categories': 'saas',
    tools: 'full-house',
    products: 'full-house',
    directories: 'launch-list',
    plan: 'launch-list',
    bench: 'launch-list',
    kit: 'launch-list',
    views: 'mine',
    collections: 'first-steps',
    operations: 'list_keys',
    'saved-replies': 'hello',
  }
  const link = (await service.admin('POST', `/users/${id}/link`)).body.data.url as string
  const report = (await service.admin('GET', `/submissions/${tool.id}`)).body.data.reportUrl as string
  return {
    newUser,
    partnerUser,
    administrator,
    known,
    pages: {
      visitor: [
        ...['/', '/tools', '/tools?page=2', '/tools?q=wombat', '/tools?q=wombat&pricing=PAID&category=writing'],
        ...['/search', '/search?q=wombat', '/search?q=nosuchthing', '/tools?q=which+wombat+can+write'],
        ...['/tools?q=nosuchthing', '/tools?adult=true', '/tools/full-house', '/tools/bare-bones', '/tools/long-haul'],
        '/tools/full-house/alternatives',
        ...[
          '/tools/red-room',
          '/tools/red-room?adult=true',
          '/categories',
          '/categories/writing',
          '/categories/editors',
        ],
        ...['/tags', '/tags/api', '/directories', '/directories?q=kiwi&rating=30', '/directories?q=nosuchthing'],
        ...[
          '/directories/launch-list',
          '/directories/bare-directory',
          '/tools/long-haul/report',
          '/directories/launch-list/report',
          '/developers',
          '/developers/webhooks',
          '/docs',
          '/docs/search_tools',
          '/docs/submit_ai_tool',
          '/docs/errors',
          '/policy',
          '/submit',
          '/submit/help',
          '/pricing',
          '/about',
          '/contact',
          '/privacy',
          '/terms',
        ],
        ...[
          '/plan',
          '/plan?category=writing&count=10&done=launch-list',
          '/plan?rating=90&type=NoFollow&badge=required',
        ],
        ...[
          '/compare',
          '/collections',
          '/collections/first-steps',
          '/shortlist',
          '/shortlist?tools=full-house,long-haul&directories=launch-list',
          '/compare?tools=full-house,long-haul,bare-bones',
          '/tools?q=wombat&sort=opens',
          '/search?q=wombat&in=tools',
        ],
        report.slice(service.origin.length),
        ...['/sign-in', '/sign-up', '/link?token=spent', link.slice(service.origin.length), '/no-such-page'],
      ],
      newUser: [
        ...['/dashboard', '/dashboard/usage', '/dashboard/apps', '/dashboard/account', '/dashboard/account/delete'],
        ...['/dashboard/saved', '/dashboard/orders', '/dashboard/orders/new', consent],
      ],
      partnerUser: [
        ...[
          '/dashboard',
          `/dashboard/keys/${keyId}/revoke`,
          `/dashboard/keys/${keyId}/rotate`,
          '/dashboard/usage',
          `/dashboard/usage?key=${keyId}`,
        ],
        ...['/dashboard/account', '/dashboard/saved?tools=full-house&plan=kind%3Dmobile'],
        ...['/dashboard/partner', '/dashboard/partner/submissions/finished'],
        ...['/dashboard/partner/webhooks', '/dashboard/partner/secret', '/dashboard/partner/support'],
        ...['/dashboard/partner/webhooks/settings', `/dashboard/partner/webhooks/${delivery.id}`],
        ...[`/dashboard/partner/support/${conversation.id}`, '/dashboard/apps'],
        ...[`/dashboard/apps/${grant.id}/withdraw`, consent],
        ...['/dashboard/products', '/submit/new', '/submit/new?website=new.example.com', '/submit/sent-product'],
        ...['/submit/draft-product', '/submit/read-product', '/tools/full-house/claim', '/tools/bare-bones/claim'],
        ...['/dashboard/products/full-house', '/dashboard/products/full-house/edit'],
      ],
      administrator: ['/dashboard', ...(await consolePages(known))],
    },
  }
}

/** The console's pages come from the server's own routes, so that a new page is included. */
async function consolePages(known: PathValues): Promise<string[]> {
  const served = (await servedRoutes()).filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/admin') && !path.endsWith('/records'),
  )
  return [
    ...served.map(({ path }) => filledPath(path, known)).filter((path) => !NO_PAGES.has(path)),
    ...['/admin/search?q=which+wombat+can+write&listing=long-haul', '/admin/search?q=wombat&listing=nosuchthing'],
    ...['/admin/pictures?state=failed', '/admin/pictures?state=done'],
    ...[
      '/admin/submissions?view=table',
      '/admin/find?q=a',
      '/admin/support?status=all',
      '/admin/support?q=nosuchthing',
    ],
    ...['/admin/submissions?test=true', '/admin/support?status=all&test=true', '/admin/webhooks?test=true'],
  ]
}

/** Downloads, which are no pages. */
const NO_PAGES = new Set([
  '/admin/import/export',
  '/admin/import/export-table',
  '/admin/unfound/export',
  '/admin/site/share.png',
])

/** A listing whose words are hard to break and whose texts are as long as allowed. */
const LONG = {
  name: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft '.repeat(2).trim(),
  tagline: `${'pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(4)} and more`,
  description: `${'W'.repeat(2000)}\n\n${'A longer text that goes on and on. '.repeat(100)}`,
  website: `https://long-haul.example.com/${'path'.repeat(100)}`,
  category: 'writing',
  tags: ['api', 'open-source', 'wombat', 'francais'],
  founderName: 'Wolfeschlegelsteinhausenbergerdorff'.repeat(5),
  location: 'Taumatawhakatangihangakoauauotamateaturipukakapikimaungahoronukupokaiwhenuakitanatahu'.repeat(2),
  discountCode: 'SAVE'.repeat(25),
  socials: { ['network'.repeat(20)]: `https://${'long.'.repeat(40)}example.com/` },
  features: { ['Feature'.repeat(30)]: 'explained'.repeat(100) },
  faqs: [{ question: 'Why'.repeat(100), answer: 'Because'.repeat(100) }],
}

let serial = 0

/** Stores a picture as if the service had mirrored it, and returns its URL. */
async function ownPicture(service: TestService, width: number, height: number): Promise<string> {
  const name = `${String(++serial).padStart(40, '0')}.png`
  const bytes = await sharp({ create: { width, height, channels: 3, background: '#2a9d8f' } })
    .png()
    .toBuffer()
  mkdirSync(join(service.dataDir, 'media'), { recursive: true })
  writeFileSync(join(service.dataDir, 'media', name), bytes)
  return `${service.origin}/media/${name}`
}
