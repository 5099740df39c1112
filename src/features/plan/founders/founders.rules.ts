// What the plan of a founder says about the directories that fit: what each costs in money and time, three phases with dates, totals, and
// why each is in it. Pure: the caller gives the day.
import { DAY_MS, dayOf } from '../../../kernel/values/days.ts'
import { money } from '../../../kernel/values/text.ts'
import type { Directory, ProductKind } from '../../catalog/schema.ts'
import { cutAtWord } from '../../submissions/bench/kit.rules.ts'
import { compact, experienceOf, isFollowed, kindName, numeral } from '../points.rules.ts'
import type { Phase } from '../schema.ts'
import type { DirectoryTopics } from '../topics.rules.ts'

/** What a founder may want most. Without a goal, the points are those of other plans. */
export const GOALS = ['links', 'users', 'feedback', 'reviews'] as const
export type Goal = (typeof GOALS)[number]

/** For whom the product is. The words are added to the description of the product, from which its topics are read. */
export const AUDIENCES = {
  founders: 'founders and small teams',
  business: 'larger companies',
  developers: 'developers',
  designers: 'designers',
  marketers: 'marketers',
  sales: 'sales teams',
  creators: 'writers and creators',
  students: 'students and teachers',
} as const
export type Audience = keyof typeof AUDIENCES

/** A directory that fits, and what a founder must know to enter a product. */
export interface FittingDirectory {
  directory: Directory
  score: number
  topic: string
  isLaunch: boolean
}

export interface PlanStep {
  directory: Directory
  score: number
  /** Why it is in the plan; no two directories of a plan have the same. */
  reasons: string[]
  minutes: number
  /** What entering it costs; null: it is paid and names no price. */
  price: number | null
  day: string
}

export interface PlanPhase {
  key: Phase
  steps: PlanStep[]
}

export interface PlanTotals {
  /** The sum of the known prices. */
  price: number
  unknownPrices: number
  followedLinks: number
  visits: number
}

/** What entering a product costs; null: it is paid and names no price. A free entry beside a paid one makes it 0. */
export function priceOf({ cost, minimumPrice }: Pick<Directory, 'cost' | 'minimumPrice'>): number | null {
  if (cost === 'Freemium') return 0
  if (minimumPrice > 0) return minimumPrice
  return cost === 'Paid' ? null : 0
}

/** A directory where products are launched on a day, and compete for votes and comments. */
export const isLaunchPlatform = (
  directory: { name: string; categories: readonly (string | { slug: string })[] },
  { general }: DirectoryTopics,
): boolean =>
  general === 'launches' ||
  /launch/i.test(directory.name.slice(0, 100)) ||
  directory.categories.some((one) => (typeof one === 'string' ? one : one.slug).includes('launch'))

const collectsReviews = (directory: Directory, { general }: DirectoryTopics): boolean =>
  general === 'business' ||
  general === 'software' ||
  directory.categories.some(({ slug }) => /review|alternative|compar/.test(slug))

// In tenths of a point, as much as the same topic is worth at most.
const GOAL_POINTS = 200
const MAX_VISITS = 1e7

/** What the goal adds to the points, in tenths. It does not depend on Domain Rating, so a higher one still never lowers a place. */
export function goalPoints(goal: Goal | undefined, directory: Directory, topics: DirectoryTopics): number {
  switch (goal) {
    case 'links':
      return isFollowed(directory) ? GOAL_POINTS : 0
    case 'users':
      return Math.round(GOAL_POINTS * Math.min(1, Math.log10(1 + visitsOf(directory)) / Math.log10(MAX_VISITS)))
    case 'feedback':
      return isLaunchPlatform(directory, topics) ? GOAL_POINTS : 0
    case 'reviews':
      return collectsReviews(directory, topics) ? GOAL_POINTS : 0
    default:
      return 0
  }
}

const visitsOf = ({ monthlyVisits }: Directory): number =>
  monthlyVisits !== null && monthlyVisits > 0 ? monthlyVisits : 0

interface FoundersLimits {
  kind: ProductKind
  takesKind: boolean
  takesLanguage: boolean
  /** What all directories together may cost; undefined: any sum. */
  budget: number | undefined
  badges: boolean
  currency: string
}

