import { index, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { users } from '../accounts/tables.ts'
import { MAIL_KINDS, MAIL_STATES, type MailDetails } from './schema.ts'

const time = (name: string) => timestamp(name, { withTimezone: true })

/** Mails that were sent or are to be sent. None of them is stored with a secret: a link is made when its mail is sent. */
export const mails = pgTable(
  'mails',
  {
    /** Names the event, so that one event has one mail. */
    id: text().primaryKey(),
    kind: text({ enum: MAIL_KINDS }).notNull(),
    /** The user whom it is for; null: `email` has no account yet. */
    userId: text('user_id').references(() => users.id, { onDelete: 'cascade' }),
    /** Where it goes if there is no user. */
    email: text(),
    details: jsonb().$type<MailDetails>().notNull(),
    state: text({ enum: MAIL_STATES }).notNull(),
    /** Why the last attempt failed. */
    problem: text(),
    createdAt: time('created_at').notNull(),
    attemptedAt: time('attempted_at'),
  },
  (table) => [index('mails_user').on(table.userId), index('mails_created').on(table.createdAt)],
)
