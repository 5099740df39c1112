import { type Static, Type } from 'typebox'
import { readParameters } from '../../kernel/input.ts'
import {
  booleanType,
  integerType,
  nullable,
  numberType,
  objectType,
  oneOf,
  stringType,
  timestamp,
  titledObject,
} from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { RATING_STEPS } from '../catalog/rules.ts'
import { BADGES, COST, directorySchema, PRODUCT_KINDS, USUAL_LINK_TYPES } from '../catalog/schema.ts'
import type { Waiting } from '../submissions/queue/waiting.rules.ts'
import { queueItemSchema } from '../submissions/schema.ts'
import { AUDIENCES, type Audience, GOALS } from './founders/founders.rules.ts'

export const PLAN_DECISIONS = ['pinned', 'skipped'] as const
export type DecisionKind = (typeof PLAN_DECISIONS)[number]

/** Reasons for skipping that are remembered for later products. */
export const REMEMBERED_REASONS = ['refused', 'dead'] as const

/** Which directories a program may be given: those that allow it, or also those that do not say. */
export const AUTOMATION_LIMITS = ['allowed', 'not-forbidden'] as const
export type AutomationLimit = (typeof AUTOMATION_LIMITS)[number]

/** The phases of a plan in their order: profiles that people look up, then the launch, then the rest. */
export const PHASES = ['ground', 'launch', 'later'] as const
export type Phase = (typeof PHASES)[number]

/** The page of a submission can list this many directories at once. */
export const MOST_PLANNED = 1000

const { name, domainRating, cost, minimumPrice, requiresBadge, type } = directorySchema.properties
const slug = stringType('Slug of the directory.', 'launch-list')

const chosenSchema = titledObject('PlannedDirectory', 'A directory that fits.', {
  slug,
  name,
  domainRating,
  cost,
  minimumPrice,
  requiresBadge,
  type,
  score: numberType('Points; the list is sorted by them.', 71.4),
  chance: numberType(
    'The chance that the listing will be live within 30 days, from 0 to 1, from what became of earlier products.',
    0.81,
  ),
  reasons: Type.Array(Type.String(), {
    description: 'Why it is in the plan, in words.',
    examples: [['lists writing tools', 'Domain Rating 71', 'free']],
  }),
  recorded: booleanType('Whether it is on record for this submission.', false),
})

const leftSchema = titledObject('LeftDirectory', 'A directory that is not in the plan.', {
  slug,
  name,
  reason: stringType('Why, in words.', 'takes only plug-ins, not web apps'),
})

export const planSchema = titledObject('Plan', 'Which directories fit the product of a submission.', {
  count: integerType('How many directories the plan should have.', 30),
  shortBy: integerType('How many are missing, because no more directories fit.', 0),
  chosen: Type.Array(chosenSchema, { description: 'The directories that fit, best first.' }),
  left: Type.Array(leftSchema, { description: 'Why the others are not in it.' }),
})

const phase = oneOf(PHASES, {
  description: 'When to enter it: ground before the launch, launch in its week, later after it.',
  examples: ['ground'],
})
export const phasedPlanSchema = Type.Object({
  ...planSchema.properties,
  chosen: Type.Array(Type.Object({ ...chosenSchema.properties, phase })),
})
export type PhasedPlan = Static<typeof phasedPlanSchema>

const decision = nullable(
  oneOf(PLAN_DECISIONS, 'pinned: it stays in the plan; skipped: it is never in it; null: no decision.', 'pinned'),
)
const reason = nullable(
  stringType(
    `Why. Of a skipped one, ${REMEMBERED_REASONS.join(' and ')} are remembered for later products.`,
    'refused',
    { maxLength: 500 },
  ),
)

export const planDecisionBody = objectType('What to do with the directory. Without a reason, none is kept.', {
  decision,
  reason: Type.Optional(reason),
})

export const decisionSchema = titledObject(
  'PlanDecision',
  'A decision about a directory in the plan of a submission.',
  { slug, name, decision, reason, version, updatedAt: timestamp('When it was decided.') },
)

// The choices of a founder's plan, as the query of an address has them.