/** Why a directory does not fit, beside its topic. */
export function limitProblems(directory: Directory, limits: FoundersLimits): string[] {
  const { kind, budget, currency } = limits
  const price = priceOf(directory)
  return [
    ...(limits.takesKind ? [] : [`does not take ${kindName(kind)}`]),
    ...(limits.takesLanguage ? [] : ['takes only products in other languages']),
    ...(directory.requiresBadge && !limits.badges ? ['wants its badge on your site'] : []),
    ...(budget === 0 && price === null ? ['asks for money'] : []),
    ...(budget !== undefined && price !== null && price > budget
      ? [budget === 0 ? `costs ${money(price, currency)}` : `costs ${money(price, currency)}, over your budget`]
      : []),
  ]
}

/** The first `count` that the budget is enough for together, and the others. */
export function withinBudget<T extends { directory: Pick<Directory, 'cost' | 'minimumPrice'> }>(
  ranked: readonly T[],
  count: number,
  budget: number | undefined,
): { taken: T[]; tooDear: T[]; surplus: T[] } {
  const [taken, tooDear, surplus]: [T[], T[], T[]] = [[], [], []]
  let spent = 0
  for (const one of ranked) {
    const price = priceOf(one.directory) ?? 0
    if (taken.length >= count) surplus.push(one)
    else if (budget !== undefined && spent + price > budget) tooDear.push(one)
    else {
      taken.push(one)
      spent += price
    }
  }
  return { taken, tooDear, surplus }
}

// How many minutes a form takes, by the experience of submitting, and what comes on top. They are estimates and are shown as such.
const FORM_MINUTES = { good: 10, usual: 15, bad: 30 }
const LAUNCH_MINUTES = 20
const BADGE_MINUTES = 10

function minutesOf(directory: Directory, isLaunch: boolean): number {
  const form = FORM_MINUTES[experienceOf(directory) ?? 'usual']
  return form + (isLaunch ? LAUNCH_MINUTES : 0) + (directory.requiresBadge ? BADGE_MINUTES : 0)
}

// More launches than these in one week compete with each other for the founder's attention.
const MOST_LAUNCHES = 8

/**
 * Profiles first, because readers of a launch look the product up; then the launch; then the rest. Each keeps the order of the plan. A plan
 * without a launch platform is cut into thirds.
 */
export function phasesOf<T extends { isLaunch: boolean }>(fitting: readonly T[]): Record<Phase, readonly T[]> {
  const launch = fitting.filter(({ isLaunch }) => isLaunch).slice(0, MOST_LAUNCHES)
  const others = fitting.filter((one) => !launch.includes(one))
  if (launch.length > 0) {
    const half = Math.ceil(others.length / 2)
    return { ground: others.slice(0, half), launch, later: others.slice(half) }
  }
  const first = Math.ceil(others.length / 3)
  const second = first + Math.ceil((others.length - 1) / 3)
  return { ground: others.slice(0, first), launch: others.slice(first, second), later: others.slice(second) }
}

const WORKDAYS = 5

/** The phases with a day for each directory. Every phase begins on a Monday after the one before it has ended. */
export function schedule(
  fitting: readonly FittingDirectory[],
  { start, hours, goal }: { start: string; hours: number; goal: Goal | undefined },
): PlanPhase[] {
  const minutesADay = (hours * 60) / WORKDAYS
  const reasons = chooseReasons(fitting, goal)
  let monday = Date.parse(start)
  return Object.entries(phasesOf(fitting)).flatMap(([key, members]) => {
    if (members.length === 0) return []
    let minutesBefore = 0
    const steps = members.map(({ directory, score, isLaunch }): PlanStep => {
      const minutes = minutesOf(directory, isLaunch)
      const workday = Math.floor(minutesBefore / minutesADay)
      minutesBefore += minutes
      const day = dayOf(monday + (Math.floor(workday / WORKDAYS) * 7 + (workday % WORKDAYS)) * DAY_MS)
      return { directory, score, minutes, price: priceOf(directory), day, reasons: reasons.get(directory.slug) ?? [] }
    })
    monday = nextMonday(Date.parse(steps.at(-1)?.day ?? start) + DAY_MS)
    return [{ key: key as Phase, steps }]
  })
}

/** The next Monday in milliseconds since 1970; the day itself if it is a Monday. */
const nextMonday = (time: number): number => {
  const day = Math.floor(time / DAY_MS) * DAY_MS
  return day + ((8 - new Date(day).getUTCDay()) % 7) * DAY_MS
}

