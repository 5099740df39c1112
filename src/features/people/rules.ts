// Which columns of the database may contain personal data, and what a deletion does with them. tests/people compares this file with every
// column of every table, so every new column must be added here.

/** Columns with the e-mail address of the administrator who did something. A deletion replaces it with a pseudonym. */
export const LABELS: Readonly<Record<string, readonly string[]>> = {
  keys: ['policy_vouched_by'],
  submissions: ['assignee'],
  support_desks: ['assignee'],
  support_messages: ['author'],
}

/** Texts that people wrote and that may mention anyone. A deletion replaces the address of the person in them. */
export const TEXTS: Readonly<Record<string, readonly string[]>> = {
  enrichments: ['parts'],
  idempotent_answers: ['answer'],
  keys: ['name'],
  model_calls: ['failure'],
  plan_decisions: ['reason'],
  queue_views: ['query'],
  sandbox_submissions: ['notes', 'rows'],
  submission_details: ['affiliate_text'],
  submission_tags: ['written'],
  submissions: ['notes', 'internal_notes'],
  support_conversations: ['external_id', 'customer', 'metadata'],
  support_desks: ['internal_notes'],
  support_messages: ['content', 'passages', 'not_answered', 'peer_message_id'],
  webhook_deliveries: ['body', 'error', 'answer'],
}

/** The columns of `TEXTS` that are unique, with the key of their table. A deletion adds the key to the pseudonym. */
export const UNIQUE_TEXTS: Readonly<Record<string, string>> = {
  'support_conversations.external_id': 'id',
  'support_messages.peer_message_id': 'id',
}

export interface Stays {
  table: string
  /** Missing: all columns. */
  columns?: readonly string[]
  reason: string
  /** A deletion reports how many rows contain the address, because an operator may want to change them. */
  searched?: true
}

const PUBLISHED = 'What the catalog publishes about a product. Change or delete the listing.'
const ON_OTHER_SITES = 'What a public page of another site says.'

/** The columns that a deletion leaves as they are, and why. */
export const STAYS: readonly Stays[] = [
  { table: 'tools', reason: PUBLISHED, searched: true },
  { table: 'directories', reason: 'What the catalog publishes about a directory.', searched: true },
  { table: 'categories', reason: 'A name that the operator gave.' },
  { table: 'tags', reason: 'A name that the operator or a partner gave.', searched: true },
  { table: 'directory_categories', reason: 'A name that the operator gave.' },
  { table: 'tool_embeddings', reason: 'Numbers made from what is published.' },
  { table: 'directory_embeddings', reason: 'Numbers made from what is published.' },
  { table: 'collections', reason: 'Lists of products that the operator publishes.', searched: true },
  { table: 'picture_copies', reason: 'Names of copied pictures of products.' },
  { table: 'picture_work', reason: 'Which pictures of products wait to be copied.' },
  { table: 'site', reason: 'What the operator publishes about the service, such as its contact.', searched: true },
  { table: 'support_articles', reason: 'Knowledge that the operator or a partner wrote for all.', searched: true },
  { table: 'support_saved_replies', reason: 'Replies that administrators wrote for all.', searched: true },
  {
    table: 'partners',
    columns: ['name', 'webhook_url', 'webhook_secret', 'previous_secret'],
    reason: 'Of the partner, which is no person. Its contact address is removed.',
    searched: true,
  },
  { table: 'submission_rows', reason: 'Addresses of public pages about a product.', searched: true },
  { table: 'listing_links', reason: 'Addresses of public pages about a product.' },
  { table: 'listing_health', reason: 'Addresses of products, and what was found there.' },
  { table: 'link_checks', reason: ON_OTHER_SITES, searched: true },
  { table: 'link_hosts', reason: ON_OTHER_SITES },
  { table: 'robots_files', reason: ON_OTHER_SITES },
  {
    table: 'submissions',
    columns: ['website_key', 'slug', 'report_token'],
    reason: 'The address of a product and of its report.',
  },
  {
    table: 'sandbox_submissions',
    columns: ['tool_id', 'name', 'slug', 'website', 'website_key', 'category', 'tags', 'report_token'],
    reason: 'Test data of a partner, deleted after KEEP_TESTS_DAYS.',
  },
  { table: 'queue_views', columns: ['name'], reason: 'A name that an administrator gave to a filter.' },
  { table: 'unfound_questions', reason: 'Words that five different callers searched on one day.' },
  { table: 'oauth_clients', reason: 'What a program says about itself.' },
  { table: 'changes', reason: 'Identifiers of changed rows, for one hour: other processes read them.' },
  { table: 'billing_customers', reason: 'Identifiers at Stripe, until the subscriptions have ended there.' },
  { table: 'billing_subscriptions', reason: 'Identifiers at Stripe, until the subscriptions have ended there.' },
  { table: 'billing_events', reason: 'Identifiers of Stripe’s events, without a person.' },
  { table: 'verifications', reason: 'The state of a sign-in with GitHub, for ten minutes.' },
  { table: 'visits', reason: 'A hash that changes every day and cannot be traced to a person.' },
  { table: 'model_calls', columns: ['model'], reason: 'The name of a language model.' },
  { table: 'key_settings', reason: 'A fingerprint of a secret of the service.' },
  {
    table: 'idempotent_answers',
    columns: ['key', 'request_hash'],
    reason: 'What a partner named its request, for a day.',
  },
]

