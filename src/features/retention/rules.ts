// How many days each kind of row is kept. Each entry is a setting; docs/settings.md and the table of docs/privacy.md are made from it. Rows
// with an expiry of their own (sessions, links, codes, tokens) are deleted when they have expired and are not listed here.
import { DAY_MS } from '../../kernel/values/days.ts'

interface RetentionEntry {
  setting: `KEEP_${string}_DAYS`
  days: number
  /** The smallest number of days that the setting accepts; 0 is accepted too. */
  least: number
  sentence: string
}

export const RETENTION = {
  usage: {
    setting: 'KEEP_USAGE_DAYS',
    days: 400,
    least: 31,
    sentence: 'Days that the calls of keys and apps, counted by day, are kept; the dashboard shows 30.',
  },
  deliveries: {
    setting: 'KEEP_DELIVERIES_DAYS',
    days: 400,
    least: 7,
    sentence: 'Days that webhook deliveries and their answers are kept; those that wait to be sent are never deleted.',
  },
  audit: {
    setting: 'KEEP_AUDIT_DAYS',
    days: 1095,
    least: 30,
    sentence: 'Days that entries of the audit log are kept.',
  },
  conversations: {
    setting: 'KEEP_CONVERSATIONS_DAYS',
    days: 1095,
    least: 30,
    sentence:
      'Days that support conversations are kept after their last message; those with an open question are never deleted.',
  },
  mails: {
    setting: 'KEEP_MAILS_DAYS',
    days: 7,
    least: 1,
    sentence: 'Days that it is kept which mail was sent to whom.',
  },
  tests: {
    setting: 'KEEP_TESTS_DAYS',
    days: 30,
    least: 1,
    sentence: 'Days that submissions, conversations and deliveries of sandboxes are kept.',
  },
  unsentProducts: {
    setting: 'KEEP_UNSENT_PRODUCTS_DAYS',
    days: 30,
    least: 1,
    sentence: 'Days that a product which a founder has begun and not sent is kept after the last change.',
  },
  refusedProducts: {
    setting: 'KEEP_REFUSED_PRODUCTS_DAYS',
    days: 180,
    least: 30,
    sentence: 'Days that a product of a founder which was refused is kept after the last change.',
  },
  visitorReports: {
    setting: 'KEEP_VISITOR_REPORTS_DAYS',
    days: 180,
    least: 7,
    sentence: 'Days that reports of visitors about a listing are kept after the last one, answered or not.',
  },
  linkChecks: {
    setting: 'KEEP_LINK_CHECKS_DAYS',
    days: 365,
    least: 60,
    sentence:
      'Days that every look at a listing is kept; then only changes of state and the last look of each quarter are.',
  },
  modelCalls: {
    setting: 'KEEP_MODEL_CALLS_DAYS',
    days: 30,
    least: 1,
    sentence: 'Days that times, tokens and failures of questions to the language model are kept.',
  },
  unfound: {
    setting: 'KEEP_UNFOUND_DAYS',
    days: 90,
    least: 1,
    sentence:
      'Days that the words of searches that found nothing, or after which a listing was opened, are kept after the last such search.',
  },
  endedApps: {
    setting: 'KEEP_ENDED_APPS_DAYS',
    days: 90,
    least: 1,
    sentence: 'Days that access which a user gave to an app is listed after it has ended.',
  },
  billingEvents: {
    setting: 'KEEP_BILLING_EVENTS_DAYS',
    days: 60,
    least: 31,
    sentence: 'Days that the identifiers of Stripe events are kept; Stripe repeats an event for up to 30 days.',
  },
  closedCustomers: {
    setting: 'KEEP_CLOSED_CUSTOMERS_DAYS',
    days: 90,
    least: 7,
    sentence:
      'Days that the customer and the subscriptions of a deleted account are kept after the last one has ended.',
  },
} as const satisfies Record<string, RetentionEntry>

export type RetentionKind = keyof typeof RETENTION
export const RETENTION_KINDS = Object.keys(RETENTION) as RetentionKind[]

/** Days by kind; 0: kept forever. */
export type DaysKept = Readonly<Record<RetentionKind, number>>

type RetentionSetting = (typeof RETENTION)[RetentionKind]['setting']

export const daysKept = (settings: Readonly<Record<RetentionSetting, number>>): DaysKept =>
  Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, settings[RETENTION[kind].setting]])) as Record<
    RetentionKind,
    number
  >

/** Rows older than this are deleted. For rows that are kept forever it is 1970, so that none is older. */
export const oldestKept = (days: number, now: Date): Date =>
  new Date(days === 0 ? 0 : Math.max(0, now.getTime() - days * DAY_MS))

declare module '../../kernel/feature.ts' {
  interface KeptKinds extends DaysKept {}
  interface FeatureSettings extends Readonly<Record<RetentionSetting, number>> {}
}

declare module '../../kernel/context.ts' {
  interface Context {
    /** How many days each kind of row is kept. */
    kept: DaysKept
  }
}
