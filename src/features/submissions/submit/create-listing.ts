// Makes the listing of a submission by a partner or a founder: its slug, its tags, and whether it waits for an administrator.

import { withPictures } from '../../../kernel/addresses/own-addresses.ts'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import { Failure } from '../../../kernel/errors.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { isShownTag } from '../../catalog/reads.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { requestEnrichment } from '../../enrichment/jobs.ts'
import type { TextField } from '../../enrichment/rules.ts'
import { upsertRows } from '../../listings/entries/upsert.queries.ts'
import { flaggedFields } from '../../listings/instructions/find-instructions.ts'
import { lockSlug, RENAMED } from '../../listings/queries.ts'
import { checkedEntry, toRow } from '../../listings/rules.ts'
import * as queries from '../queries.ts'
import { freeToolSlug, slugBase, slugFamily } from '../rules.ts'
import type { SubmitBody } from '../schema.ts'
import type { SubmittedTool } from '../status.ts'
import { makeTags } from './make-tags.ts'
import {
  type CheckedSubmission,
  checkNewTags,
  type KnownTerms,
  type SubmissionDraft,
  termsNamedIn,
} from './read-submission.ts'
import { listNamedTerms } from './terms.queries.ts'

/**
 * The categories and tags that the draft names. Only tags that readers see, because the answer must not reveal that a hidden tag exists.
 */
export async function knownTerms(ctx: Context, draft: Pick<SubmissionDraft, 'category' | 'tags'>): Promise<KnownTerms> {
  const { categories, tags } = await listNamedTerms(ctx.db, termsNamedIn(draft))
  const snapshot = ctx.catalog.snapshot()
  return { categories, tags: tags.filter((tag) => isShownTag(snapshot, tag)) }
}

/**
 * Stores the listing with the values that were sent. `partnerId` is the partner that sent it; null: a founder did. With `needsReview` it
 * waits for an administrator; otherwise readers see it at once.
 */
export async function createListing(
  ctx: TransactionContext,
  partnerId: string | null,
  submission: CheckedSubmission,
  { needsReview }: { needsReview: boolean },
): Promise<{ tool: SubmittedTool; terms: KnownTerms; sentTags: { slug: string; sentName: string }[] }> {
  checkNewTags(submission)
  const { body, category, tags: given, newTags } = submission
  const tags = await storeTags(ctx, partnerId, given, newTags)
  const slug = await chooseSlug(ctx, partnerId, body)
  const references = { category: category.slug, tags: tags.map((tag) => tag.slug) }
  const entry = checkedEntry('tool', slug, {
    ...withPictures(ctx.publicUrl, body),
    ...references,
    // In a body `affiliate` is a text, in a listing a flag.
    affiliate: body.affiliate !== undefined || body.affiliateLink !== undefined,
    faqs: body.faq ?? [],
    published: !needsReview,
    hiddenReason: needsReview ? 'review' : null,
  })
  const texts = { ...entry.body, tags: tags.map((tag) => tag.name) }
  const row = toRow(entry)
  const flagged = { ...row, flaggedFields: flaggedFields(texts), editedFields: [] }
  const id = (await upsertRows(ctx.db, 'tool', [flagged], ctx.now()))[0]?.key
  // An administrator stored a listing with this slug a moment ago. The submission must not replace it.
  if (id === undefined || id !== row.id) throw slugConflict(slug)
  await ctx.announce({ topic: TOPIC.tool, ids: [id] })
  // A founder's form sends empty lists for fields left empty; these do not mean that the product has none.
  await requestEnrichment(ctx, id, partnerId === null ? [] : declinedTexts(body), partnerId)
  const { name, website, pricing } = body
  return {
    tool: { id, slug, name, website, pricing, ...references },
    terms: { categories: [category], tags },
    sentTags: tags.map(({ slug, sentName }) => ({ slug, sentName })),
  }
}

/** Creates the new tags, and returns all given tags as they are stored. */
export async function storeTags(
  ctx: TransactionContext,
  partnerId: string | null,
  given: CheckedSubmission['tags'],
  newTags: CheckedSubmission['newTags'],
): Promise<CheckedSubmission['tags']> {
  const made = newTags.length > 0 ? await makeTags(ctx, partnerId, newTags) : []
  const madeBySlug = new Map(newTags.map(({ slug }, at) => [slug, made[at]]))
  return given.map(({ sentName, ...tag }) => {
    const { slug, name } = madeBySlug.get(tag.slug) ?? tag
    return { slug, name, sentName }
  })
}

/** An explicit empty list or map means that the product has none, so enrichment fills in only omitted fields. */
const declinedTexts = ({ faq, features }: SubmitBody): TextField[] => [
  ...(faq?.length === 0 ? (['faqs'] as const) : []),
  ...(features && Object.keys(features).length === 0 ? (['features'] as const) : []),
]

const slugConflict = (slug: string) =>
  new Failure(503, `Another listing took the slug ${slug} at this very moment. Try again.`, {
    headers: { 'retry-after': '1' },
  })

/**
 * The first slug that is not taken by a listing that the sender can know of. When a hidden listing has that slug, the hidden listing is
 * renamed: a number in the sender's slug would reveal that the hidden listing exists.
 */
async function chooseSlug(
  ctx: TransactionContext,
  partnerId: string | null,
  body: Parameters<typeof slugBase>[0],
): Promise<string> {
  const base = slugBase(body)
  await lockText(ctx.db, `slug:${slugFamily(base)}`)
  const takenSlugs = await queries.listSlugsLike(ctx.db, partnerId, base)
  const slug = freeToolSlug(base, (candidate) => takenSlugs.get(candidate)?.isKnown === true)
  const hidden = takenSlugs.get(slug)
  if (!hidden) return slug
  const slugOfHidden = freeToolSlug(base, (candidate) => takenSlugs.has(candidate))
  for (const candidate of [slug, slugOfHidden]) await lockSlug(ctx.db, 'tool', candidate)
  const version = await queries.updateHiddenSlug(ctx.db, hidden.id, slug, slugOfHidden)
  if (version === undefined) throw slugConflict(slug)
  // Logged under both slugs, because an operator who looks for the hidden listing knows the old one.
  for (const candidate of [slug, slugOfHidden])
    await writeAudit(ctx, RENAMED, `tool:${candidate}`, { id: hidden.id, from: slug, to: slugOfHidden, version })
  return slug
}
