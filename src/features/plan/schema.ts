import { type Static, Type } from 'typebox'
import { booleanType, integerType, nullable, numberType, oneOf, stringType, timestamp } from '../../kernel/schema.ts'
import { version } from '../audit/schema.ts'
import { directorySchema } from '../catalog/schema.ts'

export const PLAN_DECISIONS = ['pinned', 'skipped'] as const
export type DecisionKind = (typeof PLAN_DECISIONS)[number]

/** Reasons for skipping that are remembered for later products. */
export const REMEMBERED_REASONS = ['refused', 'dead'] as const

/** Which directories a program may be given: those that allow it, or also those that do not say. */
export const AUTOMATION_LIMITS = ['allowed', 'not-forbidden'] as const
export type AutomationLimit = (typeof AUTOMATION_LIMITS)[number]

/** The page of a submission can list this many directories at once. */
export const MOST_PLANNED = 1000

const { name, domainRating, cost, minimumPrice, requiresBadge, type } = directorySchema.properties
const slug = stringType('Slug of the directory.', 'launch-list')

const chosenSchema = Type.Object(
  {
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
  },
  { title: 'PlannedDirectory', description: 'A directory that fits.' },
)

const leftSchema = Type.Object(
  {
    slug,
    name,
    reason: stringType('Why, in words.', 'takes only plug-ins, not web apps'),
  },
  { title: 'LeftDirectory', description: 'A directory that is not in the plan.' },
)

export const planSchema = Type.Object(
  {
    count: integerType('How many directories the plan should have.', 30),
    shortBy: integerType('How many are missing, because no more directories fit.', 0),
    chosen: Type.Array(chosenSchema, { description: 'The directories that fit, best first.' }),
    left: Type.Array(leftSchema, { description: 'Why the others are not in it.' }),
  },
  { title: 'Plan', description: 'Which directories fit the product of a submission.' },
)
export type PlanAnswer = Static<typeof planSchema>

const decision = nullable(
  oneOf(PLAN_DECISIONS, {
    description: 'pinned: it stays in the plan; skipped: it is never in it; null: no decision.',
    examples: ['pinned'],
  }),
)
const reason = nullable(
  Type.String({
    maxLength: 500,
    description: `Why. Of a skipped one, ${REMEMBERED_REASONS.join(' and ')} are remembered for later products.`,
    examples: ['refused'],
  }),
)

export const planDecisionBody = Type.Object(
  { decision, reason: Type.Optional(reason) },
  { description: 'What to do with the directory. Without a reason, none is kept.' },
)

export const decisionSchema = Type.Object(
  { slug, name, decision, reason, version, updatedAt: timestamp('When it was decided.') },
  { title: 'PlanDecision', description: 'A decision about a directory in the plan of a submission.' },
)
