// A year of link checks for a thousand listings with a stepped clock: directories fail in every way, links vanish for good or for a moment, and
// workers end at any point. No loss is said that is none, each loss is said within two looks that could see, and each event is stored once.
//   npm run test:operating, or alone: bash tests/with-servers.sh npx vitest run tests/proof/simulated-year.test.ts
// @module-tag long
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkLink, claimDueLink, linkChecker } from '../../src/features/proof/links/check-link.ts'
import { readListingPage } from '../../src/features/proof/links/page.rules.ts'
import type { Permission } from '../../src/features/proof/politeness/politeness.ts'
import { removeOldChecks } from '../../src/features/proof/queries.ts'
import { createMissingLinks } from '../../src/features/proof/worker.ts'
import { oldestKept } from '../../src/features/retention/rules.ts'
import type { Context, TransactionContext } from '../../src/kernel/context.ts'
import type { OutboundResponse } from '../../src/kernel/interfaces/outbound.ts'
import { extend } from '../../src/kernel/values/objects.ts'
import { html } from '../harness/listing-pages.ts'
import { loadDirectories, newWork, wantEvents } from '../harness/proof.ts'
import { type Receiver, startReceiver } from '../harness/receiver.ts'
import { startService, type TestService } from '../harness/service.ts'

const LISTINGS = Number(process.env.YEAR_LISTINGS ?? 1_000)
const IN_A_SUBMISSION = 20
const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR
const STEP = 6 * HOUR
const LANES = 4

/** What is true about a listing, in days since the start. */
interface Truth {
  appears: number
  /** Never: Infinity. */
  vanishes: number
  /** After it has vanished. */
  returns: number
  gone: boolean
  nofollow: boolean
  product: string
  /** Whether the last recorded look that could see was shown a page without the link. */
  wasAbsent: boolean
}

let service: TestService
let receiver: Receiver
let partners: { id: string; key: string }[]
const truths = new Map<string, Truth>()

// The same numbers in every run.
let seed = 20_260_301
function random(): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!

let start = 0
let clock = 0
const days = (time = clock) => (time - start) / DAY

const isThere = ({ appears, vanishes, returns }: Truth, day: number) =>
  day >= appears && (day < vanishes || day >= returns)

class Killed extends Error {}
const AFTER_COMMIT = 'after the commit'
let kills = 0
const isKilled = () => {
  if (random() >= 0.01) return false
  kills++
  return true
}

const answer = (url: string, status: number, body: string, headers: Record<string, string> = {}): OutboundResponse => ({
  url,
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
  body: Buffer.from(body),
  truncated: false,
})

/** Faults after which it is not known whether the link is there. */
const BLIND: ((url: string) => OutboundResponse)[] = [
  (url) => answer(url, 403, 'no'),
  (url) => answer(url, 429, 'later'),
  (url) => answer(url, 500, 'oops'),
  (url) => answer(url, 503, '<title>Just a moment...</title>'),
  (url) => answer(url, 200, '<title>Just a moment...</title>'),
  (url) => answer(url, 200, ''),
  (url) => answer(url, 200, '<div id="root"></div><script src="/a.js"></script>'),
  (url) => answer(url, 302, '', { location: url }),
  () => {
    throw new Error('The host did not answer.')
  },
]

/** The listings that a look was shown, with whether that was a page without the link. */
type Shown = Map<Truth, boolean>

async function fetchListing(url: string, shown: Shown): Promise<OutboundResponse> {
  const truth = truths.get(url)
  if (!truth) throw new Error(`asked for ${url}`)
  if (random() < 0.12) return pick(BLIND)(url)
  // A directory that shows a page without the link for less than a day: at most one look can see it. After a look during a true absence,
  // such a moment would be the second look in a row without the link, which is a loss by the rule.
  const isAbsent = !isThere(truth, days()) || (!truth.wasAbsent && random() < 0.08)
  shown.set(truth, isAbsent)
  if (isAbsent) return truth.gone ? answer(url, 404, 'gone') : answer(url, 200, html(''))
  return answer(url, 200, html(`<a href="${truth.product}"${truth.nofollow ? ' rel="nofollow"' : ''}>It</a>`))
}

const politeness = {
  takeTurn: async () => () => {},
  askRobots: async (): Promise<Permission> => (random() < 0.02 ? pick(['no', 'unreachable'] as const) : 'yes'),
}

/** A context with our clock and our directories, whose transactions may end with the process before or after the commit. */
function simulated(shown: Shown = new Map()): Context {
  const base = extend(service.context(), { caller: linkChecker }) as Context
  return extend(base, {
    now: () => new Date(clock),
    outbound: { fetch: (url: string) => fetchListing(url, shown) },
    links: {
      isOn: true,
      read: async ({ page, productKeys }: any) => readListingPage(page, productKeys),
      robotsAllow: async () => true,
      lastAsked: new Map(),
    },
    async transaction<T>(this: Context, work: (ctx: TransactionContext) => Promise<T>): Promise<T> {
      const result = await base.transaction.call(this, async (inner: TransactionContext) => {
        const done = await work(inner)
        if (isKilled()) throw new Killed('before the commit')
        return done
      })
      if (isKilled()) throw new Killed(AFTER_COMMIT)
      return result as T
    },
  }) as Context
}