export const DEFAULT_COUNT = 30
export const MOST_COUNTED = 100
export const DEFAULT_HOURS = 4

/** Parsed like the parameters of an operation: lenient about numbers and case, strict about the rest. */
export const foundersParameters = Type.Object({
  kind: Type.Optional(oneOf(PRODUCT_KINDS)),
  /** Slug or name of a category of tools. */
  category: Type.Optional(Type.String({ maxLength: 200 })),
  /** What the product does, in a few words of the founder. */
  what: Type.Optional(Type.String({ maxLength: 200 })),
  audience: Type.Optional(oneOf(Object.keys(AUDIENCES) as Audience[])),
  goal: Type.Optional(oneOf(GOALS)),
  /** What all directories together may cost; any sum when omitted. */
  budget: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  /** Hours of work in a week. */
  hours: Type.Integer({ minimum: 1, maximum: 80, default: DEFAULT_HOURS }),
  /** The day of the first submission; the next Monday when omitted. */
  start: Type.Optional(Type.String({ maxLength: 10 })),
  cost: Type.Optional(oneOf(COST)),
  badge: Type.Optional(oneOf(BADGES)),
  type: Type.Optional(oneOf(USUAL_LINK_TYPES)),
  rating: Type.Optional(oneOf(RATING_STEPS.map(String))),
  count: Type.Integer({ minimum: 1, maximum: MOST_COUNTED, default: DEFAULT_COUNT }),
})

/** `directories`: slugs; the plan has exactly these directories. `done`: slugs of the directories that the founder has ticked. */
export const PLAN_PARAMETERS = [...Object.keys(foundersParameters.properties), 'directories', 'done']

/** The query of a plan without empty and unknown parameters. Throws a 400 for a choice that does not exist. */
export function readPlanQuery(query: string): string {
  const given = Object.entries(Object.fromEntries(new URLSearchParams(query)))
  const known = given.filter(([name, value]) => PLAN_PARAMETERS.includes(name) && value !== '')
  readParameters(foundersParameters, Object.fromEntries(known))
  return new URLSearchParams(known).toString()
}

// The bench, the admin page on which an operator enters a submission into directories.

/** What became of a directory for one submission. */
const BENCH_STATES = ['open', 'planned', 'waiting', 'entered', 'due', 'skipped'] as const
export type BenchState = (typeof BENCH_STATES)[number]

/** The state of a directory on record. */
export function stateOnRecord({ isSubmitted, waitingFor, reason }: Waiting & { isSubmitted: boolean }): BenchState {
  if (isSubmitted) return waitingFor === 'us' ? 'due' : 'entered'
  return reason === null || waitingFor === 'us' ? 'planned' : 'waiting'
}

/** What an administrator can do something about now. */
export const isToDo = ({ state }: { state: BenchState }): boolean =>
  state === 'open' || state === 'planned' || state === 'due'

const benchState = oneOf(
  BENCH_STATES,
  'open: nothing is on record; planned: on record, not entered; waiting: not entered, because the founder is waited for or the directory refused; due: entered, and we have to do something; skipped: kept out of the plan.',
  'open',
)

const benchRowSchema = titledObject('BenchRow', 'A directory in the order of work.', {
  slug,
  name,
  domainRating,
  state: benchState,
  isPlanned: booleanType('Whether the plan has it.', true),
  reason: stringType('Why it is in the plan or not, in words.', 'Domain Rating 71'),
})
export type BenchRow = Static<typeof benchRowSchema>

export const benchListSchema = titledObject('Bench', 'The directories of a submission in the order of work.', {
  count: integerType('How many directories the plan should have.', 30),
  shortBy: integerType('How many are missing, because no more fit.', 0),
  rows: Type.Array(benchRowSchema, { description: 'The directories.' }),
})

export const benchRecordsSchema = titledObject('BenchRecords', 'What is on record for a submission.', {
  state: queueItemSchema.properties.state,
  version,
  enteredCount: integerType('Directories that the tool was entered into.', 12),
  rows: Type.Array(titledObject('BenchRecord', 'A directory that is not open.', { slug, name, state: benchState }), {
    description: 'The directories that are on record or skipped.',
  }),
})
