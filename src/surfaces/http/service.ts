// What the surfaces use of the service; starting/surfaces.ts builds it.
import type { Usage } from '../../features/keys/usage/usage.ts'
import type { VisitCounter } from '../../features/listings/visits/visits.ts'
import type { UnfoundCounter } from '../../features/unfound/counter.ts'
import type { Budget, Caller, Limiter } from '../../kernel/caller.ts'
import type { Context, Log } from '../../kernel/context.ts'
import type { CrawlerCheck } from './requests/crawler-check.ts'
import type { Hosts } from './requests/hosts.ts'
import type { SpentSessions } from './requests/sessions.ts'

export interface Service {
  publicUrl: string
  version: string
  limiter: Limiter
  visitorBudgets: readonly Budget[]
  /** How many accounts one network address may create. */
  signUpBudgets: readonly Budget[]
  /** Budgets multiplied by RATE_LIMIT_SCALE. */
  scale(budgets: readonly Budget[]): Budget[]
  /** Which hosts a request may name. */
  hosts: Hosts
  /** Networks of the proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[]
  log: Log
  /** Whether this is the operator's token, compared in constant time. */
  isOperatorToken(token: string): boolean
  /** Signs form tokens, and messages that one page shows for another. */
  formSecret: string
  agentsSignIn: boolean
  /** Whether the paid plan is set up. */
  takesPayments: boolean
  /** Whether founders can buy packages. */
  sellsPackages: boolean
  /** What happens with products that founders send. */
  founders: Context['founders']['mode']
  /** The line of robots.txt that says what programs may do with the pages; empty for none. */
  contentSignal: string
  /** Whether /styleguide exists, for people who work on pages. */
  showsStyleguide: boolean
  /** Whether a mail server is set up. */
  sendsMail: boolean
  context(caller: Caller): Context
  keys: Context['keys']
  site: Context['site']
  signIn: Context['signIn']
  spentSessions: SpentSessions
  usage: Usage
  /** Counts an answer and how long it took in the metrics. */
  countAnswer(surface: string, status: number, ms: number): void
  /** The metrics of all processes on this machine, as text. */
  metrics(): Promise<string>
  visits: VisitCounter
  /** Counts questions that found nothing, or only partial matches. */
  unfound: UnfoundCounter
  crawlers: CrawlerCheck
  /** False until everything is loaded; until then writes and reads of the database get a 503. */
  isStarted(): boolean
  /** What /readyz answers: started, and not stopping. */
  isReady(): boolean
  /** The service is stopping: it still answers for a moment, and asks clients to close their connections. */
  isClosing(): boolean
}

/** Caches a value that is made from the site's name or texts, and makes it again after an operator has changed the site. */
export function perRevision<T>(site: Pick<Service['site'], 'revision'>, make: () => T): () => T {
  let made: { revision: number; value: T } | null = null
  return () => {
    const revision = site.revision()
    if (made?.revision !== revision) made = { revision, value: make() }
    return made.value
  }
}
