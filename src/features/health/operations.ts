// Whether the websites of listings are still there: operations for callers of the catalog, and for operators, who decide what becomes of a
// listing whose website is not.
import { type Static, Type } from 'typebox'
import type { Context, TransactionContext } from '../../kernel/context.ts'
import { badRequest, Failure, invalid, notFound, unfit } from '../../kernel/errors.ts'
import { operation } from '../../kernel/operation.ts'
import { problem } from '../../kernel/problem.ts'
import { listPage, offsetOf } from '../../kernel/schema.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import { capitalised } from '../../kernel/values/text.ts'
import { writeAudit } from '../audit/write-audit.ts'
import { findListing } from '../catalog/reads.ts'
import { type ListedKind, TOPIC } from '../catalog/schema.ts'
import { type SimilarListing, similarListings } from '../catalog/site/similar.ts'
import { entryOperations } from '../listings/operations.ts'
import { findRecord } from '../listings/queries.ts'
import { bodies, healthStateOf } from '../listings/schema.ts'
import * as queries from './queries.ts'
import { firstLookAt, hasAlternatives, NO_MEMORY } from './rules.ts'
import { healthChange, healthDecided, healthDecisions, healthFilters, healthRowSchema, healthSchema } from './schema.ts'

const MOST_ALTERNATIVES = 5
// Alternatives are chosen among this many similar listings; those that are not alive are left out.
const SIMILAR_COMPARED = 30

type NamedListing = Omit<SimilarListing, 'id'>

export interface Health extends Pick<queries.HealthRow, 'state' | 'since' | 'checkedAt' | 'showsBadge'> {
  slug: string
  successor: NamedListing | null
  alternatives: NamedListing[]
}

export async function readHealth(ctx: Context, kind: ListedKind, slug: string): Promise<Health> {
  const snapshot = ctx.catalog.snapshot()
  const listings = snapshot[TOPIC[kind]]
  const listing = findListing(listings, slug, capitalised(kind))
  const row = await queries.findHealth(ctx.db, listings.idOf.get(listing.slug) ?? '')
  const { since, checkedAt, showsBadge } = row ?? { ...NO_MEMORY, checkedAt: null, showsBadge: false }
  const state = healthStateOf(row?.state ?? NO_MEMORY.state)
  const named = row?.successorId ? listings.index.get(row.successorId) : undefined
  const similar = hasAlternatives(state) ? similarListings(snapshot, kind, listing, SIMILAR_COMPARED) : []
  const alive = await queries.listAlive(
    ctx.db,
    similar.map(({ id }) => id),
  )
  const shown = ({ slug, name }: NamedListing): NamedListing => ({ slug, name })
  return {
    ...{ slug: listing.slug, state, since, checkedAt, showsBadge },
    successor: named ? shown(JSON.parse(named.json.toString())) : null,
    alternatives: similar
      .filter(({ id }) => alive.has(id))
      .slice(0, MOST_ALTERNATIVES)
      .map(shown),
  }
}

const readOperation = <K extends ListedKind>(kind: K) =>
  operation({
    name: `get_${kind}_health`,
    summary: `Whether a ${kind} is still there`,
    description: `What the looks at the website of the ${kind} have found, since when, and what to use instead. Every website is looked at every 7 days.`,
    group: 'Catalog',
    access: 'catalog',
    method: 'GET',
    path: `/${TOPIC[kind]}/:slug/health`,
    parameters: Type.Object({ slug: healthSchema.properties.slug }),
    data: healthSchema,
    run: async (ctx, { slug }) => ({ data: await readHealth(ctx, kind, slug) }),
  })

export const healthOperations = [readOperation('tool'), readOperation('directory')]

export const listHealth = operation({
  name: 'list_health',
  summary: 'What looks at websites have found',
  description: 'Published listings with what the looks at their websites have found, the newest state first.',
  group: 'Listings',
  access: 'operator',
  method: 'GET',
  path: '/health',
  parameters: Type.Object({ ...healthFilters, ...listPage }),
  data: Type.Array(healthRowSchema),
  run: async (ctx, { new: isNew, ...input }) => {
    const since = isNew ? new Date(ctx.now().getTime() - DAY_MS) : undefined
    return { data: await queries.listHealthRows(ctx.db, { ...input, since }, input.limit, offsetOf(input)) }
  },
})

const changeOperation = <K extends ListedKind>(kind: K) =>
  operation({
    name: `change_${kind}_health`,
    summary: `Decide about a ${kind} that is gone or has moved`,
    description: `Keeps the ${kind} as it is, gives it the address to which its website has moved, hides it, or names the ${kind} to recommend instead.`,
    group: 'Listings',
    access: 'operator',
    method: 'PATCH',
    path: `/${TOPIC[kind]}/:slug/health`,
    parameters: Type.Object({ slug: healthSchema.properties.slug }),
    body: healthChange,
    data: healthRowSchema,
    run: async (ctx, { slug }, change) => {
      checkChange(change)
      const before = await findRow(ctx, kind, slug)
      await changeOne(ctx, kind, slug, change)
      return { data: change.decision === 'hide' ? before : await findRow(ctx, kind, slug) }
    },
  })

