// The choices of a founder's plan, as the query of an address has them.
import { Type } from 'typebox'
import { readParameters } from '../../kernel/input.ts'
import { oneOf } from '../../kernel/schema.ts'
import { RATING_STEPS } from '../catalog/rules.ts'
import { BADGES, COST, PRODUCT_KINDS, USUAL_LINK_TYPES } from '../catalog/schema.ts'
import { AUDIENCES, type Audience, GOALS } from './founders.rules.ts'

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
  /** A week. */
  hours: Type.Integer({ minimum: 1, maximum: 80, default: DEFAULT_HOURS }),
  /** The day of the first submission; the next Monday when omitted. */
  start: Type.Optional(Type.String({ maxLength: 10 })),
  cost: Type.Optional(oneOf(COST)),
  badge: Type.Optional(oneOf(BADGES)),
  type: Type.Optional(oneOf(USUAL_LINK_TYPES)),
  rating: Type.Optional(oneOf(RATING_STEPS.map(String))),
  count: Type.Integer({ minimum: 1, maximum: MOST_COUNTED, default: DEFAULT_COUNT }),
})

/** Beside the choices: the directories of a plan that has no others, and those that are ticked. */
export const PLAN_PARAMETERS = [...Object.keys(foundersParameters.properties), 'directories', 'done']

/** The query of a plan without what no plan reads. Throws for a choice that does not exist. */
export function readPlanQuery(query: string): string {
  const given = Object.entries(Object.fromEntries(new URLSearchParams(query)))
  const known = given.filter(([name, value]) => PLAN_PARAMETERS.includes(name) && value !== '')
  readParameters(foundersParameters, Object.fromEntries(known))
  return new URLSearchParams(known).toString()
}
