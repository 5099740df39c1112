// Sends mails. An attempt marks its mail unknown and commits that before it asks the server, so a mail is never sent twice because a
// process ended; only where the server is known not to have taken the mail is it tried again.
import { backgroundCaller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import type { Job } from '../../kernel/job.ts'
import { MailAway, MailRefused, type OutgoingMail } from '../../kernel/mailer.ts'
import { findUser, findUserByEmail } from '../accounts/queries.ts'
import { makeMailLink } from '../accounts/sign-in.ts'
import { siteOf } from '../site/current-site.ts'
import { findSite } from '../site/queries.ts'
import { accentForText } from '../site/rules.ts'
import { MAIL_JOB } from './mail.ts'
import * as queries from './queries.ts'
import { mailText, lineOfMail } from './texts.rules.ts'

/** The job writes nothing that an operator edits, so it is not in the audit log. */
export const mailCaller = backgroundCaller(MAIL_JOB)

/** About five hours in all, for a mail server that is down. */
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
    // Everything that reads the database comes before the mail is marked, so that a database that is away only delays the mail.
    const letter = await letterOf(ctx, mail, from)
    if (!letter) return void (await queries.deletePendingMail(ctx.db, id))
    if (await queries.claimMail(ctx.db, id, ctx.now())) await send(ctx, mail, letter)
  },
})

async function send(ctx: Context, { id, kind }: queries.MailRow, letter: OutgoingMail): Promise<void> {
  try {
    await ctx.mailer?.send(letter)
  } catch (error) {
    const problem = (error as Error).message
    const state = error instanceof MailRefused ? 'failed' : error instanceof MailAway ? 'pending' : 'unknown'
    ctx.log.warn({ mail: kind, state, problem }, 'a mail was not sent')
    await queries.updateMail(ctx.db, id, { state, problem })
    // Only this makes the queue try again.
    if (state === 'pending') throw error
    return
  }
  await queries.updateMail(ctx.db, id, { state: 'sent', problem: null })
}

/** The mail as it is sent now; null: no user gets it any more. */
async function letterOf(ctx: Context, mail: queries.MailRow, from: string | undefined): Promise<OutgoingMail | null> {
  const to = await addressee(ctx, mail)
  if (!to) return null
  const { publicUrl } = ctx
  const { name, contactEmail, accentColor } = siteOf(publicUrl, await findSite(ctx.db))
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

interface Addressee {
  email: string
  hasAccount: boolean
  link?: string
}

/** Who gets the mail now, with the link if it has one; null: nobody, because the account is gone or banned, or there was none. */
async function addressee(ctx: Context, { kind, userId, email, details }: queries.MailRow): Promise<Addressee | null> {
  const user = userId ? await findUser(ctx.db, userId) : await findUserByEmail(ctx.db, email ?? '')
  if (user?.banned) return null
  if (kind !== 'sign-up' && kind !== 'reset') return user ? { email: user.email, hasAccount: true } : null
  if (!user && (kind === 'reset' || !email)) return null
  const link = await makeMailLink(
    ctx,
    user ? { email: user.email, userId: user.id } : { email: email ?? '' },
    details.next,
  )
  return { email: user?.email ?? email ?? '', hasAccount: user !== undefined, link }
}
