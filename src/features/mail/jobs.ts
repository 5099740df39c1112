// Sends mails. An attempt marks the mail `unknown` before it contacts the mail server, so that a mail is not sent twice when the process
// ends meanwhile. A mail is tried again only if the server has certainly not accepted it.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import { MailAway, MailRefused, type OutgoingMail } from '../../kernel/interfaces/mailer.ts'
import type { Job } from '../../kernel/job.ts'
import { findUser, findUserByEmail } from '../accounts/queries.ts'
import { makeMailLink } from '../accounts/sign-in.ts'
import { accentForText } from '../site/colours.rules.ts'
import { siteOfRow } from '../site/current-site.ts'
import { findSite } from '../site/queries.ts'
import { MAIL_JOB } from './mail.ts'
import * as queries from './queries.ts'
import type { MailState } from './schema.ts'
import { lineOfMail, mailText } from './texts.rules.ts'

/** The job writes nothing that an operator edits, so it is not in the audit log. */
export const mailCaller = backgroundCaller(MAIL_JOB)

/** About five hours in total, for a mail server that is down. */
const RETRIES = { retries: 16, retryDelaySeconds: 15, longestRetryDelaySeconds: 1800 }
const ATTEMPT_SECONDS = 75

export const mailJob = (context: () => Context, from: string | undefined): Job<{ id: string }> => ({
  name: MAIL_JOB,
  ...RETRIES,
  timeoutSeconds: ATTEMPT_SECONDS,
  run: async ({ id }) => {
    const ctx = context()
    const mail = ctx.mailer && (await queries.findPendingMail(ctx.db, id))
    if (!mail) return
    // All database reads come before the mail is marked, so that the mail is only delayed while the database is down.
    const outgoing = await outgoingOf(ctx, mail, from)
    if (!outgoing) return void (await queries.deletePendingMail(ctx.db, id))
    if (await queries.claimMail(ctx.db, id, ctx.now())) await send(ctx, mail, outgoing)
  },
})

async function send(ctx: Context, { id, kind }: queries.MailRow, outgoing: OutgoingMail): Promise<void> {
  try {
    await ctx.mailer?.send(outgoing)
  } catch (error) {
    const problem = (error as Error).message
    const state = stateAfter(error)
    ctx.log.warn({ mail: kind, state, problem }, 'a mail was not sent')
    await queries.updateMail(ctx.db, id, { state, problem })
    // Only an error makes the queue try again.
    if (state === 'pending') throw error
    return
  }
  await queries.updateMail(ctx.db, id, { state: 'sent', problem: null })
}

function stateAfter(error: unknown): MailState {
  if (error instanceof MailRefused) return 'failed'
  return error instanceof MailAway ? 'pending' : 'unknown'
}

/** The mail with its current text and recipient; null when it has no recipient any more. */
async function outgoingOf(ctx: Context, mail: queries.MailRow, from: string | undefined): Promise<OutgoingMail | null> {
  const to = await recipientOf(ctx, mail)
  if (!to) return null
  const { publicUrl } = ctx
  const { name, contactEmail, accentColor } = siteOfRow(publicUrl, await findSite(ctx.db))
  const frame = {
    site: name,
    colour: accentForText(accentColor),
    publicUrl,
    link: to.link ?? '',
    hasAccount: to.hasAccount,
  }
  return {
    id: mail.id.replace(':', '.'),
    from: { name: lineOfMail(name), address: from ?? (contactEmail || `no-reply@${new URL(publicUrl).hostname}`) },
    replyTo: contactEmail || null,
    to: to.email,
    ...mailText(mail.kind, mail.details, frame),
  }
}

/** The recipient, with a new link if the mail contains one; null when the account is deleted or banned, or does not exist. */
async function recipientOf(
  ctx: Context,
  { kind, userId, email, details }: queries.MailRow,
): Promise<{ email: string; hasAccount: boolean; link?: string } | null> {
  const user = userId ? await findUser(ctx.db, userId) : await findUserByEmail(ctx.db, email ?? '')
  if (user?.banned) return null
  if (kind === 'report-answered') return email ? { email, hasAccount: user !== undefined } : null
  if (kind !== 'sign-up' && kind !== 'reset') return user ? { email: user.email, hasAccount: true } : null
  if (!user && (kind === 'reset' || !email)) return null
  const link = await makeMailLink(
    ctx,
    user ? { email: user.email, userId: user.id } : { email: email ?? '' },
    details.next,
  )
  return { email: user?.email ?? email ?? '', hasAccount: user !== undefined, link }
}
