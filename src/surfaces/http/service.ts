// What the surfaces are handed by app.ts.
import type { UsageCounter } from '../../features/keys/usage.ts'
import type { VisitCounter } from '../../features/listings/visits.ts'
import type { Budget, Caller, Limiter } from '../../kernel/caller.ts'
import type { Context, Log } from '../../kernel/context.ts'
import type { CrawlerCheck } from './crawlers.ts'
import type { Hosts } from './hosts.ts'
import type { SpentSessions } from './sessions.ts'

export interface Service {
  publicUrl: string
  version: string
  limiter: Limiter
  visitorBudgets: readonly Budget[]
  /** Accounts that one address may make. */
  signUpBudgets: readonly Budget[]
  /** Budgets as RATE_LIMIT_SCALE has them. */
  scale(budgets: readonly Budget[]): Budget[]
  /** Which hosts a request may name. */
  hosts: Hosts
  /** Networks of the proxies whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[]
  log: Log
  /** Whether this is the operator's token; takes the same time whatever it is given. */
  isOperatorToken(token: string): boolean
  /** Signs what forms and messages carry from one page to the next. */
  formSecret: string
  context(caller: Caller): Context
  keys: Context['keys']
  signIn: Context['signIn']
  spentSessions: SpentSessions
  usage: UsageCounter
  /** Tells how long an answer took. */
  answered(surface: string, status: number, ms: number): void
  /** Everything that is measured, of all processes on this machine. */
  metrics(): Promise<string>
  visits: VisitCounter
  crawlers: CrawlerCheck
  /** False until everything is loaded: nothing may be written, and what needs the database is a 503. */
  isStarted(): boolean
  /** What /readyz says: started, and not about to end. */
  isReady(): boolean
  /** It goes on answering for a moment, but nobody is to stay connected. */
  isClosing(): boolean
}