/** Tables whose rows belong to an account and are deleted with it. */
export const OF_ACCOUNT = [
  ...['users', 'sessions', 'credentials', 'sign_in_links', 'keys', 'key_usage', 'key_calls', 'key_outcomes', 'mails'],
  ...['oauth_grants', 'oauth_codes', 'oauth_tokens', 'oauth_usage'],
] as const

// `toLowerCase` turns this letter into two characters, an i and a combining dot; the database does not.
const CAPITAL_DOTTED_I = '\u0130'

/** The spellings of a lower-case value that the database must look for when it ignores case. */
export const casesOf = (value: string): string[] => [
  ...new Set([value, value.replaceAll(CAPITAL_DOTTED_I.toLowerCase(), CAPITAL_DOTTED_I)]),
]

/** How a value is written in texts: as it is, and as in a URL. */
const spellingsOf = (value: string): string[] => [
  ...new Set(casesOf(value).flatMap((one) => [one, encodeURIComponent(one)])),
]

const escaped = (text: string): string => text.replaceAll(/[!-/:-?[-`{-~]/g, '\\$&')

// What may stand before and after an address, so that no part of a longer one is matched: ada@example.com is in wada@example.com and in
// ada@example.com.br. In JSON, a letter before the address may belong to an escape such as \n. An escaped backslash begins no escape, as in
// C:\\name, except after an escaped quote, where the text contains JSON in JSON.
const BEFORE = String.raw`(?<![A-Za-z0-9._+-])|(?<=(?:(?<!\\)(?:\\\\)*|\\"[^"]*)\\(?:[bfnrt]|u[0-9a-f]{4}))`
// In a URL, a space may be written as + and other characters as %20. %2B is a plus, which may be part of an address.
const BEFORE_IN_URL = String.raw`${BEFORE}|(?<=\+|%[013-9a-f][0-9a-f]|%2[0-9ac-f])`
const AFTER = String.raw`(?![A-Za-z0-9-]|\.[A-Za-z0-9])`

const patternOf = (values: readonly string[], before: string, beforeInUrl = before): string =>
  `(?:${values
    .flatMap((value) =>
      spellingsOf(value).map((text) => `(?:${text === value ? before : beforeInUrl})${escaped(text)}`),
    )
    .join('|')})${AFTER}`

/** A PostgreSQL pattern that finds any of the values (e-mail addresses, user ids) in a text. */
export const addressPattern = (values: readonly string[]): string => patternOf(values, BEFORE, BEFORE_IN_URL)

/**
 * Two patterns that are thirty times faster than `addressPattern`. What `possible` does not match, that pattern does not match either; what
 * `certain` matches, it matches too.
 */
export const fasterPatternsOf = (value: string): { possible: string; certain: string } => ({
  possible: patternOf([value], String.raw`^|[^A-Za-z0-9._+-]|\\[bfnrt]|\\u[0-9a-f]{4}|\+|%[0-9a-f]{2}`),
  certain: patternOf([value], String.raw`(?<![A-Za-z0-9._+-])|(?:^|[^\\])\\(?:[bfnrt]|u[0-9a-f]{4})`),
})
