// The one job that deletes what is old. It works in batches, so that no statement locks many rows, and no kind of row keeps the others
// waiting. Every process that does background work runs it; none waits for rows that another one deletes.
import { setTimeout as sleep } from 'node:timers/promises'
import { expiredLinks, expiredSessions, expiredVerifications } from '../../features/accounts/queries.ts'
import { oldEntries } from '../../features/audit/queries.ts'
import { closedCustomers, oldEvents } from '../../features/billing/queries.ts'
import { oldCalls, oldOutcomes } from '../../features/keys/calls.queries.ts'
import { oldUsage } from '../../features/keys/usage.queries.ts'
import { oldVisits } from '../../features/listings/queries.ts'
import { oldMails } from '../../features/mail/queries.ts'
import { oldModelCalls } from '../../features/model-calls/queries.ts'
import {
  endedGrants,
  expiredCodes,
  expiredTokens,
  oldGrantUsage,
  unusedClients,
  unusedGrants,
} from '../../features/oauth/queries.ts'
import { endedSecrets } from '../../features/partners/queries.ts'
import { oldChecks, oldHosts, oldRobots } from '../../features/proof/queries.ts'
import { type DaysKept, oldestKept, type RetentionKind } from '../../features/retention/rules.ts'
import { oldTestConversations, oldTestDeliveries, oldTestSubmissions } from '../../features/sandbox/queries.ts'
import { oldAnswers } from '../../features/submissions/idempotency.queries.ts'
import { oldConversations } from '../../features/support/queries.ts'
import { oldUnfound } from '../../features/unfound/queries.ts'
import { oldDeliveries } from '../../features/webhooks/queries.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Context, Database, Log } from '../../kernel/context.ts'
import { DAY_MS, dayOf } from '../../kernel/days.ts'
import { type BackgroundWorker, createDueWork } from '../../kernel/due-work.ts'
import { isOutage } from '../../kernel/errors.ts'
import type { RemoveBatch } from '../../kernel/old-rows.queries.ts'

const BATCH = 1_000
/** Of one kind in one run. The rest waits for the next run, after the other kinds. */
const MOST_BATCHES = 200
/** Between two full batches, so that other work gets its turn. */
const PAUSE_MS = 20
const FIRST_MS = 60_000
const EVERY_MS = 60 * 60_000
const STOP_MS = 3_000

interface Times {
  now: Date
  /** The same time yesterday. */
  yesterday: Date
  /** From when on a kind of the table of `features/retention` is kept. */
  since(kind: RetentionKind): Date
  sinceDay(kind: RetentionKind): string
}

/** In this order: what refers to other rows comes before them. */
const REMOVALS: Readonly<Record<string, (times: Times) => RemoveBatch>> = {
  visits: ({ now }) => oldVisits(dayOf(now.getTime())),
  // Partners have a day to retry.
  idempotentAnswers: ({ yesterday }) => oldAnswers(yesterday),
  sessions: ({ now }) => expiredSessions(now),
  verifications: ({ now }) => expiredVerifications(now),
  signInLinks: ({ now }) => expiredLinks(now),
  usage: ({ sinceDay }) => oldUsage(sinceDay('usage')),
  outcomes: ({ sinceDay }) => oldOutcomes(sinceDay('usage')),
  calls: ({ yesterday }) => oldCalls(yesterday),
  mails: ({ since }) => oldMails(since('mails')),
  usageOfApps: ({ sinceDay }) => oldGrantUsage(sinceDay('usage')),
  unfound: ({ sinceDay }) => oldUnfound(sinceDay('unfound')),
  modelCalls: ({ since }) => oldModelCalls(since('modelCalls')),
  oauthCodes: ({ yesterday }) => expiredCodes(yesterday),
  oauthTokens: ({ now }) => expiredTokens(now),
  unusedApps: ({ yesterday, now }) => unusedGrants(yesterday, now),
  endedApps: ({ since }) => endedGrants(since('endedApps')),
  oauthClients: ({ yesterday }) => unusedClients(yesterday),
  previousSecrets: ({ now }) => endedSecrets(now),
  testSubmissions: ({ since }) => oldTestSubmissions(since('tests')),
  testDeliveries: ({ since }) => oldTestDeliveries(since('tests')),
  testConversations: ({ since }) => oldTestConversations(since('tests')),
  deliveries: ({ since }) => oldDeliveries(since('deliveries')),
  conversations: ({ since }) => oldConversations(since('conversations')),
  audit: ({ since }) => oldEntries(since('audit')),
  billingEvents: ({ since }) => oldEvents(since('billingEvents')),
  closedCustomers: ({ since }) => closedCustomers(since('closedCustomers')),
  // Also with LINK_CHECKS=off. Some of these rows are kept for good instead of being deleted.
  foldedLinkChecks: ({ since }) => oldChecks(since('linkChecks')),
  robotsFiles: ({ yesterday }) => oldRobots(yesterday),
  linkHosts: () => oldHosts,
}

interface Removal {
  db: Database
  log: Log
  kept: DaysKept
  now: Date
  isStopped?: () => boolean
}

/** Returns how many rows of each kind are gone. A kind that fails does not stop the others. */
export async function removeOld({ db, log, kept, now, isStopped = () => false }: Removal) {
  const since = (kind: RetentionKind) => oldestKept(kept[kind], now)
  const times: Times = {
    now,
    yesterday: new Date(now.getTime() - DAY_MS),
    since,
    sinceDay: (kind) => dayOf(since(kind).getTime()),
  }
  const removed: Record<string, number> = {}
  for (const [kind, batchOf] of Object.entries(REMOVALS)) {
    try {
      const count = await removeAll(db, batchOf(times), isStopped)
      if (count > 0) removed[kind] = count
    } catch (error) {
      if (isOutage(error)) throw error
      log.error({ err: error, kind }, 'what is old could not be deleted')
    }
  }
  return removed
}

async function removeAll(db: Database, batch: RemoveBatch, isStopped: () => boolean): Promise<number> {
  let removed = 0
  for (let batches = 0; batches < MOST_BATCHES && !isStopped(); batches++) {
    const count = await batch(db, BATCH)
    removed += count
    if (count < BATCH) break
    await sleep(PAUSE_MS)
  }
  return removed
}

export function createRemovalWorker(contextOf: (caller: Caller) => Context, caller: Caller): BackgroundWorker {
  const due = createDueWork({
    async look() {
      const { db, log, kept, now } = contextOf(caller)
      const removed = await removeOld({ db, log, kept, now: now(), isStopped: due.isStopped })
      if (Object.keys(removed).length > 0) log.info({ removed }, 'what was old is deleted')
      return null
    },
    topics: [],
    log: contextOf(caller).log,
    away: 'what is old cannot be deleted at the moment',
    shortestMs: EVERY_MS,
    longestMs: EVERY_MS,
    stopMs: STOP_MS,
  })
  let first: NodeJS.Timeout | undefined
  return {
    start() {
      first = setTimeout(due.start, FIRST_MS).unref()
    },
    onChange() {},
    async stop() {
      clearTimeout(first)
      await due.stop()
    },
  }
}
