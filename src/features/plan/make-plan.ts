import type { Context } from '../../kernel/context.ts'
import { orNotFound } from '../../kernel/errors.ts'
import { createPauses } from '../../kernel/work/scheduler.ts'
import { isAdult } from '../catalog/rules.ts'
import { findPartner } from '../partners/queries.ts'
import { findWork } from '../submissions/read/read.queries.ts'
import { packageOf } from '../submissions/rules.ts'
import { chanceOf, chanceReason, type InTime, meanInTime, type Outcomes } from './evidence/evidence.rules.ts'
import { isLaunchPlatform, phasesOf } from './founders/founders.rules.ts'
import { listInTime, listOutcomes, listPlanDirectories } from './queries.ts'
import {
  assessor,
  type ChosenDirectory,
  choosePlan,
  type PlanCandidate,
  type PlanDecision,
  type PlanInput,
  traitsOf,
} from './rules.ts'
import { type AutomationLimit, PHASES, type PhasedPlan } from './schema.ts'

type PlanRow = Awaited<ReturnType<typeof listPlanDirectories>>[number]
type StoredDirectory = PlanRow['directory']

/** Drops values of the wrong type, which a row changed by hand may have, so that one broken row does not stop the plan. */
const withoutBrokenValues = (directory: StoredDirectory): StoredDirectory => ({
  ...directory,
  categories: textsIn(directory.categories),
  accepts: textsIn(directory.accepts),
  languages: textsIn(directory.languages),
  domainRating: finite(directory.domainRating),
  minimumPrice: finite(directory.minimumPrice) ?? 0,
  monthlyVisits: finite(directory.monthlyVisits),
})
const textsIn = <T extends string>(list: readonly T[]): T[] => list.filter((one) => typeof one === 'string')
const finite = <T extends number | null>(value: T): T | null => (Number.isFinite(value) ? value : null)

export async function makePlan(
  ctx: Context,
  submissionId: string,
  asked: { count?: number; automation?: AutomationLimit } = {},
): Promise<PhasedPlan> {
  const work = orNotFound(await findWork(ctx.db, submissionId), 'Submission')
  const { submission, tool, details } = work
  const partner = await findPartner(ctx.db, submission.partnerId)
  const rows = await listPlanDirectories(ctx.db, submissionId)
  const outcomes = await listOutcomes(ctx.db, submissionId)
  const count = asked.count ?? packageOf(submission.paymentType).targetDirectoriesCount
  const input: PlanInput = {
    product: {
      name: tool.name,
      tagline: tool.tagline,
      description: tool.description,
      category: work.categoryName,
      tags: work.tags.map(({ name }) => name),
      isForSale: tool.isForSale,
      hasDeal: tool.discountCode.trim() !== '',
      isAdult: isAdult(tool, ctx.catalog.snapshot().taxonomy),
      kind: submission.kind,
      language: submission.language,
      foundingDate: details.foundingDate,
    },
    limits: {
      budget: submission.planBudget ?? partner?.planBudget ?? 0,
      badges: submission.planBadges ?? partner?.planBadges ?? true,
      currency: ctx.site.fields().currency,
      automation: asked.automation,
    },
    ...knownOf(rows),
    outcomes: new Map(outcomes.map(({ slug, ...row }): [string, Outcomes] => [slug, row])),
    count,
    today: ctx.now(),
  }
  const assess = assessor(input)
  const pause = createPauses()
  const candidates: PlanCandidate[] = []
  for (const { directory } of rows) {
    candidates.push(assess(traitsOf(withoutBrokenValues(directory))))
    await pause()
  }
  const { chosen, leftOut, shortBy } = choosePlan(input, candidates)
  const names = new Map(rows.map(({ directory }) => [directory.slug, directory.name]))
  const chances = await readChances(ctx, submissionId, input.outcomes)
  return {
    count,
    shortBy,
    chosen: inPhases(chosen).map(({ phase, directory, score, reasons, isRecorded: recorded }) => {
      const { slug, name, domainRating, cost, minimumPrice, requiresBadge, type } = directory
      const facts = { slug, name, domainRating, cost, minimumPrice, requiresBadge, type }
      return { ...facts, score, ...chances(slug, reasons), phase, recorded }
    }),
    left: leftOut.map(({ slug, reason }) => ({ slug, name: names.get(slug) ?? slug, reason })),
  }
}

/** Each directory with its phase, in the order of the plan. */
function inPhases(chosen: readonly ChosenDirectory[]) {
  const withLaunch = chosen.map((one) => ({
    ...one,
    isLaunch: isLaunchPlatform(one.directory, traitsOf(one.directory).topics),
  }))
  const phases = phasesOf(withLaunch)
  return withLaunch.map((one) => ({ ...one, phase: PHASES.find((phase) => phases[phase].includes(one)) ?? 'later' }))
}

/** By slug: what administrators decided, what is on record, and where the product is listed already. */
const knownOf = (rows: readonly PlanRow[]) => ({
  decisions: bySlug(rows, ({ decision, reason }): PlanDecision | null => decision && { decision, reason }),
  recorded: bySlug(rows, ({ isSubmitted }) => isSubmitted),
  listed: bySlug(rows, ({ listedAt }) => listedAt),
})

function bySlug<T>(rows: readonly PlanRow[], read: (row: PlanRow) => T | null): Map<string, T> {
  const found = new Map<string, T>()
  for (const row of rows) {
    const value = read(row)
    if (value !== null) found.set(row.directory.slug, value)
  }
  return found
}

/** The chance of a directory, and the reasons with that of the chance, if anything is known of the directory. */
async function readChances(ctx: Context, submissionId: string, outcomes: PlanInput['outcomes']) {
  const inTime = new Map<string, InTime>()
  for (const { slug, live, cases } of await listInTime(ctx.db, submissionId)) inTime.set(slug, { live, cases })
  // A refused product was never live.
  for (const [slug, { refused }] of outcomes)
    if (refused > 0)
      inTime.set(slug, { live: inTime.get(slug)?.live ?? 0, cases: (inTime.get(slug)?.cases ?? 0) + refused })
  const mean = meanInTime(inTime.values())
  return (slug: string, reasons: readonly string[]): { chance: number; reasons: string[] } => {
    const known = inTime.get(slug)
    const chance = chanceOf(known, mean)
    return { chance, reasons: known ? [...reasons, chanceReason(known, chance)] : [...reasons] }
  }
}
