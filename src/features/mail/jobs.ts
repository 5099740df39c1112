// Sends mails. An attempt first marks its mail unknown and commits that, so a mail is never sent twice because a process ended; only where
// the server is known not to have taken the mail is it tried again.
import type { Caller } from '../../kernel/caller.ts'
import type { Context } from '../../kernel/context.ts'
import type { Job } from '../../kernel/job.ts'
import { MailAway, MailRefused } from '../../kernel/mailer.ts'
import { findUser, findUserByEmail } from '../accounts/queries.ts'
import { makeMailLink } from '../accounts/sign-in.ts'
import { siteOf } from '../site/current-site.ts'
import { findSite } from '../site/queries.ts'
import { MAIL_JOB } from './mail.ts'
import * as queries from './queries.ts'
import { mailText, oneLine } from './texts.rules.ts'

/** The job writes nothing that an operator edits, so it is not in the audit log. */
export const mailCaller: Caller = {
  kind: 'operator',
  id: MAIL_JOB,
  label: MAIL_JOB,
  access: new Set(),
  budgets: new Map(),
  clientId: null,
}

/** About five hours in all, for a mail server that is down. */
const RETRIES = { retries: 16, retryDelaySeconds: 15, longestRetryDelaySeconds: 1800 }
const ATTEMPT_SECONDS = 75

export const mailJob = (context: () => Context, from: string | undefined): Job<{ id: string }> => ({
  name: MAIL_JOB,
  ...RETRIES,
  timeoutSeconds: ATTEMPT_SECONDS,
  run: async ({ id }) => {
    const ctx = context()
    const mail = ctx.mailer && (await queries.claimMail(ctx.db, id, ctx.now()))
    if (!mail) return
    try {
      await send(ctx, mail, from)
    } catch (error) {
      const problem = (error as Error).message
      if (error instanceof MailRefused) return void (await queries.updateMail(ctx.db, id, { state: 'failed', problem }))
      const state = error instanceof MailAway ? 'pending' : 'unknown'
      await queries.updateMail(ctx.db, id, { state, problem })
      ctx.log.warn({ mail: mail.kind, problem }, 'a mail was not sent')
      // Only this makes the queue try again.
      if (state === 'pending') throw error
    }
  },
})

async function send(ctx: Context, mail: queries.MailRow, from: string | undefined): Promise<void> {
  const to = await addressee(ctx, mail)
  if (!to) return void (await queries.deleteMail(ctx.db, mail.id))
  const { name, contactEmail, accentColor } = siteOf(ctx.publicUrl, await findSite(ctx.db))
  const { publicUrl } = ctx
  const frame = { site: name, colour: accentColor, publicUrl, link: to.link ?? '', hasAccount: to.hasAccount }
  await ctx.mailer?.send({
    id: mail.id.replace(':', '.'),
    from: { name: oneLine(name), address: from ?? (contactEmail || `no-reply@${new URL(ctx.publicUrl).hostname}`) },
    replyTo: contactEmail || null,
    to: to.email,
    ...mailText(mail.kind, mail.details, frame),
  })
  await queries.updateMail(ctx.db, mail.id, { state: 'sent', problem: null })
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
  const link = await makeMailLink(ctx, user ? { userId: user.id } : { email: email ?? '' }, details.next)
  return { email: user?.email ?? email ?? '', hasAccount: user !== undefined, link }
}
