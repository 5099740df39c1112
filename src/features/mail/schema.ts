/**
 * What a mail is about. The first two contain a link and are requested by visitors; `report-answered` goes to an address that a visitor has
 * left; the others tell a user what has happened.
 */
export const MAIL_KINDS = [
  'sign-up',
  'reset',
  'key-created',
  'grant-given',
  'plan-changed',
  'product-accepted',
  'product-refused',
  'claim-failing',
  'claim-ended',
  'proposal-decided',
  'order-done',
  'report-answered',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]
export type LinkKind = Extract<MailKind, 'sign-up' | 'reset'>
export type AnswerKind = Extract<MailKind, 'report-answered'>
export type NewsKind = Exclude<MailKind, LinkKind | AnswerKind>

/**
 * - `pending`: the mail waits for its first or next attempt.
 * - `unknown`: an attempt is in progress, or its result is not known. The mail is not sent again, because it may have arrived.
 * - `sent`: the mail server has accepted it.
 * - `failed`: the mail server has refused it permanently.
 */
export const MAIL_STATES = ['pending', 'unknown', 'sent', 'failed'] as const
export type MailState = (typeof MAIL_STATES)[number]

/** The values that are inserted into the text of a mail. */
export type MailDetails = Readonly<Record<string, string>>
