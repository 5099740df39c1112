// The plan for founders on the public site. It is made from the published catalog in memory, without the outcomes and decisions that only
// administrators know.
import type { Static } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { createPauses } from '../../../kernel/work/scheduler.ts'
import type { ListingIndex } from '../../catalog/memory/snapshot.ts'
import { slugsInCondition } from '../../catalog/questions/conditions.ts'
import { HAS_ENDED, type Listing, notForKind, OTHER_LANGUAGES } from '../../catalog/rules.ts'
import { DEFAULT_LANGUAGE, type Directory, type ProductKind } from '../../catalog/schema.ts'
import { assessor, choosePlan, type DirectoryTraits, type PlanCandidate, type PlanInput, traitsOf } from '../rules.ts'
import type { foundersParameters } from '../schema.ts'
import {
  AUDIENCES,
  type FittingDirectory,
  goalPoints,
  isLaunchPlatform,
  limitProblems,
  type PlanPhase,
  type PlanTotals,
  schedule,
  startOf,
  totalsOf,
  withinBudget,
} from './founders.rules.ts'

type FoundersQuery = Static<typeof foundersParameters> & {
  kind: ProductKind
  /** Slugs: the plan has these and no others, also those that do not fit. */
  directories?: readonly string[]
}

export interface FoundersPlan {
  phases: PlanPhase[]
  totals: PlanTotals
  start: string
  /** Directories that do not fit, the strongest first. */
  leftOut: { slug: string; name: string; reason: string }[]
  /** How many fit and come after those of the plan. */
  surplus: number
  shortBy: number
}

export async function foundersPlan(ctx: Context, query: FoundersQuery): Promise<FoundersPlan> {
  const compared = await compare(ctx, query)
  const candidates = compared.map(({ candidate }) => candidate)
  // Directories that the founder has named stay in the plan even if they do not fit; `leftOut` says why they do not.
  const isAsked = query.directories !== undefined
  const kept = isAsked ? candidates.map((one) => ({ ...one, problems: [] })) : candidates
  const { chosen, leftOut } = choosePlan({ ...planInput(ctx, query), count: kept.length }, kept)
  const preparedBySlug = new Map(compared.map(({ listing }) => [listing.slug, prepare(listing)]))
  const fitting = chosen.flatMap(({ directory: { slug }, score, reasons: [topic = ''] }): FittingDirectory[] => {
    const prepared = preparedBySlug.get(slug)
    if (!prepared) return []
    const { shown, traits } = prepared
    return [{ directory: shown, score, topic, isLaunch: isLaunchPlatform(shown, traits.topics) }]
  })
  const { taken, tooDear, surplus } = isAsked
    ? { taken: fitting, tooDear: [], surplus: [] }
    : withinBudget(fitting, query.count, query.budget)
  const start = startOf(query.start, ctx.now())
  const phases = schedule(taken, { start, hours: query.hours, goal: query.goal })
  const overBudget = tooDear.map(({ directory: { slug } }) => ({ slug, reason: 'would go over your budget' }))
  const unfit = isAsked ? candidates.filter(({ problems }) => problems.length > 0).map(askedProblem) : leftOut
  return {
    phases,
    totals: totalsOf(phases.flatMap(({ steps }) => steps)),
    start,
    leftOut: strongestFirst([...overBudget, ...unfit], preparedBySlug),
    surplus: surplus.length,
    shortBy: isAsked ? 0 : Math.max(0, query.count - taken.length),
  }
}

/** Directories that are left out with their names, sorted by Domain Rating. */
function strongestFirst(
  leftOut: readonly { slug: string; reason: string }[],
  preparedBySlug: ReadonlyMap<string, PreparedDirectory>,
): FoundersPlan['leftOut'] {
  const shown = leftOut.flatMap(({ slug, reason }) => {
    const directory = preparedBySlug.get(slug)?.shown
    return directory ? [{ entry: { slug, name: directory.name, reason }, rating: directory.domainRating ?? -1 }] : []
  })
  return shown.toSorted((a, b) => b.rating - a.rating).map(({ entry }) => entry)
}

interface Compared {
  listing: Listing
  candidate: PlanCandidate
}

/** The directories to choose from, compared with the product. */
async function compare(ctx: Context, query: FoundersQuery): Promise<Compared[]> {
  const assess = assessor(planInput(ctx, query))
  const limitsOf = readLimits(ctx, query)
  const pause = createPauses()
  const compared: Compared[] = []
  for (const listing of candidatesIn(ctx.catalog.snapshot().directories, query)) {
    const { shown, traits } = prepare(listing)
    if (traits.topics.exclusive.includes('adult')) continue
    const candidate = assess(traits)
    const problems = [...candidate.problems, ...limitProblems(shown, limitsOf(listing))]
    const points = candidate.points + goalPoints(query.goal, shown, traits.topics)
    compared.push({ listing, candidate: { ...candidate, problems, points } })
    await pause()
  }
  return compared
}

/** Choices that a directory must meet. All other choices change only the order of the plan. */
const WISHES = ['cost', 'type', 'rating', 'badge', 'budget'] as const

export interface GivenUp {
  wishes: readonly (typeof WISHES)[number][]
  /** How many directories fit without them. */
  count: number
}

