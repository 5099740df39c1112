/** What a mail is about. The first two have a link and are asked for by visitors; the others tell a user what has happened. */
export const MAIL_KINDS = ['sign-up', 'reset', 'key-created', 'grant-given', 'plan-changed'] as const
export type MailKind = (typeof MAIL_KINDS)[number]
export type LinkKind = Extract<MailKind, 'sign-up' | 'reset'>
export type NewsKind = Exclude<MailKind, LinkKind>

/**
 * - `pending`: it waits for its first or next attempt.
 * - `unknown`: an attempt is under way, or it is not known what came of it. It is not sent again, because it may have arrived.
 * - `sent`: the mail server has accepted it.
 * - `failed`: the mail server refuses it for good.
 */
export const MAIL_STATES = ['pending', 'unknown', 'sent', 'failed'] as const
export type MailState = (typeof MAIL_STATES)[number]

/** The values that the text of a mail names. */
export type MailDetails = Readonly<Record<string, string>>
