// A founder without a script: begins a product with its address, fills in the form and sends it.
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
export const messageIn = ({ text }: Reply): string => (text.split('<main')[1] ?? text).replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

export const idOf = (path: string): string => path.split('/').at(-1)!
