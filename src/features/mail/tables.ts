import { index, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { timeColumn } from '../../kernel/database/tables.ts'
import { users } from '../accounts/tables.ts'
import { MAIL_KINDS, MAIL_STATES, type MailDetails } from './schema.ts'

/** Mails that were sent or are to be sent. No secret is stored with them: a link is created when its mail is sent. */
export const mails = pgTable(
  'mails',
  {
    /** Kind and event, so that there is one mail for each event. */
    id: text().primaryKey(),
    kind: text({ enum: MAIL_KINDS }).notNull(),
    /** The recipient; null: a visitor has typed `email`, which may or may not have an account. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The address that a visitor has typed; null: the mail goes to the user. */
    email: text(),
    details: jsonb().$type<MailDetails>().notNull(),
    state: text({ enum: MAIL_STATES }).notNull(),
    /** Why the last attempt failed. */
    problem: text(),
    createdAt: timeColumn('created_at').notNull(),
    attemptedAt: timeColumn('attempted_at'),
  },
  (table) => [index('mails_user').on(table.userId), index('mails_created').on(table.createdAt)],
)