/** One worker: checks what is due until nothing is, or until its process ends. */
async function work(): Promise<void> {
  for (;;) {
    const shown: Shown = new Map()
    const recorded = () => {
      for (const [truth, isAbsent] of shown) truth.wasAbsent = isAbsent
    }
    try {
      const ctx = simulated(shown)
      const claimed = await claimDueLink(ctx, 1_000)
      if (!claimed) return
      if (isKilled()) throw new Killed('before the look')
      await checkLink(ctx, claimed, { politeness })
      recorded()
    } catch (error) {
      if (!(error instanceof Killed)) throw error
      // A look that was lost with its process is none for the rule, so the moment without the link may not come again before the next.
      if (error.message === AFTER_COMMIT) recorded()
      return
    }
  }
}

beforeAll(async () => {
  receiver = await startReceiver()
  service = await startService({ OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' })
  await loadDirectories(service, IN_A_SUBMISSION)
  partners = []
  for (let i = 0; i < 3; i++) {
    const partner = await service.newPartner({ webhookUrl: `${receiver.origin}/hook` })
    await wantEvents(service, partner.id, ['listing.live', 'listing.lost'])
    partners.push(partner)
  }
  for (let i = 0; i < LISTINGS / IN_A_SUBMISSION; i++) {
    const product = `https://year-${i}.example.com/`
    const { id } = await newWork(service, partners[i % 3]!, { website: product, name: `Year ${i}` })
    for (let d = 0; d < IN_A_SUBMISSION; d++) {
      const url = `http://listing-${i}-${d}.example.org/`
      const vanishes = random() < 0.4 ? 1 + random() * 300 : Number.POSITIVE_INFINITY
      truths.set(url, {
        appears: random() < 0.7 ? 0 : random() < 0.1 ? Number.POSITIVE_INFINITY : random() * 40,
        vanishes,
        returns: random() < 0.1 ? vanishes + 90 : Number.POSITIVE_INFINITY,
        gone: random() < 0.5,
        nofollow: random() < 0.3,
        product,
        wasAbsent: false,
      })
      await service.admin('PUT', `/submissions/${id}/directories/d-${d}`, { isSubmitted: true, listingUrl: url })
    }
  }
  start = Date.now() + 1000
  clock = start
}, 600_000)
afterAll(async () => {
  await service?.close()
  await receiver?.close()
})

test(`a year of ${LISTINGS} listings`, { timeout: 3_600_000 }, async () => {
  for (let step = 0; days() < 366; clock += STEP, step++) {
    // A second of the hosts' time passes between two steps of ours.
    await service.sql('delete from link_hosts')
    await Promise.all(Array.from({ length: LANES }, work))
    if (step % 40 !== 0) continue
    const ctx = simulated()
    await createMissingLinks(ctx, () => false).catch((error) => expect(error).toBeInstanceOf(Killed))
    await removeOldChecks(oldestKept(ctx.kept.linkChecks, ctx.now()))(ctx.db, 1_000)
  }
  const checks = await service.sql(
    'select listing_url as url, state, checked_at as at from link_checks order by listing_url, checked_at',
  )
  const events = (await service.sql('select body from webhook_deliveries')).map(({ body }) => JSON.parse(body))
  const eventsOf = (url: string, event: string) =>
    events.filter((one) => one.event === event && one.submission.listingUrl === url)
  const wrong: string[] = []
  let losses = 0
  let looksToLoss = 0
  for (const [url, truth] of truths) {
    const history = checks.filter((check) => check.url === url)
    const seen = history.find(({ state }) => state === 'live' || state === 'nofollow')
    const live = eventsOf(url, 'listing.live')
    const lost = eventsOf(url, 'listing.lost')
    if (live.length !== (seen ? 1 : 0)) wrong.push(`${url}: ${live.length} times live`)
    for (const { occurredAt } of lost)
      if (isThere(truth, days(Date.parse(occurredAt)))) wrong.push(`${url}: a loss that is none, on ${occurredAt}`)
    const vanished = start + truth.vanishes * DAY
    const returned = start + truth.returns * DAY
    const absent = history.filter(
      ({ state, at }) =>
        (state === 'missing' || state === 'gone') && Date.parse(at) >= vanished && Date.parse(at) < returned,
    )
    const wasSeenBefore = seen !== undefined && Date.parse(seen.at) < vanished
    const mustBeLost = wasSeenBefore && absent.length >= 2
    if (lost.length > 1 || (mustBeLost && lost.length !== 1)) wrong.push(`${url}: ${lost.length} losses`)
    if (lost.length === 1 && mustBeLost) {
      const looks = absent.filter(({ at }) => Date.parse(at) <= Date.parse(lost[0].occurredAt)).length
      losses++
      looksToLoss = Math.max(looksToLoss, looks)
      if (looks > 2) wrong.push(`${url}: lost only after ${looks} looks`)
    }
  }
  const perListing = checks.length / LISTINGS
  console.log(
    `${LISTINGS} listings, ${checks.length} looks (${perListing.toFixed(1)} each), ${kills} ends of a process, ${events.length} events, ${losses} losses within ${looksToLoss} looks, ${wrong.length} wrong`,
  )
  expect(wrong).toEqual([])
  expect(losses).toBeGreaterThan(LISTINGS / 10)
  expect(kills).toBeGreaterThan(LISTINGS / 10)
  // At the recording, after 1, 7 and 30 days, then every 30.
  expect(perListing).toBeGreaterThan(13.5)
  expect(perListing).toBeLessThan(15.5)
  expect(new Set(events.map(({ event, submission, tool }) => `${event} ${tool.slug} ${submission.slug}`)).size).toBe(
    events.length,
  )
})
