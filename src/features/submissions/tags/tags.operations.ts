// Operator API: tags that submissions created. Operators confirm them, and split a tag for which partners wrote different names.
import { type Static, Type } from 'typebox'
import type { TransactionContext } from '../../../kernel/context.ts'
import { lockText } from '../../../kernel/database/queries.ts'
import { invalid, orNotFound } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { problem } from '../../../kernel/problem.ts'
import { integerType, listPage, NAME_PATTERN, offsetOf, stringType, titledObject } from '../../../kernel/schema.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { freeSlug, nameKey, termSlug } from '../../catalog/terms/slugify.ts'
import { listTagsLike } from '../submit/terms.queries.ts'
import * as queries from './tags.queries.ts'

const operation = operationsFor('operator', 'Taxonomy')

const slug = (description: string) => stringType(description, 'c', { maxLength: 100 })
const name = stringType('A name of a tag.', 'C#', { maxLength: 100, pattern: NAME_PATTERN })
/** How many tags or listings a call may name. */
const MAX_SLUGS = 1000

export const confirmTags = operation({
  name: 'confirm_tags',
  summary: 'Confirm tags of submissions',
  description:
    'Makes tags that submissions made ordinary tags, which readers always see. They no longer count towards the 200 that a partner may have made. Slugs of other tags are left out of the answer.',
  method: 'POST',
  path: '/tag-confirmations',
  body: Type.Object({
    slugs: Type.Array(slug('Slug of a tag.'), {
      minItems: 1,
      maxItems: MAX_SLUGS,
      description: 'Slugs of the tags.',
      examples: [['voice-cloning']],
    }),
  }),
  data: titledObject('ConfirmedTags', 'The tags that are confirmed now.', {
    confirmed: Type.Array(Type.String(), { description: 'Slugs of the tags.', examples: [['voice-cloning']] }),
  }),
  run: async (ctx, _input, { slugs }) => ({
    data: await ctx.transaction(async (ctx) => {
      const confirmed = await queries.updateTagsAsConfirmed(ctx.db, slugs)
      for (const slug of confirmed) await writeAudit(ctx, 'tag.confirm', `tag:${slug}`)
      if (confirmed.length > 0) await ctx.announce({ topic: TOPIC.tag, ids: confirmed })
      return { confirmed }
    }),
  }),
})

const mixedTag = titledObject('MixedTag', 'A tag, and the other names that partners wrote for it.', {
  slug: slug('Slug of the tag.'),
  name: stringType('Its name.', 'C++'),
  written: Type.Array(
    Type.Object({
      name: stringType('What partners wrote.', 'C#'),
      listings: Type.Array(Type.String(), { description: 'Slugs of their listings.', examples: [['acme-writer']] }),
    }),
    { description: 'The other names.' },
  ),
  unrecorded: Type.Array(Type.String(), {
    description:
      'Slugs of listings that were submitted before 1.2, when what partners wrote was not stored and all names with the same slug became one tag. Empty unless there are several.',
    examples: [[]],
  }),
})

export const listMixedTags = operation({
  name: 'list_mixed_tags',
  summary: 'Tags whose users wrote different names',
  description:
    'Tags of listings whose partners wrote another name than the tag has, and tags of before 1.2 that may stand for several names, to be split.',
  method: 'GET',
  path: '/tag-splits',
  parameters: Type.Object(listPage),
  failures: [],
  data: Type.Array(mixedTag),
  run: async (ctx, input) => {
    const mixed = new Map<string, Static<typeof mixedTag>>()
    const tagOf = (slug: string, name: string) => {
      const tag = mixed.get(slug) ?? { slug, name, written: [], unrecorded: [] }
      mixed.set(slug, tag)
      return tag
    }
    for (const { slug, name, sentName, listing } of await queries.listDifferentSentNames(ctx.db)) {
      const key = nameKey(sentName)
      if (key === nameKey(name)) continue
      const tag = tagOf(slug, name)
      const same = tag.written.find((one) => nameKey(one.name) === key)
      if (same) same.listings.push(listing)
      else tag.written.push({ name: sentName, listings: [listing] })
    }
    const unrecorded = Map.groupBy(await queries.listListingsWithoutSentNames(ctx.db), ({ slug }) => slug)
    for (const [slug, rows] of unrecorded)
      if (rows.length > 1) tagOf(slug, rows[0]?.name ?? '').unrecorded = rows.map(({ listing }) => listing)
    const offset = offsetOf(input)
    return { data: [...mixed.values()].slice(offset, offset + input.limit) }
  },
})

