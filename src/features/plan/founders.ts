// The plan for founders on the public site. It is made from the published catalog in memory, without the outcomes and decisions that only
// administrators know.
import type { Context } from '../../kernel/context.ts'
import { createPauses } from '../../kernel/scheduler.ts'
import { LAST } from '../../search/index.ts'
import { slugsInCondition } from '../catalog/conditions.ts'
import { type Listing, notForKind, OTHER_LANGUAGES } from '../catalog/rules.ts'
import { DEFAULT_LANGUAGE, type Directory, type ProductKind } from '../catalog/schema.ts'
import { assessor, choosePlan, type DirectoryTraits, type PlanCandidate, type PlanInput, traitsOf } from './rules.ts'

export interface FoundersQuery {
  kind: ProductKind
  /** Slug or name of a category of tools. */
  category?: string
  cost?: string
  badge?: string
  type?: string
  /** One of RATING_STEPS. */
  rating?: string
  count: number
}

export interface FoundersPlan {
  chosen: { directory: Directory; score: number; reasons: string[] }[]
  shortBy: number
}

export async function foundersPlan(ctx: Context, query: FoundersQuery): Promise<FoundersPlan> {
  const { directories, taxonomy } = ctx.catalog.snapshot()
  const category = taxonomy.categories.get(slugsInCondition(taxonomy.categories, query.category)?.[0] ?? '')
  const { cost, badge, type, rating } = query
  const chosenFacets = Object.entries({ cost, badge, type: type?.toLowerCase(), rating })
  const { items } = directories.index.find({
    all: chosenFacets.flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${value}`])),
    none: [notForKind(query.kind), OTHER_LANGUAGES, LAST],
    offset: 0,
    limit: directories.index.size,
  })
  const input: PlanInput = {
    product: {
      name: '',
      tagline: '',
      description: category?.description ?? '',
      category: category?.name ?? null,
      tags: [],
      isForSale: false,
      hasDeal: false,
      isAdult: false,
      kind: query.kind,
      language: DEFAULT_LANGUAGE,
      foundingDate: null,
    },
    limits: { budget: null, badges: true },
    decisions: new Map(),
    recorded: new Map(),
    outcomes: new Map(),
    count: query.count,
    today: ctx.now(),
  }
  const assess = assessor(input)
  const pause = createPauses()
  const candidates: PlanCandidate[] = []
  const shown = new Map<string, Directory>()
  for (const listing of items) {
    const prepared = prepare(listing)
    shown.set(listing.slug, prepared.shown)
    candidates.push(assess(prepared.traits))
    await pause()
  }
  const { chosen, shortBy } = choosePlan(input, candidates)
  return {
    shortBy,
    chosen: chosen.flatMap(({ directory, score, reasons }) => {
      const found = shown.get(directory.slug)
      return found ? [{ directory: found, score, reasons }] : []
    }),
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
    // The index has filtered by kind and language already.
    accepts: [],
    languages: [],
    minimumAge: 0,
  })
  const prepared = { shown, traits: { ...traits, kinds: [] } }
  cache.set(listing, prepared)
  return prepared
}
