// A founder in a real browser, from the address of a product to the report about the ordered work, with the clicks and seconds of each step.
// Up to the claim the same works without a script. npm run test:operating runs it on PostgreSQL, too.
// @module-tag long
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { deliver } from '../harness/billing.ts'
import { type Browser, newAddress, PASSWORD, signedUpAdmin } from '../harness/browser.ts'
import { launchChromium, visitor } from '../harness/chromium.ts'
import { claimNet } from '../harness/claims.ts'
import { lookSoon } from '../harness/founders.ts'
import { button, type Hand, handOf, link } from '../harness/hand.ts'
import { ordersOf, sessionIn } from '../harness/orders.ts'
import { until } from '../harness/process.ts'
import { startService } from '../harness/service.ts'
import { standInStripe } from '../harness/stripe.ts'
import { SUBMISSION_CATALOG } from '../harness/submissions.ts'
import { use } from '../harness/use.ts'

const net = use(claimNet)
const stripe = use(standInStripe)
const service = use(() =>
  startService(
    { ...stripe.packageSettings, OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8', HEALTH_CHECKS: 'on' },
    { hostNames: net.hostNames },
  ),
)
const browser = use(launchChromium)
let administrator: Browser
beforeAll(async () => {
  await service.load(SUBMISSION_CATALOG)
  administrator = await signedUpAdmin(service)
})

const sees = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

const siteOf = (name: string, more = '') => `<!doctype html><html><head><title>${name} | Voice memos as notes</title>
<meta property="og:site_name" content="${name}"><meta name="description" content="${name} turns spoken thoughts into notes.">${more}</head>
<body><h1>Notes from your voice</h1><p>Writing was never so easy. Our writing tool has an API. Start free.</p></body></html>`

/** From the address to a product that waits for review. */
async function submitProduct(founder: Hand, host: string): Promise<void> {
  const { page } = founder
  await page.goto('/submit')
  await page.getByLabel('Address of your product').fill(net.url(host))
  await founder.click(button(founder, 'Continue'))
  await page.getByLabel('E-mail address').fill(newAddress())
  await page.getByLabel('Password').fill(PASSWORD)
  await founder.click(button(founder, 'Make the account'))
  await founder.click(button(founder, 'Read my site'))
  await page.getByRole('heading', { name: 'Here is your listing, nearly done' }).waitFor()
  await page.getByLabel('Pricing').selectOption('FREE')
  await page.getByLabel('Your name').fill('Ada Example')
  await founder.click(button(founder, 'Send it'))
  await sees(page, 'It is sent and waits for review.')
}

async function acceptProduct(name: string): Promise<number> {
  const visit = await visitor(browser, service.origin, { cookies: administrator.cookies })
  const hand = handOf(visit)
  await hand.page.goto('/admin/reviews')
  await hand.click(link(hand, name))
  await hand.click(hand.page.locator('.save-bar').getByRole('button', { name: 'Accept' }))
  await sees(hand.page, `${name} is listed.`)
  expect(visit.problems).toEqual([])
  await visit.context.close()
  return hand.clicks
}

const WAYS: Record<string, (host: string, name: string, token: string) => unknown> = {
  'a file': (host, _, token) => net.pages.set(`${host}/.well-known/catalog-verify.txt`, token),
  'a tag on the page': (host, name, token) =>
    net.pages.set(`${host}/`, siteOf(name, `<meta name="catalog-verify" content="${token}">`)),
  'a DNS entry': (host, _, token) => net.texts.set(host, [`catalog-verify=${token}`]),
}

/** Claims the listing in each way, and gives it up in between. Returns the clicks of the last claim. */
async function claimListing(founder: Hand, host: string, name: string): Promise<number> {
  const { page } = founder
  let clicks = 0
  const ways = Object.entries(WAYS)
  for (const [at, [way, show]] of ways.entries()) {
    clicks = founder.clicks
    await founder.click(button(founder, 'Begin the claim'))
    await sees(page, 'The claim is begun.')
    const token = /catalog-verify=([0-9a-f]{32})/.exec(await page.content())![1]!
    show(host, name, token)
    await founder.click(button(founder, 'Look now'))
    await sees(page, `You have proven it with ${way}.`)
    clicks = founder.clicks - clicks
    if (at === ways.length - 1) break
    net.texts.clear()
    net.pages.delete(`${host}/.well-known/catalog-verify.txt`)
    net.pages.set(`${host}/`, siteOf(name))
    await page.locator('.confirm > summary').click()
    await page.locator('.confirm').getByRole('button', { name: 'Give it up' }).click()
    await sees(page, 'The claim is ended.')
    await page.goto(`/tools/${name.toLowerCase()}/claim`)
  }
  return clicks
}

/** Submitted, accepted, public and claimed. */
async function ownListing(founder: Hand, name: string, steps: Steps): Promise<void> {
  const host = `${name.toLowerCase()}.example`
  net.pages.set(`${host}/`, siteOf(name))
  await submitProduct(founder, host)
  steps.done('submitted', founder.clicks)
  steps.done('accepted', await acceptProduct(name))
  await founder.page.reload()
  expect((await service.fetch(`/tools/${name.toLowerCase()}`)).status).toBe(200)
  await founder.click(link(founder, 'Claim the listing'))
  steps.done('claimed', 1 + (await claimListing(founder, host, name)))
}

/** More clicks than these would be a step back. */
const CLICKS_TO_OWN = { submitted: 4, accepted: 2, claimed: 3 }
const CLICKS = { ...CLICKS_TO_OWN, edited: 3, 'badge shown': 0, ordered: 2, 'report read': 2 }

/** The clicks and the seconds of each step, in their order. */
function stepsOf(of: string) {
  let last = performance.now()
  const clicks: Record<string, number> = {}
  const lines: string[] = []
  return {
    clicks,
    done(step: string, count: number): void {
      const now = performance.now()
      clicks[step] = count
      lines.push(`${step} ${count} clicks ${((now - last) / 1000).toFixed(1)} s`)
      last = now
    },
    print: () =>
      console.log(
        `founder${of} on ${process.env.TEST_DATABASE_URL ? 'PostgreSQL' : 'the embedded database'}: ${lines.join(', ')}`,
      ),
  }
}
type Steps = ReturnType<typeof stepsOf>

test('without a script a founder submits a product and claims its listing by file, tag and DNS', {
  timeout: 300_000,
}, async () => {
  const visit = await visitor(browser, service.origin, { javaScript: false, phone: true })
  const steps = stepsOf(' without a script, on a phone')
  await ownListing(handOf(visit), 'Ebbtide', steps)
  steps.print()
  expect(steps.clicks).toEqual(CLICKS_TO_OWN)
  expect(visit.problems).toEqual([])
  await visit.context.close()
})

test('a founder submits, claims, edits, shows the badge, orders, and reads the report about the work', {
  timeout: 300_000,
}, async () => {
  const visit = await visitor(browser, service.origin)
  const founder = handOf(visit)
  const { page } = founder
  const steps = stepsOf('')
  await ownListing(founder, 'Springtide', steps)
  let before = founder.clicks
  const done = (step: string) => {
    steps.done(step, founder.clicks - before)
    before = founder.clicks
  }

  await founder.click(link(founder, 'Numbers, changes and badge'))
  await founder.click(link(founder, 'Edit'))
  await page.getByLabel('Tagline').fill('Notes that come with the tide')
  await founder.click(button(founder, 'Save'))
  await sees(page, 'Changed: Tagline.')
  expect((await service.fetch('/tools/springtide')).text).toContain('Notes that come with the tide')
  done('edited')

  const badge = page.getByRole('img', { name: 'The badge, light' })
  await badge.scrollIntoViewIfNeeded()
  await expect.poll(() => badge.evaluate((image: any) => image.naturalWidth)).toBeGreaterThan(100)
  const code = await page.locator('pre', { hasText: '/badges/springtide.svg"' }).innerText()
  net.pages.set('springtide.example/', siteOf('Springtide').replace('</body>', `${code}</body>`))
  await lookSoon(service, 'springtide')
  await until(async () => (await service.fetch('/tools/springtide')).text.includes('Badge shown'), 20_000)
  done('badge shown')

  await founder.click(link(founder, 'Order a package'))
  const payment = page.waitForRequest(/^https:\/\/checkout\.stripe\.com\//)
  await founder.click(button(founder, 'Order Pro'))
  // The browser reaches only this machine, so the payment happens in the stand-in.
  const checkout = sessionIn((await payment).url())
  const events = stripe.payOrder(checkout)
  const asked = stripe.requests.findLast(({ method, path }) => method === 'POST' && path === '/v1/checkout/sessions')!
  // Until the page of the failed request is there, it would interrupt the next one.
  await expect.poll(() => page.url()).toBe('chrome-error://chromewebdata/')
  await page.goto(asked.form.get('success_url')!)
  await sees(page, 'Thank you. The order is paid')
  await deliver(service, events)
  done('ordered')

  const [order] = await ordersOf(service, 'springtide')
  const listingUrl = 'https://peak.example.org/springtide'
  await service.admin('PUT', `/submissions/${order.submissionId}/directories/peak`, { isSubmitted: true, listingUrl })
  await service.admin('POST', `/submissions/${order.submissionId}/done`, {})
  await page.goto('/dashboard/orders')
  await founder.click(link(founder, 'Springtide'))
  await sees(page, /^Finished with 1 of /)
  await founder.click(link(founder, 'Open the report'))
  await page.waitForURL(/\/reports\/[0-9a-f]{32}$/)
  await sees(page, 'Peak')
  done('report read')
  steps.print()
  expect(steps.clicks).toEqual(CLICKS)
  expect(visit.problems.filter((problem) => !problem.startsWith('request: https://checkout.stripe.com/'))).toEqual([])
  await visit.context.close()
})
