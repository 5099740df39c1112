// Deletes an account, or everything about a person. First whole tables are searched and changed in small steps, then the last transaction
// deletes the account. An interrupted deletion is finished by repeating it.
import { randomBytes } from 'node:crypto'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { deleteUser, findUserForUpdate } from '../accounts/queries.ts'
import { insertAudit } from '../audit/queries.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { TOPIC } from '../catalog/schema.ts'
import { deleteKeysOfUser } from '../keys/queries.ts'
import { deleteChangesOfOwner } from '../proposals/queries.ts'
import { requireOtherAdministrator } from '../users/operations.ts'
import * as queries from './erase.queries.ts'
import type { Person } from './find.queries.ts'

interface Erased {
  /** Replaces the person in texts and in the audit log. It is random and says nothing about the person. */
  pseudonym: string
  /** How many rows were deleted or changed, by kind; kinds without any are left out. */
  removed: Record<string, number>
}

/** How much the clocks of several machines may differ. */
const MAX_CLOCK_SKEW_MS = 60_000

const newPseudonym = (): string => `deleted-${randomBytes(4).toString('hex')}`

/**
 * Deletes what belongs to the account. Other rows with the same address stay, because an account does not prove that the address is the
 * user's. The name of an administrator is replaced everywhere, because another administrator has appointed the user.
 */
export async function eraseAccount(
  ctx: Context,
  person: Person,
  { isAdministrator }: { isAdministrator: boolean },
): Promise<void> {
  await checkDeletable(ctx, person)
  const pseudonym = newPseudonym()
  // The last steps also remove what is written while the deletion runs.
  const since = new Date(ctx.now().getTime() - MAX_CLOCK_SKEW_MS)
  await eraseConversations(ctx, () => queries.listQuestionsAboutOrders(ctx.db, person), since)
  await queries.replaceInAudit(ctx.db, person, pseudonym, 'account')
  if (isAdministrator) {
    await queries.replaceLabels(ctx.db, ctx.personalData.labels, person, pseudonym)
    await queries.deleteViews(ctx.db, person)
  }
  await ctx.transaction(async (ctx) => {
    await queries.replaceInLaterAudit(ctx.db, person, pseudonym, 'account', since)
    await deleteAccountOf(ctx, person)
    const subject = `user:${pseudonym}`
    await insertAudit(ctx.db, { at: ctx.now(), actor: pseudonym, action: 'account.delete', subject })
  })
}

/** For operators: deletes or changes every row that contains the address. */
export async function erasePerson(ctx: Context, person: Person): Promise<Erased> {
  await checkDeletable(ctx, person)
  const pseudonym = newPseudonym()
  const since = new Date(ctx.now().getTime() - MAX_CLOCK_SKEW_MS)
  const found = {
    conversations: await eraseConversations(ctx, () => queries.listConversationsOfPerson(ctx.db, person), since),
    founderOf: await untilAll(
      () => queries.listFoundedTools(ctx.db, person),
      (tools) => removeFounder(ctx, person, tools),
    ),
    contactOf: await untilAll(
      () => queries.listPartnersOfContact(ctx.db, person),
      (partners) => removeContact(ctx, person, partners),
    ),
    names: await queries.replaceLabels(ctx.db, ctx.personalData.labels, person, pseudonym),
    mails: await queries.deleteMails(ctx.db, person),
    savedFilters: await queries.deleteViews(ctx.db, person),
    texts: await queries.replaceMentions(ctx.db, ctx.personalData, person, pseudonym),
    auditEntries: await queries.replaceInAudit(ctx.db, person, pseudonym, 'everywhere'),
  }
  const removed = await ctx.transaction(async (ctx) => {
    const later = await queries.replaceInLaterAudit(ctx.db, person, pseudonym, 'everywhere', since)
    const accounts = await deleteAccountOf(ctx, person)
    const counts = withoutZeros({ ...found, auditEntries: found.auditEntries + later, accounts })
    // A repeated deletion that finds nothing is not audited.
    if (Object.keys(counts).length > 0) await writeAudit(ctx, 'person.delete', `user:${pseudonym}`, counts)
    return counts
  })
  return { pseudonym, removed }
}

/** Checked before anything is changed, and again in the last transaction. */
const checkDeletable = (ctx: Context, { userId }: Person) =>
  ctx.transaction(async (ctx) => {
    if (userId !== null) await requireOtherAdministrator(ctx, userId)
  })

/**
 * Deletes the account and returns how many accounts were deleted. The database deletes sessions, passwords and apps with the row. The billing
 * worker then ends the subscriptions at the payment service.
 */
async function deleteAccountOf(ctx: TransactionContext, { userId }: Person): Promise<number> {
  if (userId === null) return 0
  await requireOtherAdministrator(ctx, userId)
  if (!(await findUserForUpdate(ctx.db, userId))) return 0
  await deleteKeysOfUser(ctx.db, userId)
  await deleteChangesOfOwner(ctx.db, userId)
  await deleteUser(ctx.db, userId)
  await ctx.announce({ topic: 'users', ids: [userId] })
  return 1
}

/** Events and stored responses are deleted before their conversation, because they are found by its id. */
const eraseConversations = (ctx: Context, find: () => Promise<string[]>, since: Date): Promise<number> =>
  untilAll(
    async () => {
      const found = await find()
      if (found.length > 0) await queries.deleteEventsAndAnswers(ctx.db, found)
      return found
    },
    (batch) => queries.deleteConversations(ctx.db, batch, since),
  )

const removeFounder = (ctx: Context, person: Person, tools: readonly string[]): Promise<number> =>
  ctx.transaction(async (ctx) => {
    const changed = await queries.removeFounder(ctx.db, person, tools, ctx.now())
    for (const { slug } of changed)
      await writeAudit(ctx, 'tool.change', `tool:${slug}`, { founderEmail: null, founderName: null })
    if (changed.length > 0) await ctx.announce({ topic: TOPIC.tool, ids: changed.map(({ id }) => id) })
    return changed.length
  })

const removeContact = (ctx: Context, person: Person, partners: readonly string[]): Promise<number> =>
  ctx.transaction(async (ctx) => {
    const changed = await queries.removeContact(ctx.db, person, partners, ctx.now())
    for (const { id } of changed) {
      await writeAudit(ctx, 'partner.change', `partner:${id}`, { contactEmail: null })
      await ctx.announce({ topic: 'partners', ids: [id] })
    }
    return changed.length
  })

const BATCH = 100

/** Finds rows and removes them in batches, until no more are found. Returns how many were removed. */
async function untilAll(
  find: () => Promise<string[]>,
  remove: (ids: readonly string[]) => Promise<number>,
): Promise<number> {
  let count = 0
  for (;;) {
    const found = await find()
    for (let at = 0; at < found.length; at += BATCH) count += await remove(found.slice(at, at + BATCH))
    if (found.length < queries.MOST_FOUND) return count
  }
}

const withoutZeros = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
