// Who calls itself a known crawler is looked up: the name of its address must be one of the crawler's hosts, and that name must
// lead back to the address, as the search engines themselves advise. An impostor is refused. Where DNS cannot tell, and for every
// other visitor, nothing happens.
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Log } from '../../kernel/context.ts'
import { forbidden } from '../../kernel/errors.ts'
import type { HostNames } from '../../kernel/host-names.ts'

interface Crawler {
  name: string
  agent: RegExp
  /** Domains whose hosts are its own. */
  domains: readonly string[]
}

/** Those whose owners say that they can be told by the names of their hosts. */
export const CRAWLERS: readonly Crawler[] = [
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
  /** The crawler that the visitor only claims to be; null for everybody else. Does not wait for those who claim nothing. */
  impostor(agent: string | undefined, address: string): Promise<string | null> | null
}

export interface CheckOptions {
  hostNames: HostNames
  log: Pick<Log, 'warn'>
  now?: () => number
  timeoutMs?: number
}

// A crawler keeps its addresses for weeks; a name server that is away comes back in minutes.
const ANSWER_MS = 6 * 3_600_000
const FAILURE_MS = 5 * 60_000
const REMEMBERED = 10_000
// For everything together: a visitor waits for no more than this.
const TIMEOUT_MS = 1000
const AT_ONCE = 4
// An address may have more names than anybody would look at.
const NAMES = 3

interface Answer {
  /** Names that lead back to the address; null: DNS could not tell. */
  names: readonly string[] | null
  until: number
  isLogged: boolean
}

export function createCrawlerCheck({
  hostNames,
  log,
  now = Date.now,
  timeoutMs = TIMEOUT_MS,
}: CheckOptions): CrawlerCheck {
  const answers = new Map<string, Answer>()
  const asking = new Map<string, Promise<Answer>>()

  function remember(address: string, names: Answer['names']): Answer {
    const answer = { names, until: now() + (names ? ANSWER_MS : FAILURE_MS), isLogged: false }
    answers.delete(address)
    answers.set(address, answer)
    // The one that was asked for longest ago stands first.
    if (answers.size > REMEMBERED) answers.delete(answers.keys().next().value!)
    return answer
  }

  function answerFor(address: string): Promise<Answer> | Answer | null {
    const known = answers.get(address)
    if (known && known.until > now()) return known
    const asked = asking.get(address)
    if (asked) return asked
    // Whoever comes in a crowd is taken for an ordinary visitor, and asked about another time.
    if (asking.size >= AT_ONCE) return null
    const asks = within(timeoutMs, provenNames(hostNames, address))
      .then(
        (names) => remember(address, names),
        () => remember(address, null),
      )
      .finally(() => asking.delete(address))
    asking.set(address, asks)
    return asks
  }

  async function judge(crawler: Crawler, address: string): Promise<string | null> {
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
      const address = crawler ? publicAddress(ip) : null
      return crawler && address ? judge(crawler, address) : null
    },
  }
}

/** Refuses an impostor. Behind the visitor's budget, so that nobody makes us ask DNS without end. */
export const crawlerGate =
  (crawlers: CrawlerCheck) => (request: FastifyRequest, _reply: unknown, done: (error?: Error) => void) => {
    const claimed = crawlers.impostor(request.headers['user-agent'], request.ip)
    if (!claimed) return done()
    claimed.then((name) => done(name === null ? undefined : refused(name)), done)
  }

const refused = (name: string) =>
  forbidden(
    `You call yourself ${name}, but your address is not one of its own. Crawlers may not be impersonated here: come back under a name of your own.`,
  )

/** Behind a proxy that is not trusted every visitor has a private address, which says nothing of anybody. */
function publicAddress(ip: string): string | null {
  if (!ipaddr.isValid(ip)) return null
  const address = ipaddr.process(ip)
  return address.range() === 'unicast' ? address.toString() : null
}

const isOf = ({ domains }: Crawler, name: string): boolean => domains.some((domain) => name.endsWith(`.${domain}`))

/** Names of crawlers' hosts that the address has and that lead back to it. Other names prove nothing and are not asked about. */
async function provenNames(hostNames: HostNames, address: string): Promise<string[]> {
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

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('DNS took too long')), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
