// A founder without a script: begins a product with its address, fills in the form and sends it.
import { adoptWebsites } from '../../src/features/health/worker.ts'
import { type Browser, signedUp } from './browser.ts'
import { until } from './process.ts'
import type { Reply, TestService } from './service.ts'

export type Founder = Browser & { email: string }

let serial = 0
export const newSite = (): string => `https://founded-${++serial}-${process.pid}.example.com`

/** What a founder types when the site says nothing. */
export const PRODUCT_FORM = {
  name: 'Tide Notes',
  tagline: 'Voice memos that come back as notes',
  description: 'Tide Notes turns spoken thoughts into notes.',
  category: 'writing',
  pricing: 'FREE',
  'tags+': 'API',
  founderName: 'Ada Example',
}

/** Begins a product and returns the path of its form. */
export async function begun(founder: Founder, website: string): Promise<string> {
  const reply = await founder.submit(`/submit/new?website=${encodeURIComponent(website)}`, '/submit/new')
  if (reply.status !== 303) throw new Error(`expected 303, got ${reply.status}: ${messageIn(reply)}`)
  return reply.headers.get('location')!
}

/** Waits until the site is read, and returns the page. */
export async function readSite(founder: Founder, path: string): Promise<Reply> {
  let page = await founder.open(path)
  await until(async () => {
    page = await founder.open(path)
    return page.headers.get('refresh') === null
  }, 20_000)
  return page
}

export const sendForm = (founder: Founder, path: string, fields: Record<string, string> = PRODUCT_FORM) =>
  founder.submit(`${path}?by=hand`, path, { ...fields, do: 'send' })

/** Begins a product, fills in the form by hand and sends it; returns its path. */
export async function sent(founder: Founder, website = newSite(), more: Record<string, string> = {}): Promise<string> {
  const path = await begun(founder, website)
  const reply = await sendForm(founder, path, { ...PRODUCT_FORM, ...more })
  if (reply.status !== 303) throw new Error(`expected 303, got ${reply.status}: ${messageIn(reply)}`)
  return path
}

export const newFounder = (service: TestService): Promise<Founder> => signedUp(service)

/** The words of a page. */
export const messageIn = ({ text }: Reply): string =>
  (text.split('<main')[1] ?? text).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

export const idOf = (path: string): string => path.split('/').at(-1)!

/** Stores a product that waits for review, as if this user had sent it; the id is part of its website. */
export const storeWaiting = (service: TestService, userId: string, id: string, name = 'Tide Notes') =>
  service.sql(`insert into founder_products (id, user_id, website, website_key, state, step, fields, sources, times_sent, created_at, updated_at, sent_at)
    values ('${id}', '${userId}', 'https://${id}.example', '${id}.example', 'waiting', 'page', '${JSON.stringify({ ...WAITING_FIELDS, name })}', '{}', 1, now(), now(), now())`)

const WAITING_FIELDS = {
  tagline: 'Notes',
  description: 'Notes.',
  category: 'writing',
  pricing: 'FREE',
  tags: [],
  founderName: 'Ada',
  features: {},
  faq: [],
}

/** Stores a claim that is proven. */
export const storeOwner = (
  service: TestService,
  userId: string,
  slug: string,
  failedAt = 'null',
  nextAt = `now() + interval '30 days'`,
) =>
  service.sql(`insert into claims (id, user_id, tool_id, token, method, proven_at, checked_at, failed_at, next_at, created_at)
    select 'owner-' || slug, '${userId}', id, 'token', 'dns', now(), now(), ${failedAt}, ${nextAt}, now() from tools where slug = '${slug}'`)

/** Makes the look at the website of a listing due. The service needs HEALTH_CHECKS=on. */
export async function lookSoon(service: TestService, slug: string): Promise<void> {
  await adoptWebsites(service.context(), () => false)
  await service.sql('delete from link_hosts')
  await service.sql(
    `update listing_health set next_at = now() - interval '1 second' where listing_id = (select id from tools where slug = '${slug}')`,
  )
  await service.wake()
}