export const splitTag = operation({
  name: 'split_tag',
  summary: 'Split a tag',
  description:
    'Gives listings of a tag another tag in its place, which has the given name and is made if there is none. Without listings those whose partners wrote that name are moved.',
  method: 'POST',
  path: '/tag-splits',
  body: Type.Object({
    tag: slug('Slug of the tag.'),
    name,
    listings: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: MAX_SLUGS,
        description: 'Slugs of the listings to move.',
        examples: [['acme-writer']],
      }),
    ),
  }),
  data: titledObject('SplitTag', 'The other tag.', {
    slug: slug('Slug of the other tag.'),
    name,
    moved: integerType('Listings that have it now.', 3),
  }),
  failures: [400, 404],
  example: { success: true, data: { slug: 'c-2', name: 'C#', moved: 3 } },
  run: async (ctx, _input, { tag, name, listings }) => ({
    data: await ctx.transaction(async (ctx) => {
      await lockText(ctx.db, 'tags')
      const before = orNotFound(await queries.findTagForUpdate(ctx.db, tag), 'Tag')
      if (nameKey(before.name) === nameKey(name))
        throw invalid([problem('name', 'is the name of the tag itself. Give the name of the other one.')])
      const chosen = listings ?? (await listingsThatWrote(ctx, tag, name))
      if (chosen.length === 0)
        throw invalid([
          problem('listings', 'is missing: no partner of a listing wrote this name. Give the listings to move.'),
        ])
      const to = await findOrMakeTag(ctx, name.trim(), before.adult)
      const moved = await queries.replaceTagOfListings(ctx.db, { from: tag, to: to.slug, slugs: chosen, at: ctx.now() })
      await writeAudit(ctx, 'tag.split', `tag:${tag}`, { to: to.slug, moved: moved.length })
      await ctx.announce({ topic: TOPIC.tag, ids: [to.slug] })
      if (moved.length > 0) await ctx.announce({ topic: TOPIC.tool, ids: moved })
      return { ...to, moved: moved.length }
    }),
  }),
})

/** The slugs of the listings whose partners wrote this name for the tag. */
async function listingsThatWrote(ctx: TransactionContext, tag: string, name: string): Promise<string[]> {
  const others = await queries.listDifferentSentNames(ctx.db, tag)
  return others.flatMap(({ sentName, listing }) => (nameKey(sentName) === nameKey(name) ? listing : []))
}

/** The tag with this name; if there is none, it is created as a confirmed tag. */
async function findOrMakeTag(
  ctx: TransactionContext,
  name: string,
  adult: boolean,
): Promise<{ slug: string; name: string }> {
  const base = termSlug('tag', name)
  if (base === '') throw invalid([problem('name', 'must contain a letter or a digit.')])
  const stored = await listTagsLike(ctx.db, [name], [base])
  const same = stored.find((tag) => nameKey(tag.name) === nameKey(name))
  if (same) return { slug: same.slug, name: same.name }
  const made = { slug: freeSlug(base, (slug) => stored.some((tag) => tag.slug === slug)), name }
  await queries.insertAdminTag(ctx.db, { ...made, adult })
  await writeAudit(ctx, 'tag.put', `tag:${made.slug}`, { created: true })
  return made
}

export const tagOperations = [confirmTags, listMixedTags, splitTag]
