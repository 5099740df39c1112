// Mail to users. The transaction of an event stores the mail and queues the job that sends it, so that no request waits for a mail server.
import { randomUUID } from 'node:crypto'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import type { Mailer } from '../../kernel/interfaces/mailer.ts'
import { insertMail, type NewMail } from './queries.ts'
import type { AnswerKind, LinkKind, MailDetails, NewsKind } from './schema.ts'

declare module '../../kernel/context.ts' {
  interface Context {
    /** null: this service sends no mail. */
    mailer: Mailer | null
  }
}

export const MAIL_JOB = 'mail'

/** Mails a user about an event. `event` identifies the event, so that only one mail is sent about it. */
export async function tellUser(
  ctx: TransactionContext,
  { event, kind, userId, details }: { event: string; kind: NewsKind; userId: string; details: MailDetails },
): Promise<void> {
  if (ctx.mailer) await queueMail(ctx, { id: `${kind}:${event}`, kind, userId, email: null, details })
}

/** Mails the answer to a visitor at the address that the visitor has left. `event` as in `tellUser`. */
export async function tellAddress(
  ctx: TransactionContext,
  { event, kind, email, details }: { event: string; kind: AnswerKind; email: string; details: MailDetails },
): Promise<void> {
  if (ctx.mailer) await queueMail(ctx, { id: `${kind}:${event}`, kind, userId: null, email, details })
}

/**
 * Sends a link to an address that a visitor has typed. The job looks up whether the address has an account, so that neither the response
 * nor its duration reveals it. `next` is where the browser goes afterwards.
 */
export async function requestLink(ctx: Context, kind: LinkKind, email: string, next: string): Promise<void> {
  const id = `${kind}:${randomUUID()}`
  await ctx.transaction((ctx) => queueMail(ctx, { id, kind, userId: null, email, details: { next } }))
}

/** Stores the mail with the job that sends it, unless there is a mail with this id already. */
async function queueMail(ctx: TransactionContext, mail: Omit<NewMail, 'createdAt'>): Promise<void> {
  const isNew = await insertMail(ctx.db, { ...mail, createdAt: ctx.now() })
  if (isNew) await ctx.enqueue(MAIL_JOB, { id: mail.id }, mail.userId ?? MAIL_JOB)
}
