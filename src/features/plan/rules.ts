// Which directories fit a product, best first. A plan is a pure function of the product, the directories, the decisions of administrators
// and past outcomes: it reads no clock and no database, and the order of its input does not matter.
//
// Points. Each directory gets points in whole tenths: for Domain Rating, topic, visits, link type, cost, badge, the experience of
// submitting, and past outcomes. Points never fall when Domain Rating rises, and nothing else of the plan depends on Domain Rating.
//
// Diversity. Directories are grouped by their first category and what they list. Within a group they are ranked by points, and from the
// third on each loses a little more, up to a bound. So a directory whose points rise keeps or improves its rank in the group, loses less,
// and those that it overtakes lose more; other groups do not change. Therefore raising a Domain Rating never lowers a directory's place.
import { money } from '../../kernel/values/text.ts'
import { acceptedKinds, acceptedLanguages } from '../catalog/known-hosts/known-hosts.rules.ts'
import { isSameLanguage } from '../catalog/rules.ts'
import type { Automation, Cost, ProductKind } from '../catalog/schema.ts'
import { ageInMonths } from './age.rules.ts'
import { meanRate, type Outcomes, outcomePoints, outcomeReason } from './evidence/evidence.rules.ts'
import { factPoints, factReasons, kindName, numeral, topicPoints, topicProblems } from './points.rules.ts'
import type { AutomationLimit, DecisionKind } from './schema.ts'
import { type DirectoryTopics, directoryTopics, type ProductTexts, productTopics } from './topics.rules.ts'

export interface PlanProduct extends ProductTexts {
  kind: ProductKind
  language: string
  /** Free text, as the partner wrote it. */
  foundingDate: string | null
}

export interface PlanDirectory {
  slug: string
  name: string
  website: string
  /** Slugs. */
  categories: readonly string[]
  smallDescription: string | null
  fullDescription: string | null
  cost: Cost
  minimumPrice: number
  type: string
  requiresBadge: boolean
  domainRating: number | null
  monthlyVisits: number | null
  submissionExperience: string | null
  accepts: readonly ProductKind[]
  languages: readonly string[]
  minimumAge: number
  /** Whether programs may enter products. Omitted in a plan that is made from public facts, which do not say it. */
  automation?: Automation
}

export interface PlanLimits {
  /** Directories with a higher minimum price do not fit; null: any price fits. */
  budget: number | null
  /** Whether the product may show a badge of a directory. */
  badges: boolean
  currency: string
  /** Which directories a program may be given; by default all of them. */
  automation?: AutomationLimit
}

export interface PlanDecision {
  decision: DecisionKind
  reason: string | null
}

/** The facts that depend on the directory alone and not on the product, so that they may be cached for the next plan. */
export interface DirectoryTraits {
  directory: PlanDirectory
  topics: DirectoryTopics
  /** Accepted kinds of products; empty: all. */
  kinds: readonly ProductKind[]
}

export function traitsOf(directory: PlanDirectory): DirectoryTraits {
  const { topics, guessedKinds } = readTexts(directory)
  return { directory, topics, kinds: directory.accepts.length > 0 ? directory.accepts : guessedKinds }
}

interface ReadTexts {
  topics: DirectoryTopics
  guessedKinds: readonly ProductKind[]
}

// Reading the texts of all directories takes most of the time of a plan, and they are the same for the next plan. A full cache is emptied.
const textsCache = new Map<string, ReadTexts>()
const MAX_CACHED = 5_000

function readTexts(directory: PlanDirectory): ReadTexts {
  const { name, website, categories, smallDescription, fullDescription } = directory
  const key = [name, website, categories.join(' '), smallDescription, fullDescription].join('\n')
  const cached = textsCache.get(key)
  if (cached) return cached
  if (textsCache.size >= MAX_CACHED) textsCache.clear()
  const made = { topics: directoryTopics(directory), guessedKinds: acceptedKinds({ ...directory, accepts: [] }) }
  textsCache.set(key, made)
  return made
}

export interface PlanInput {
  product: PlanProduct
  limits: PlanLimits
  /** By slug of the directory. */
  decisions: ReadonlyMap<string, PlanDecision>
  /** By slug: directories on record for this product; true: it is entered there. */
  recorded: ReadonlyMap<string, boolean>
  /** By slug: the page of a directory that lists the product already, as its search says. */
  listed?: ReadonlyMap<string, string>
  /** By slug: what happened to other products. */
  outcomes: ReadonlyMap<string, Outcomes>
  count: number
  today: Date
}

