// Sends a founder's product: it is checked as a submission of a partner is, and then waits for an administrator or is listed at once.
import { createHmac, randomBytes } from 'node:crypto'
import type { TransactionContext } from '../../../kernel/context.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import { badRequest, conflict } from '../../../kernel/errors.ts'
import { DAY_MS } from '../../../kernel/values/days.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { findUser } from '../../accounts/queries.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { flaggedFields } from '../../listings/instructions/find-instructions.ts'
import { hostOfKey, hostsOfKey } from '../../listings/website-key.ts'
import { findToolByWebsite, isTakenDown } from '../../submissions/queries.ts'
import { createListing, knownTerms } from '../../submissions/submit/create-listing.ts'
import {
  type CheckedSubmission,
  checkNewTags,
  matchSubmission,
  readSubmission,
} from '../../submissions/submit/read-submission.ts'
import * as queries from './queries.ts'
import { looksOfName, MOST_A_DAY, MOST_WAITING, suspicionsOf } from './rules.ts'
import { type ProductFields, productFields } from './schema.ts'

/** Throws a 400 if the founder may send no more at the moment. The caller holds the founder's lock. */
export async function checkLimits(ctx: TransactionContext): Promise<void> {
  if (ctx.founders.mode === 'off') throw badRequest('This service takes no products from founders.')
  if ((await queries.countWaiting(ctx.db, ctx.caller.id)) >= MOST_WAITING)
    throw badRequest(
      `${MOST_WAITING} of your products wait for review, which is the most. Send the next when one is decided.`,
    )
  if ((await queries.countSentSince(ctx.db, ctx.caller.id, new Date(ctx.now().getTime() - DAY_MS))) >= MOST_A_DAY)
    throw badRequest(`You have sent ${MOST_A_DAY} products in a day, which is the most. Send the next tomorrow.`)
}

export async function sendProduct(ctx: TransactionContext, product: queries.ProductRow, raw: unknown): Promise<void> {
  const { submission, fields } = await checkedProduct(ctx, product, raw, ctx.caller.label)
  await checkLimits(ctx)
  await lockUnlisted(ctx, product)
  const suspicions = await findSuspicions(ctx, product, submission)
  const now = ctx.now()
  const isOpen = ctx.founders.mode === 'open' && suspicions.length === 0
  const tool = isOpen ? (await createListing(ctx, null, submission, { needsReview: false })).tool : null
  await queries.updateProduct(ctx.db, product.id, {
    fields,
    suspicions,
    state: tool ? 'accepted' : 'waiting',
    timesSent: product.timesSent + 1,
    firstSentAt: product.firstSentAt ?? now,
    reason: '',
    toolId: tool?.id ?? null,
    sentAt: now,
    decidedAt: tool ? now : null,
    updatedAt: now,
  })
  const details = { website: product.website, ...(tool ? { tool: tool.slug } : {}) }
  await writeAudit(ctx, 'review.send', `review:${product.id}`, details)
}

/** Checks the fields as those of a partner's submission; throws a 400 with all problems. */
export async function checkedProduct(
  ctx: TransactionContext,
  { website }: Pick<queries.ProductRow, 'website'>,
  raw: unknown,
  founderEmail: string,
): Promise<{ submission: CheckedSubmission; fields: ProductFields }> {
  const given = isObject(raw) ? raw : {}
  const productValues = Object.fromEntries(Object.keys(productFields.properties).map((name) => [name, given[name]]))
  const known = Object.fromEntries(Object.entries(productValues).filter(([, value]) => value !== undefined))
  const draft = readSubmission({ tags: [], ...known, website, founderEmail }, ctx.outboundAllowed, ctx.publicUrl)
  const submission = matchSubmission(draft, await knownTerms(ctx, draft))
  checkNewTags(submission)
  const { website: _website, founderEmail: _email, ...fields } = submission.body
  // The form names existing terms by their slugs, and new tags by their names.
  const isNew = (slug: string) => submission.newTags.some((tag) => tag.slug === slug)
  const tags = submission.tags.map(({ slug, name }) => (isNew(slug) ? name : slug))
  return { submission, fields: { ...fields, category: submission.category.slug, tags } }
}

/** Locks the website, so that no other request lists it until the transaction ends. Throws a 409 if it is listed already. */
export async function lockUnlisted(ctx: TransactionContext, { websiteKey }: queries.ProductRow): Promise<void> {
  await lockText(ctx.db, `website:${websiteKey}`)
  const listed = await findToolByWebsite(ctx.db, websiteKey)
  if (listed) throw conflict(`This website is listed already, as ${listed.name} at /tools/${listed.slug}.`)
}

async function findSuspicions(
  ctx: TransactionContext,
  { userId, websiteKey, sources }: queries.ProductRow,
  { body, tags }: CheckedSubmission,
): Promise<string[]> {
  const weekAgo = new Date(ctx.now().getTime() - 7 * DAY_MS)
  const { name } = body
  const { id, address } = ctx.caller
  return suspicionsOf({
    name,
    host: hostOfKey(websiteKey),
    takenDownHost: await isTakenDown(ctx.db, hostsOfKey(websiteKey)),
    refusedBefore: await queries.findRefusal(ctx.db, hostsOfKey(websiteKey)),
    isUnread: ctx.founders.mode === 'open' && Object.keys(sources).length === 0,
    flagged: flaggedFields({ ...body, tags: tags.map(({ name }) => name) }),
    sentLately: (await queries.countSentSince(ctx.db, userId, weekAgo)) + 1,
    accountsOfAddress: address === undefined ? 1 : ctx.founders.senders.note(address, id),
    sameName: await queries.findToolNamed(ctx.db, { name, looks: looksOfName(name) }, websiteKey),
    isSentByOther: await queries.isSentByOther(ctx.db, userId, websiteKey),
  })
}

/** The address of the account that sent a product, which becomes the founder's in the listing. */
export async function emailOfFounder(ctx: TransactionContext, userId: string): Promise<string> {
  const user = await findUser(ctx.db, userId)
  if (!user) throw new Error('A product belongs to an account that does not exist.')
  return user.email
}

/**
 * Counts the accounts that have sent products from one network address. Each process keeps the counts in its memory for at most a week. An
 * address is kept only as a hash, whose random key is forgotten with the counts.
 */
export interface Senders {
  /** Returns how many accounts have sent a product from the address this week, this one included. */
  note(address: string, userId: string): number
}

const WEEK_MS = 7 * DAY_MS
const MOST_NOTED = 100_000

export function createSenders(): Senders {
  const accounts = new Map<string, Set<string>>()
  let key = randomBytes(32)
  let noted = 0
  const forget = () => {
    accounts.clear()
    key = randomBytes(32)
    noted = 0
  }
  setInterval(forget, WEEK_MS).unref()
  return {
    note(address, userId) {
      if (noted >= MOST_NOTED) forget()
      noted++
      const sender = createHmac('sha256', key).update(address).digest('base64url')
      const users = (accounts.get(sender) ?? new Set()).add(userId)
      accounts.set(sender, users)
      return users.size
    },
  }
}
