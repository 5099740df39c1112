// Checks visitors whose User-Agent names a known crawler: the DNS name of the visitor's address must be one of the crawler's hosts, and
// that name must resolve to the address, as the search engines advise. An impostor is refused. If DNS does not answer, the visitor is
// allowed.
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { Log } from '../../../kernel/context.ts'
import { forbidden } from '../../../kernel/errors.ts'
import type { HostNames } from '../../../kernel/interfaces/outbound.ts'
import { HOUR_MS } from '../../../kernel/values/days.ts'
import { inTime } from '../../../kernel/work/deadline.ts'

interface Crawler {
  name: string
  agent: RegExp
  /** The crawler's hosts are in these domains. */
  domains: readonly string[]
}

/** Crawlers whose owners document the names of their hosts. */
const CRAWLERS: readonly Crawler[] = [
  {
    name: 'Googlebot',
    agent: /googlebot|adsbot-google|mediapartners-google|google-inspectiontool|googleother|storebot-google/i,
    domains: ['googlebot.com', 'google.com'],
  },
  { name: 'Bingbot', agent: /bingbot|bingpreview|adidxbot/i, domains: ['search.msn.com'] },
  {
    name: 'Yandex',
    agent: /yandex(?:\w{0,20}bot|images|direct|metrika)/i,
    domains: ['yandex.ru', 'yandex.net', 'yandex.com'],
  },
  { name: 'Baiduspider', agent: /baiduspider/i, domains: ['baidu.com', 'baidu.jp'] },
  { name: 'Applebot', agent: /applebot/i, domains: ['applebot.apple.com'] },
  { name: 'Yahoo! Slurp', agent: /yahoo! slurp/i, domains: ['crawl.yahoo.net'] },
  { name: 'SeznamBot', agent: /seznambot/i, domains: ['seznam.cz'] },
  { name: 'PetalBot', agent: /petalbot/i, domains: ['petalsearch.com'] },
  { name: 'Amazonbot', agent: /amazonbot/i, domains: ['crawl.amazonbot.amazon'] },
]

export interface CrawlerCheck {
  /** The name of the crawler that the visitor only claims to be; null for every other visitor. Without a claim it returns null at once. */
  impostor(agent: string | undefined, address: string): Promise<string | null> | null
}

type Names = Pick<HostNames, 'namesOf' | 'addressesOf'>

interface CrawlerCheckOptions {
  hostNames: Names
  log: Pick<Log, 'warn'>
  now?: () => number
  timeoutMs?: number
}

// A crawler keeps its addresses for weeks; a name server that fails usually answers again after minutes.
const ANSWER_MS = 6 * HOUR_MS
const FAILURE_MS = 5 * 60_000
const REMEMBERED = 10_000
// The time for the whole check, because the visitor waits for it.
const TIMEOUT_MS = 1000
const AT_ONCE = 4
// An address may have many names; only the first ones are checked.
const NAMES = 3

interface DnsAnswer {
  /** Names that resolve to the address; null: DNS did not answer. */
  names: readonly string[] | null
  until: number
  isLogged: boolean
}

export function createCrawlerCheck({
  hostNames,
  log,
  now = Date.now,
  timeoutMs = TIMEOUT_MS,
}: CrawlerCheckOptions): CrawlerCheck {
  const answers = new LRUCache<string, DnsAnswer>({ max: REMEMBERED })
  const asking = new Map<string, Promise<DnsAnswer>>()

  function remember(address: string, names: DnsAnswer['names']): DnsAnswer {
    const answer = { names, until: now() + (names ? ANSWER_MS : FAILURE_MS), isLogged: false }
    answers.set(address, answer)
    return answer
  }

  function answerFor(address: string): Promise<DnsAnswer> | DnsAnswer | null {
    const known = answers.get(address)
    if (known && known.until > now()) return known
    const asked = asking.get(address)
    if (asked) return asked
    // While too many look-ups run, the visitor is treated as an ordinary one and checked at a later request.
    if (asking.size >= AT_ONCE) return null
    const lookUp = inTime(provenNames(hostNames, address), timeoutMs, () => {
      throw new Error('DNS took too long')
    })
      .then(
        (names) => remember(address, names),
        () => remember(address, null),
      )
      .finally(() => asking.delete(address))
    asking.set(address, lookUp)
    return lookUp
  }

  async function checkClaim(crawler: Crawler, address: string): Promise<string | null> {
    const answer = await answerFor(address)
    if (!answer?.names || answer.names.some((name) => isOf(crawler, name))) return null
    if (!answer.isLogged) {
      answer.isLogged = true
      log.warn({ crawler: crawler.name, address }, 'refused a visitor that pretends to be a crawler')
    }
    return crawler.name
  }

  return {
    impostor(agent, ip) {
      const crawler = agent ? CRAWLERS.find((one) => one.agent.test(agent)) : undefined
      const address = crawler ? checkableAddress(ip) : null
      return crawler && address ? checkClaim(crawler, address) : null
    },
  }
}

/** Refuses an impostor. It runs after the visitor was charged, so that no visitor can cause DNS look-ups without limit. */
export const crawlerGate =
  (crawlers: CrawlerCheck) => (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
    const claimed = crawlers.impostor(request.headers['user-agent'], request.ip)
    if (!claimed) return done()
    claimed.then((name) => done(name === null ? undefined : refused(name)), done)
  }

const refused = (name: string) =>
  forbidden(
    `Your client names itself ${name}, but your address is not one of its own. Crawlers may not be impersonated here: send a User-Agent of your own.`,
  )

/** The address in one spelling. null for a private address: behind a proxy that is not trusted, all visitors have the proxy's address. */
function checkableAddress(ip: string): string | null {
  if (!ipaddr.isValid(ip)) return null
  const address = ipaddr.process(ip)
  return address.range() === 'unicast' ? address.toString() : null
}

const isOf = ({ domains }: Crawler, name: string): boolean => domains.some((domain) => name.endsWith(`.${domain}`))

/** The address's names among crawlers' hosts that resolve to it. Other names prove nothing and are not looked up. */
async function provenNames(hostNames: Names, address: string): Promise<string[]> {
  const names = (await hostNames.namesOf(address))
    .map((name) => name.toLowerCase().replace(/\.$/, ''))
    .filter((name) => CRAWLERS.some((crawler) => isOf(crawler, name)))
    .slice(0, NAMES)
  const proven: string[] = []
  for (const name of names) {
    const addresses = await hostNames.addressesOf(name)
    if (addresses.some((one) => ipaddr.isValid(one) && ipaddr.process(one).toString() === address)) proven.push(name)
  }
  return proven
}