export interface ChosenDirectory {
  directory: PlanDirectory
  score: number
  reasons: string[]
  isRecorded: boolean
}

export interface ProposedPlan {
  chosen: ChosenDirectory[]
  leftOut: { slug: string; reason: string }[]
  shortBy: number
}

/** A directory compared with the product. */
export interface PlanCandidate {
  directory: PlanDirectory
  /** Why it does not fit; empty: it fits. */
  problems: string[]
  /** In tenths. */
  points: number
  reasons: string[]
  /** Directories that are much alike have the same group. */
  group: string
}

/** Returns the function that compares a directory with the product. */
export function assessor(input: PlanInput): (traits: DirectoryTraits) => PlanCandidate {
  const product = { ...input.product, topics: productTopics(input.product) }
  const age = ageInMonths(product.foundingDate, input.today)
  const mean = meanRate(input.outcomes.values())
  return ({ directory, topics, kinds }) => {
    const past = input.outcomes.get(directory.slug)
    const listedAt = input.recorded.has(directory.slug) ? undefined : input.listed?.get(directory.slug)
    const topic = topicPoints(topics, product.topics)
    const reasonOfPast = outcomeReason(past)
    const ageNote =
      age === null && directory.minimumAge > 0 ? [`asks for ${ageText(directory)}; the founding date is not known`] : []
    return {
      directory,
      problems: [
        ...kindProblems(kinds, product.kind),
        ...topicProblems(topics, product.topics),
        ...languageProblems(acceptedLanguages(directory), product.language),
        ...priceProblems(directory, input.limits),
        ...(directory.requiresBadge && !input.limits.badges ? ['demands a badge, which is not accepted'] : []),
        ...(age !== null && age < directory.minimumAge
          ? [`takes ${ageText(directory)}; this one is ${months(age)} old`]
          : []),
        ...automationProblems(directory, input.limits),
        ...(listedAt === undefined ? [] : [`lists the product already: ${listedAt}`]),
        ...(past?.isDead ? ['was reported dead'] : []),
      ],
      points: Math.round(10 * (topic.points + factPoints(directory) + outcomePoints(past, mean))),
      reasons: [
        ...topic.reasons,
        ...factReasons(directory, input.limits),
        ...automationReasons(directory),
        ...reasonOfPast,
        ...ageNote,
      ],
      group: [directory.categories[0], ...topics.main, topics.general].join(' '),
    }
  }
}

const ageText = ({ minimumAge }: PlanDirectory): string => `products that are at least ${months(minimumAge)} old`
const months = (count: number): string => `${numeral(count)} ${count === 1 ? 'month' : 'months'}`

const kindProblems = (kinds: readonly ProductKind[], kind: ProductKind): string[] =>
  kinds.length === 0 || kinds.includes(kind)
    ? []
    : [`takes only ${kinds.map(kindName).join(', ')}, not ${kindName(kind)}`]

const languageProblems = (languages: readonly string[], language: string): string[] =>
  languages.length === 0 || languages.some((code) => isSameLanguage(code, language))
    ? []
    : [`takes only ${languages.join(', ')}, and the product is in ${language}`]

function priceProblems({ cost, minimumPrice }: PlanDirectory, { budget, currency }: PlanLimits): string[] {
  if (budget === null) return []
  if (minimumPrice > budget)
    return [`costs at least ${money(minimumPrice, currency)}, over the budget of ${money(budget, currency)}`]
  return cost === 'Paid' && budget === 0 ? ['is paid, and the budget is for free ones only'] : []
}

function automationReasons({ automation }: PlanDirectory): string[] {
  if (automation === 'allowed') return ['programs may submit']
  return automation === 'forbidden' ? ['forbids programs to submit'] : []
}

function automationProblems({ automation = 'unknown' }: PlanDirectory, limits: PlanLimits): string[] {
  if (limits.automation === undefined || automation === 'allowed') return []
  if (automation === 'forbidden') return ['forbids programs to submit']
  return limits.automation === 'allowed' ? ['does not say whether programs may submit'] : []
}

