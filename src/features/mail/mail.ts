// Mail to users. A mail is a row and a job, both in the transaction of the event that it tells of, so no request waits for a mail server.
import { randomUUID } from 'node:crypto'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import type { Mailer } from '../../kernel/mailer.ts'
import { insertMail } from './queries.ts'
import type { LinkKind, MailDetails, NewsKind } from './schema.ts'

declare module '../../kernel/context.ts' {
  interface Context {
    /** null: this service sends no mail. */
    mailer: Mailer | null
  }
}

export const MAIL_JOB = 'mail'

/** Tells a user of an event. `event` names it, so that it is told once. */
export async function tellUser(
  ctx: TransactionContext,
  { event, kind, userId, details }: { event: string; kind: NewsKind; userId: string; details: MailDetails },
): Promise<void> {
  if (!ctx.mailer) return
  const id = `${kind}:${event}`
  const isNew = await insertMail(ctx.db, { id, kind, userId, email: null, details, createdAt: ctx.now() })
  if (isNew) await ctx.enqueue(MAIL_JOB, { id }, userId)
}

/**
 * Sends a link to an address that a visitor has typed. Whether the address has an account is looked up by the job, so that neither the
 * answer nor the time that it takes reveals it. `next` is where the browser goes afterwards.
 */
export async function requestLink(ctx: Context, kind: LinkKind, email: string, next: string): Promise<void> {
  await ctx.transaction(async (ctx) => {
    const id = `${kind}:${randomUUID()}`
    await insertMail(ctx.db, { id, kind, userId: null, email, details: { next }, createdAt: ctx.now() })
    await ctx.enqueue(MAIL_JOB, { id }, MAIL_JOB)
  })
}
