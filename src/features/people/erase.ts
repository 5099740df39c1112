// Deletes an account, or everything about a person. What reads whole tables comes first and in small pieces; the last transaction deletes
// the account. Whoever repeats a deletion that was interrupted finishes it.
import { randomBytes } from 'node:crypto'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { requireOtherAdministrator } from '../accounts/administrators.ts'
import { deleteUser, findUserForUpdate } from '../accounts/queries.ts'
import { insertAudit } from '../audit/queries.ts'
import { auditEntry } from '../audit/rules.ts'
import { TOPIC } from '../catalog/schema.ts'
import { deleteKeysOfUser } from '../keys/queries.ts'
import * as queries from './erase.queries.ts'

export interface Erased {
  /** Stands for the person in the audit log from now on. It says nothing about who it was. */
  pseudonym: string
  /** How many rows were deleted or changed, by kind; kinds without any are left out. */
  removed: Record<string, number>
}

/** By so much the clocks of several machines may differ. */
const CLOCKS_MS = 60_000

const newPseudonym = (): string => `deleted-${randomBytes(4).toString('hex')}`

/**
 * What belongs to the account. An account does not prove whose address it is, so nothing is deleted that only has the same address; the
 * names in the work of administrators are replaced, because administrators were made by others.
 */
export async function eraseAccount(ctx: Context, person: queries.Person, isAdministrator: boolean): Promise<void> {
  await checkDeletable(ctx, person)
  const pseudonym = newPseudonym()
  const since = new Date(ctx.now().getTime() - CLOCKS_MS)
  await queries.replaceInAudit(ctx.db, person, pseudonym, false)
  if (isAdministrator) {
    await queries.replaceLabels(ctx.db, person, pseudonym)
    await queries.deleteViews(ctx.db, person)
  }
  await ctx.transaction(async (ctx) => {
    await queries.replaceInLaterAudit(ctx.db, person, pseudonym, false, since)
    await deleteAccountOf(ctx, person)
    const subject = `user:${pseudonym}`
    await insertAudit(ctx.db, { at: ctx.now(), actor: pseudonym, action: 'account.delete', subject })
  })
  if (person.userId !== null) ctx.keys.drop({ userId: person.userId })
}

/** Everything that has the address, for operators. */
export async function erasePerson(ctx: Context, person: queries.Person): Promise<Erased> {
  await checkDeletable(ctx, person)
  const pseudonym = newPseudonym()
  const since = new Date(ctx.now().getTime() - CLOCKS_MS)
  const found = {
    conversations: await repeated(() => queries.deleteConversations(ctx.db, person)),
    founderOf: await repeated(() => removeFounder(ctx, person)),
    contactOf: await removeContact(ctx, person),
    names: await queries.replaceLabels(ctx.db, person, pseudonym),
    mails: await queries.deleteMails(ctx.db, person),
    savedFilters: await queries.deleteViews(ctx.db, person),
    texts: await queries.replaceMentions(ctx.db, person, pseudonym),
    auditEntries: await queries.replaceInAudit(ctx.db, person, pseudonym, true),
  }
  const removed = await ctx.transaction(async (ctx) => {
    const later = await queries.replaceInLaterAudit(ctx.db, person, pseudonym, true, since)
    const accounts = await deleteAccountOf(ctx, person)
    const counts = withoutZeros({ ...found, auditEntries: found.auditEntries + later, accounts })
    // A repetition that finds nothing is no event.
    if (Object.keys(counts).length > 0)
      await insertAudit(ctx.db, auditEntry(ctx, 'person.delete', `user:${pseudonym}`, counts))
    return counts
  })
  if (person.userId !== null) ctx.keys.drop({ userId: person.userId })
  return { pseudonym, removed }
}

/** The last transaction checks it again; without this a refusal would come after the first pieces were changed. */
const checkDeletable = (ctx: Context, { userId }: queries.Person) =>
  ctx.transaction(async (ctx) => {
    if (userId !== null) await requireOtherAdministrator(ctx, userId)
  })

/** Sessions, passwords, apps and everything counted for them go with the row; the payment service is told by its worker. */
async function deleteAccountOf(ctx: TransactionContext, { userId }: queries.Person): Promise<number> {
  if (userId === null) return 0
  await requireOtherAdministrator(ctx, userId)
  if (!(await findUserForUpdate(ctx.db, userId))) return 0
  await deleteKeysOfUser(ctx.db, userId)
  await deleteUser(ctx.db, userId)
  await ctx.announce({ topic: 'users', ids: [userId] })
  return 1
}

const removeFounder = (ctx: Context, person: queries.Person): Promise<number> =>
  ctx.transaction(async (ctx) => {
    const changed = await queries.removeFounder(ctx.db, person, ctx.now())
    for (const { slug } of changed)
      await insertAudit(
        ctx.db,
        auditEntry(ctx, 'tool.change', `tool:${slug}`, { founderEmail: null, founderName: null }),
      )
    if (changed.length > 0) await ctx.announce({ topic: TOPIC.tool, ids: changed.map(({ id }) => id) })
    return changed.length
  })

const removeContact = (ctx: Context, person: queries.Person): Promise<number> =>
  ctx.transaction(async (ctx) => {
    const changed = await queries.removeContact(ctx.db, person, ctx.now())
    for (const { id } of changed) {
      await insertAudit(ctx.db, auditEntry(ctx, 'partner.change', `partner:${id}`, { contactEmail: null }))
      await ctx.announce({ topic: 'partners', ids: [id] })
    }
    return changed.length
  })

async function repeated(batch: () => Promise<number>): Promise<number> {
  for (let count = 0; ; ) {
    const done = await batch()
    if (done === 0) return count
    count += done
  }
}

const withoutZeros = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
