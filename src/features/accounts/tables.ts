import { boolean, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

export const users = pgTable('users', {
  id: text().primaryKey(),
  email: text().notNull().unique(),
  plan: text({ enum: ['standard', 'premium'] })
    .notNull()
    .default('standard'),
  role: text({ enum: ['user', 'admin'] })
    .notNull()
    .default('user'),
  banned: boolean().notNull().default(false),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull(),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull(),
})
