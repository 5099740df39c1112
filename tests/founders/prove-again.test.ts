// What the pages of an owner say while the proof must be shown again: on another website, or until a date.
import { describe, expect, test } from 'vitest'
import { formIn, userNamed } from '../harness/browser.ts'
import { claimNet } from '../harness/claims.ts'
import { messageIn, newFounder, storeOwner } from '../harness/founders.ts'
import { startService } from '../harness/service.ts'
import { use } from '../harness/use.ts'

const net = use(claimNet)
const service = use(() => startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' }, { hostNames: net.hostNames }))

let serial = 0

/** A founder with a listing that was proven; `failedAt` and `nextAt` are SQL. */
async function newOwner(failedAt?: string, nextAt?: string) {
  const slug = `again-${++serial}`
  const host = `${slug}.example`
  await service.load([{ kind: 'tool', slug, name: slug, website: net.url(host), published: true }])
  const founder = await newFounder(service)
  const { id } = await userNamed(service, founder.email)
  await storeOwner(service, id, slug, failedAt, nextAt)
  return { founder, slug, host, claimPath: `/tools/${slug}/claim` }
}

const moved = (slug: string) =>
  service.sql(
    `update claims set website = 'https://before.example' where tool_id = (select id from tools where slug = '${slug}')`,
  )

const inDays = (days: number): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    Date.now() + days * 86_400_000,
  )

describe('the address of a listing that the founder proved', () => {
  const sentence = 'the listing is yours'

  test('says that it is theirs', async () => {
    const { founder, slug, host } = await newOwner()
    const page = await founder.open(`/submit/new?website=${encodeURIComponent(net.url(host))}`)
    expect(page.text).toContain(sentence)
    expect(page.text).toContain(`href="/dashboard/products/${slug}"`)
  })

  test('leads to the claim when the listing has another website now, or the proof was not found', async () => {
    const onOther = await newOwner()
    await moved(onOther.slug)
    const lost = await newOwner(`now() - interval '1 day'`, `now() + interval '6 days'`)
    for (const { founder, host, claimPath } of [onOther, lost]) {
      const page = await founder.open(`/submit/new?website=${encodeURIComponent(net.url(host))}`)
      expect(page.text).not.toContain(sentence)
      expect(page.text).toContain(`href="${claimPath}"`)
    }
  })
})

test('an owner whose proof was not found reads on every page until which day it counts', async () => {
  const { founder, slug, claimPath } = await newOwner(`now() - interval '5 days'`, `now() + interval '2 days'`)
  for (const path of [claimPath, '/dashboard', '/dashboard/products', `/dashboard/products/${slug}`]) {
    const words = messageIn(await founder.open(path))
    expect([path, words]).toEqual([path, expect.stringContaining(`by ${inDays(2)}`)])
    expect([path, words]).toEqual([path, expect.not.stringContaining('within a week')])
  }
})

test('an owner of a listing with another website is not told that the token was not found before it was looked for', async () => {
  const { founder, slug, claimPath } = await newOwner()
  await moved(slug)
  const words = messageIn(await founder.open(claimPath))
  expect(words).toContain('The listing has another website now')
  expect(words).not.toContain('was not found')
})

test('a place that could not be looked at is told in words from one without the token', async () => {
  const { founder, slug, host, claimPath } = await newOwner(`now() - interval '1 day'`, `now() + interval '6 days'`)
  net.pages.set(`${host}/`, { status: 503 })
  const form = formIn((await founder.open('/dashboard')).text, '/sign-out')!
  const words = messageIn(await founder.post(`${claimPath}/check`, form))
  expect([slug, words]).toEqual([slug, expect.stringContaining('Tag Could not look The site answered 503.')])
  expect(words).toContain('File Not found The site answered 404.')
})