/** Chooses the plan from the candidates, whose slugs must all differ. */
export function choosePlan(input: PlanInput, candidates: readonly PlanCandidate[]): ProposedPlan {
  const { decisions, recorded } = input
  const isPinned = ({ directory }: PlanCandidate) => decisions.get(directory.slug)?.decision === 'pinned'
  const isSkipped = ({ directory }: PlanCandidate) => decisions.get(directory.slug)?.decision === 'skipped'
  const isRecorded = ({ directory }: PlanCandidate) => recorded.has(directory.slug)
  // An administrator has decided for these, so they stay although they may not fit.
  const isKept = (candidate: PlanCandidate) => isPinned(candidate) || isRecorded(candidate)
  const ranked = rankAll(candidates.filter((one) => !isSkipped(one) && (one.problems.length === 0 || isKept(one))))
  // These stay even when they are more than `input.count`.
  const chosen = new Set(ranked.filter(({ candidate }) => isKept(candidate)))
  for (const entry of ranked) if (chosen.size < input.count) chosen.add(entry)
  const surplus = ranked.filter((entry) => !chosen.has(entry))
  const unfit = candidates.filter((one) => isSkipped(one) || (one.problems.length > 0 && !isKept(one))).toSorted(bySlug)
  return {
    chosen: ranked
      .filter((entry) => chosen.has(entry))
      .map(({ candidate, points }) => ({
        directory: candidate.directory,
        score: points / 10,
        reasons: [
          ...(isPinned(candidate) ? ['pinned by an administrator'] : []),
          ...(isRecorded(candidate)
            ? [recorded.get(candidate.directory.slug) ? 'already entered' : 'already planned']
            : []),
          ...candidate.reasons,
          ...candidate.problems.map((problem) => `kept although it ${problem}`),
        ],
        isRecorded: isRecorded(candidate),
      })),
    leftOut: [
      ...surplus.map(({ candidate }) => ({ slug: candidate.directory.slug, reason: surplusReason(chosen.size) })),
      ...unfit.map((one) => ({
        slug: one.directory.slug,
        reason: isSkipped(one) ? skippedReason(decisions.get(one.directory.slug)) : one.problems.join('; '),
      })),
    ],
    shortBy: Math.max(0, input.count - chosen.size),
  }
}

const surplusReason = (chosenCount: number): string =>
  chosenCount === 1 ? 'fits, but another comes first' : `fits, but ${numeral(chosenCount)} others come first`

const skippedReason = (decision: PlanDecision | undefined): string =>
  decision?.reason ? `skipped: ${decision.reason}` : 'skipped'

// In tenths of a point. The first two of a group lose nothing, each further one loses a step more, up to the twelfth.
const RANKS_WITHOUT_LOSS = 2
const LOSS_STEP = 15
const MAX_STEPS = 10

interface Ranked {
  candidate: PlanCandidate
  points: number
}

/** Sorts by points, after candidates with several of their group before them have lost some (see Diversity above). */
function rankAll(candidates: readonly PlanCandidate[]): Ranked[] {
  const seen = new Map<string, number>()
  return candidates
    .map((candidate) => ({ candidate, points: candidate.points }))
    .toSorted(byPoints)
    .map(({ candidate, points }) => {
      const rank = seen.get(candidate.group) ?? 0
      seen.set(candidate.group, rank + 1)
      const lost = LOSS_STEP * Math.min(MAX_STEPS, Math.max(0, rank + 1 - RANKS_WITHOUT_LOSS))
      return { candidate, points: points - lost }
    })
    .toSorted(byPoints)
}

/** Sorts by points, then by Domain Rating, then by slug. No two candidates are equal, because their slugs differ. */
function byPoints(a: Ranked, b: Ranked): number {
  const [one, other] = [a.candidate, b.candidate]
  return b.points - a.points || ratingOf(other) - ratingOf(one) || bySlug(one, other)
}

const ratingOf = ({ directory }: PlanCandidate): number =>
  Number.isFinite(directory.domainRating) ? Number(directory.domainRating) : -1

function bySlug({ directory: a }: PlanCandidate, { directory: b }: PlanCandidate): number {
  if (a.slug === b.slug) return 0
  return a.slug < b.slug ? -1 : 1
}