export const decideHealth = operation({
  name: 'decide_health',
  summary: 'Decide about many listings that are gone or have moved',
  description:
    'The same for each of the listings, one after the other. Those that cannot be changed stay as they are, and the answer says why.',
  group: 'Listings',
  access: 'operator',
  method: 'POST',
  path: '/health/decide',
  body: healthDecisions,
  data: Type.Array(healthDecided),
  example: { success: true, data: [{ slug: 'acme-writer', error: null }] },
  run: async (ctx, _input, { kind, slugs, ...change }) => {
    checkChange(change)
    const data: Static<typeof healthDecided>[] = []
    for (const slug of slugs) {
      const error = await changeOne(ctx, kind, slug, change).then(() => null, refusalOf)
      data.push({ slug, error })
    }
    return { data }
  },
})

export const healthOperatorOperations = [
  listHealth,
  changeOperation('tool'),
  changeOperation('directory'),
  decideHealth,
]

type HealthChange = Static<typeof healthChange>

function checkChange({ decision, successor }: HealthChange): void {
  if ((decision === undefined) === (successor === undefined))
    throw unfit('Give either a decision or a successor.', 'decision', 'successor')
}

async function changeOne(ctx: Context, kind: ListedKind, slug: string, { decision, successor }: HealthChange) {
  if (decision === 'hide') await entryOperations[kind].change.run(ctx, { slug }, { published: false }, {})
  else if (decision === 'new-address') await giveNewAddress(ctx, kind, slug)
  else await ctx.transaction((ctx) => decide(ctx, kind, slug, successor))
}

/** The sentence of a failure that the caller can correct. Any other error is thrown again. */
function refusalOf(error: unknown): string {
  if (error instanceof Failure && error.status < 500) return error.message
  throw error
}

/** The health of a published listing. For a listing that has none yet, a first look is planned. */
async function findRow(ctx: Pick<Context, 'db' | 'now'>, kind: ListedKind, slug: string) {
  const found = await queries.findHealthRow(ctx.db, kind, slug)
  if (found) return found
  const listing = await queries.findPublished(ctx.db, kind, slug)
  if (!listing) throw notFound(capitalised(kind))
  await queries.upsertWebsites(ctx.db, kind, [{ ...listing, nextAt: firstLookAt(listing.id, ctx.now()) }])
  const planned = await queries.findHealthRow(ctx.db, kind, slug)
  if (!planned) throw notFound(capitalised(kind))
  return planned
}

/** Keeps the listing as it is, and names its successor if one is given. */
async function decide(
  ctx: TransactionContext,
  kind: ListedKind,
  slug: string,
  successor: string | null | undefined,
): Promise<void> {
  if (successor !== undefined) return nameSuccessor(ctx, kind, slug, successor, { decidedAt: ctx.now() })
  const { listingId, since, decidedAt } = await findRow(ctx, kind, slug)
  // A request that was sent again changes nothing.
  if (decidedAt !== null && (since === null || decidedAt >= since)) return
  await storeDecision(ctx, kind, slug, listingId, { decidedAt: ctx.now() }, { decision: 'keep' })
}

/**
 * Names the listing that readers are told to use instead; `successor` null removes it. When an operator names one, this counts as the
 * decision about the listing (`decidedAt`); when an owner does, it does not.
 */
export async function nameSuccessor(
  ctx: TransactionContext,
  kind: ListedKind,
  slug: string,
  successor: string | null,
  decision: { decidedAt?: Date },
): Promise<void> {
  const { listingId, successor: before } = await findRow(ctx, kind, slug)
  const named = successor === null ? null : (await queries.findPublished(ctx.db, kind, successor))?.id
  if (named === undefined || named === listingId)
    throw invalid([problem('successor', `must be the slug of another published ${kind}.`)])
  // A request that was sent again changes nothing.
  if (successor === (before?.slug ?? null)) return
  await storeDecision(ctx, kind, slug, listingId, { ...decision, successorId: named }, { successor })
}

async function storeDecision(
  ctx: TransactionContext,
  kind: ListedKind,
  slug: string,
  listingId: string,
  change: Parameters<typeof queries.updateHealthDecision>[2],
  details: Record<string, unknown>,
): Promise<void> {
  await queries.updateHealthDecision(ctx.db, listingId, change)
  await writeAudit(ctx, `${kind}.health`, `${kind}:${slug}`, details)
  // Every process makes the pages and answers about this listing anew.
  await ctx.announce({ topic: TOPIC[kind], ids: [listingId] })
}

/** Gives the listing the address at which the last look ended. What earlier looks found at the old address is deleted. */
async function giveNewAddress(ctx: Context, kind: ListedKind, slug: string): Promise<void> {
  const { listingId, state, finalUrl } = await findRow(ctx, kind, slug)
  if (state !== 'moved' || finalUrl === null)
    throw badRequest(
      `The website of this ${kind} has not moved. To give it another address, change the ${kind} itself.`,
    )
  const stored = await findRecord(ctx.db, kind, slug)
  if (!stored) throw notFound(capitalised(kind))
  // A PUT without the time of creation keeps it.
  const { createdAt: _createdAt, ...properties } = bodies[kind].properties
  const fields = Object.keys(properties).map((name) => [name, stored[name]])
  const body = { ...Object.fromEntries(fields), website: finalUrl }
  await entryOperations[kind].put.run(ctx, { slug, ifVersion: stored.version }, body, {})
  await queries.upsertWebsites(ctx.db, kind, [{ id: listingId, website: finalUrl, nextAt: ctx.now() }])
}