/**
 * For a plan that found too few directories: how many would fit if the founder gave up one wish, or all of them. Empty for a plan of
 * directories that were asked for by name, because no wish leaves one of these out. The product is compared with the directories only once.
 */
export async function givenUpOf(ctx: Context, query: FoundersQuery): Promise<GivenUp[]> {
  const wishes = query.directories ? [] : WISHES.filter((name) => query[name] !== undefined)
  if (wishes.length === 0) return []
  const { directories } = ctx.catalog.snapshot()
  const without = (givenUp: GivenUp['wishes']) => ({
    ...query,
    ...Object.fromEntries(givenUp.map((name) => [name, undefined])),
  })
  const fitting = (await compare(ctx, without(wishes))).filter(({ candidate }) => candidate.problems.length === 0)
  const attempts = [...wishes.map((one) => [one]), ...(wishes.length > 1 ? [wishes] : [])]
  const counted = attempts.map((givenUp): GivenUp => {
    const remaining = without(givenUp)
    const eligible = new Set(candidatesIn(directories, remaining))
    const limitsOf = readLimits(ctx, remaining)
    const met = fitting.filter(
      ({ listing }) => eligible.has(listing) && limitProblems(prepare(listing).shown, limitsOf(listing)).length === 0,
    )
    if (!remaining.budget) return { wishes: givenUp, count: met.length }
    // With a budget, directories that fit alone may cost too much together.
    const candidates = met.map(({ candidate }) => candidate)
    const { chosen } = choosePlan({ ...planInput(ctx, remaining), count: met.length }, candidates)
    const { tooDear } = withinBudget(chosen, remaining.count, remaining.budget)
    return { wishes: givenUp, count: met.length - tooDear.length }
  })
  return counted.filter(({ count }) => count > 0)
}

const askedProblem = ({ directory: { slug }, problems }: PlanCandidate) => ({
  slug,
  reason: `stays, because it is on your list, but it ${problems.join(' and ')}`,
})

/** The directories to choose from: those that were asked for by name, or those with the facts that were asked for. */
function candidatesIn({ index }: ListingIndex, { cost, badge, type, rating, directories }: FoundersQuery): Listing[] {
  // Without badges, directories that demand one are not filtered out here: the plan lists them among those that do not fit, and says why.
  const wanted = { cost, badge: badge === 'none' ? undefined : badge, type: type?.toLowerCase(), rating }
  const facts = directories ? [] : Object.entries(wanted)
  const { items } = index.find({
    all: facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${value}`])),
    none: [HAS_ENDED],
    offset: 0,
    limit: index.size,
  })
  return directories ? items.filter(({ slug }) => directories.includes(slug)) : items
}

/**
 * Returns a function that gives the limits for a directory: those of the founder, and whether the directory takes the kind and the language
 * of the product, which its facets in the search index say.
 */
function readLimits({ catalog, site }: Context, { kind, badge, budget }: FoundersQuery) {
  const { index } = catalog.snapshot().directories
  const slugsWith = (facet: string) =>
    new Set(index.find({ all: [facet], none: [], offset: 0, limit: index.size }).items.map(({ slug }) => slug))
  const [otherKinds, otherLanguages] = [slugsWith(notForKind(kind)), slugsWith(OTHER_LANGUAGES)]
  const { currency } = site.fields()
  return ({ slug }: Listing) => ({
    kind,
    takesKind: !otherKinds.has(slug),
    takesLanguage: !otherLanguages.has(slug),
    budget,
    badges: badge !== 'none',
    currency,
  })
}

function planInput(ctx: Context, query: FoundersQuery): PlanInput {
  const { categories } = ctx.catalog.snapshot().taxonomy
  const category = categories.get(slugsInCondition(categories, query.category)?.[0] ?? '')
  const audience = query.audience ? `For ${AUDIENCES[query.audience]}.` : ''
  return {
    product: {
      name: '',
      tagline: query.what ?? '',
      description: `${audience} ${category?.description ?? ''}`,
      category: category?.name ?? null,
      tags: [],
      isForSale: false,
      hasDeal: false,
      isAdult: false,
      kind: query.kind,
      language: DEFAULT_LANGUAGE,
      foundingDate: null,
    },
    // The founder's own limits are those of founders.rules.ts.
    limits: { budget: null, badges: true, currency: ctx.site.fields().currency },
    decisions: new Map(),
    recorded: new Map(),
    outcomes: new Map(),
    count: 0,
    today: ctx.now(),
  }
}

interface PreparedDirectory {
  shown: Directory
  traits: DirectoryTraits
}

// Prepared once for each listing, because every plan compares all of them. A changed listing is a new object.
const cache = new WeakMap<Listing, PreparedDirectory>()

function prepare(listing: Listing): PreparedDirectory {
  const cached = cache.get(listing)
  if (cached) return cached
  // The JSON of the public API, so that no private field can reach the page.
  const shown: Directory = { ...JSON.parse(listing.json.toString()), ...JSON.parse(listing.extras.toString()) }
  const traits = traitsOf({
    ...shown,
    categories: shown.categories.map(({ slug }) => slug),
    // Not in the public JSON; `readLimits` gets the kinds and languages from facets.
    accepts: [],
    languages: [],
    minimumAge: 0,
  })
  // No kinds guessed from the texts: `readLimits` knows them.
  const prepared = { shown, traits: { ...traits, kinds: [] } }
  cache.set(listing, prepared)
  return prepared
}
