// Makes the listing of a submission by a partner or a founder: its slug, its tags, and whether it waits for an administrator.
import { withPictures } from '../../../kernel/addresses/own-addresses.ts'
import type { Context, TransactionContext } from '../../../kernel/context.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import { Failure, invalid } from '../../../kernel/errors.ts'
import { problem } from '../../../kernel/problem.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { isShownTag } from '../../catalog/reads.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { freeSlug, nameKey, termSlug } from '../../catalog/terms/slugify.ts'
import { requestEnrichment } from '../../enrichment/jobs.ts'
import type { TextField } from '../../enrichment/rules.ts'
import { upsertRows } from '../../listings/entries/upsert.queries.ts'
import { flaggedFields } from '../../listings/instructions/find-instructions.ts'
import { lockSlug, RENAMED } from '../../listings/queries.ts'
import { checkedEntry, toRow } from '../../listings/rules.ts'
import * as queries from '../queries.ts'
import { freeToolSlug, slugBase, slugFamily } from '../rules.ts'
import { MOST_UNCONFIRMED_TAGS, type SubmitBody } from '../schema.ts'
import type { SubmittedTool } from '../status.ts'
import {
  type CheckedSubmission,
  checkNewTags,
  type KnownTerms,
  type SubmissionDraft,
  type SubmittedTerm,
  termsNamedIn,
} from './read-submission.ts'
import * as terms from './terms.queries.ts'

/**
 * The categories and tags that the draft names. Only tags that readers see, because the answer must not reveal that a hidden tag exists.
 */
export async function knownTerms(ctx: Context, draft: Pick<SubmissionDraft, 'category' | 'tags'>): Promise<KnownTerms> {
  const { categories, tags } = await terms.listNamedTerms(ctx.db, termsNamedIn(draft))
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

/**
 * Creates the tags that do not exist yet. Returns the tags as they are stored, in the given order; another submission may have created one
 * of them a moment ago. A stored tag that readers do not see must not be revealed by the answer. If it has the same name, it takes the new
 * spelling of it. If it only has the slug that the new tag needs, it gets another slug.
 */
async function makeTags(
  ctx: TransactionContext,
  partnerId: string | null,
  newTags: readonly SubmittedTerm[],
): Promise<SubmittedTerm[]> {
  const names = newTags.map(({ name }) => name)
  const bases = names.map((name) => termSlug('tag', name))
  // Two submissions with the same new name must find each other's tag, and two whose names make one slug must choose different ones.
  await lockText(ctx.db, 'tags')
  const stored = new Map((await terms.listTagsLike(ctx.db, names, bases)).map((tag) => [tag.slug, tag]))
  const storedWithName = (name: string) => stored.values().find((tag) => nameKey(tag.name) === nameKey(name))
  if (partnerId !== null) await checkPartnerLimit(ctx, partnerId, names.filter((name) => !storedWithName(name)).length)
  const changed: string[] = []
  const made: SubmittedTerm[] = []
  for (const [at, name] of names.entries()) {
    const same = storedWithName(name)
    if (same?.isShown) {
      made.push({ slug: same.slug, name: same.name })
      continue
    }
    const slug = same?.slug ?? (await freeTagSlug(ctx, bases[at] ?? '', stored, changed))
    if (same) await terms.updateTagName(ctx.db, slug, name)
    // An operator, who does not use this lock, has just stored a tag with this slug.
    else if (!(await terms.insertTag(ctx.db, { slug, name, submittedBy: partnerId }))) throw tagConflict(slug)
    stored.set(slug, { slug, name, isShown: true })
    changed.push(slug)
    made.push({ slug, name })
  }
  if (changed.length > 0) await ctx.announce({ topic: TOPIC.tag, ids: changed })
  return made
}

/** Throws a 400 if the partner would have too many tags that no operator has confirmed. `more`: how many it is about to make. */
async function checkPartnerLimit(ctx: TransactionContext, partnerId: string, more: number): Promise<void> {
  if (more === 0 || (await terms.countUnconfirmedTags(ctx.db, partnerId)) + more <= MOST_UNCONFIRMED_TAGS) return
  throw invalid([
    problem(
      'tags',
      `would make ${more} new ${more === 1 ? 'tag' : 'tags'}, but a client may have at most ${MOST_UNCONFIRMED_TAGS} that no operator has confirmed. Name tags that exist (GET /tags lists them), or ask the operator to confirm yours.`,
    ),
  ])
}

/** Chooses a slug that no visible tag has. A hidden tag that has it gets another slug. */
async function freeTagSlug(
  ctx: TransactionContext,
  base: string,
  stored: Map<string, terms.StoredTag>,
  changed: string[],
): Promise<string> {
  const slug = freeSlug(base, (candidate) => stored.get(candidate)?.isShown === true)
  const hidden = stored.get(slug)
  if (!hidden) return slug
  const to = freeSlug(base, (candidate) => stored.has(candidate))
  const version = await terms.updateTagSlug(ctx.db, slug, to)
  // Logged under both slugs, because an operator who looks for the hidden tag knows the old one.
  for (const candidate of [slug, to])
    await writeAudit(ctx, 'tag.rename', `tag:${candidate}`, { from: slug, to, version })
  stored.delete(slug)
  stored.set(to, { ...hidden, slug: to })
  changed.push(to)
  return slug
}

const tagConflict = (slug: string) =>
  new Failure(503, `An operator made the tag ${slug} at this very moment. Try again.`, {
    headers: { 'retry-after': '1' },
  })