/** The day on which a plan begins: the Monday that was asked for, or the next one. */
export function startOf(asked: string | undefined, today: Date): string {
  const time = asked !== undefined && /^20\d\d-\d\d-\d\d$/.test(asked) ? Date.parse(asked) : Number.NaN
  return dayOf(nextMonday(Number.isNaN(time) ? today.getTime() : time))
}

export function totalsOf(steps: readonly PlanStep[]): PlanTotals {
  const sum = (figureOf: (step: PlanStep) => number) => steps.reduce((total, step) => total + figureOf(step), 0)
  return {
    price: sum(({ price }) => price ?? 0),
    unknownPrices: steps.filter(({ price }) => price === null).length,
    followedLinks: steps.filter(({ directory }) => isFollowed(directory)).length,
    visits: sum(({ directory }) => visitsOf(directory)),
  }
}

const MOST_REASONS = 3

/**
 * The reasons that are shown for each directory, by slug. A reason that most directories of the plan share is shown only for a directory
 * without other reasons. A directory whose reasons would be those of an earlier one gets further reasons until they differ.
 */
function chooseReasons(fitting: readonly FittingDirectory[], goal: Goal | undefined): ReadonlyMap<string, string[]> {
  const possible = new Map(fitting.map((one) => [one.directory.slug, possibleReasons(one, fitting, goal)]))
  const counts = new Map<string, number>()
  for (const reason of [...possible.values()].flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const isCommon = (reason: string) => fitting.length > 3 && (counts.get(reason) ?? 0) > fitting.length / 2
  const used = new Set<string>()
  return new Map(
    fitting.map(({ directory }): [string, string[]] => {
      const own = possible.get(directory.slug) ?? []
      const rare = own.filter((reason) => !isCommon(reason))
      // The page shows the Domain Rating beside every directory, so it is a reason only when two directories have no other difference.
      const last = directory.domainRating === null ? [] : [`Domain Rating ${numeral(directory.domainRating)}`]
      const ordered = [...rare, ...own.filter(isCommon), ...last, directory.name]
      let length = Math.min(MOST_REASONS, Math.max(1, rare.length))
      while (length < ordered.length && used.has(ordered.slice(0, length).join())) length++
      const reasons = ordered.slice(0, length)
      used.add(reasons.join())
      return [directory.slug, reasons]
    }),
  )
}

const cutWithEllipsis = (text: string, length: number): string => {
  const cut = cutAtWord(text, length)
  return cut === text ? text : `${cut}…`
}

/** Everything that speaks for a directory, or that a founder must know about it, the most important first. */
function possibleReasons(one: FittingDirectory, all: readonly FittingDirectory[], goal: Goal | undefined): string[] {
  const { directory, topic } = one
  const { cost, deal, type } = directory
  const visits = visitsOf(directory)
  const isTop = (figureOf: (directory: Directory) => number) =>
    all.length > 3 &&
    figureOf(directory) > 0 &&
    all.every((other) => other === one || figureOf(other.directory) < figureOf(directory))
  const experience = experienceOf(directory)
  const reach =
    visits < 1000
      ? []
      : [
          isTop(visitsOf)
            ? `the most visitors of this plan: ${compact(visits)} a month`
            : `${compact(visits)} visits a month`,
        ]
  const strength = isTop(({ domainRating }) => domainRating ?? 0) ? ['the strongest site of this plan'] : []
  const link = type && (isFollowed(directory) ? 'search engines follow its link' : 'its link is for readers only')
  return [
    ...(goal === 'users' ? reach : []),
    topic === 'lists products of all topics' ? 'takes products of every kind' : topic.replace(/ of all topics$/, ''),
    ...strength,
    ...(goal === 'users' ? [] : reach),
    ...(directory.requiresBadge ? ['wants its badge on your site'] : []),
    ...(deal?.text ? [`has a deal: ${cutWithEllipsis(deal.text, 60)}`] : []),
    ...(cost === 'Freemium' ? ['free, and faster if you pay'] : []),
    ...(priceOf(directory) === null ? ['does not say its price before you sign up'] : []),
    ...(link ? [link] : []),
    ...(experience === 'bad' ? ['takes patience: its form is laborious'] : []),
    ...(experience === 'good' ? ['quick to fill in'] : []),
  ]
}
