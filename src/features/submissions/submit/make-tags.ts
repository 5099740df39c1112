// Creates the tags that a submission names and that do not exist yet.
import type { TransactionContext } from '../../../kernel/context.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import { Failure, invalid } from '../../../kernel/errors.ts'
import { problem } from '../../../kernel/problem.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { freeSlug, nameKey, termSlug } from '../../catalog/terms/slugify.ts'
import { MOST_UNCONFIRMED_TAGS } from '../schema.ts'
import type { SubmittedTerm } from './read-submission.ts'
import * as queries from './terms.queries.ts'

/**
 * Returns the tags as they are stored, in the given order; another submission may have created one of them a moment ago. A stored tag that
 * readers do not see must not be revealed by the answer. If it has the same name, it takes the new spelling of it. If it only has the slug
 * that the new tag needs, it gets another slug.
 */
export async function makeTags(
  ctx: TransactionContext,
  partnerId: string | null,
  newTags: readonly SubmittedTerm[],
): Promise<SubmittedTerm[]> {
  const names = newTags.map(({ name }) => name)
  const bases = names.map((name) => termSlug('tag', name))
  // Two submissions with the same new name must find each other's tag, and two whose names make one slug must choose different ones.
  await lockText(ctx.db, 'tags')
  const stored = new Map((await queries.listTagsLike(ctx.db, names, bases)).map((tag) => [tag.slug, tag]))
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
    if (same) await queries.updateTagName(ctx.db, slug, name)
    // An operator, who does not use this lock, has just stored a tag with this slug.
    else if (!(await queries.insertTag(ctx.db, { slug, name, submittedBy: partnerId }))) throw tagConflict(slug)
    stored.set(slug, { slug, name, isShown: true })
    changed.push(slug)
    made.push({ slug, name })
  }
  if (changed.length > 0) await ctx.announce({ topic: TOPIC.tag, ids: changed })
  return made
}

/** Throws a 400 if the partner would have too many tags that no operator has confirmed. `more`: how many it is about to make. */
async function checkPartnerLimit(ctx: TransactionContext, partnerId: string, more: number): Promise<void> {
  if (more === 0 || (await queries.countUnconfirmedTags(ctx.db, partnerId)) + more <= MOST_UNCONFIRMED_TAGS) return
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
  stored: Map<string, queries.StoredTag>,
  changed: string[],
): Promise<string> {
  const slug = freeSlug(base, (candidate) => stored.get(candidate)?.isShown === true)
  const hidden = stored.get(slug)
  if (!hidden) return slug
  const to = freeSlug(base, (candidate) => stored.has(candidate))
  const version = await queries.updateTagSlug(ctx.db, slug, to)
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
