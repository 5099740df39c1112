// What signed-in users may save: listings on the shortlist, and launch plans.
import { Type } from 'typebox'
import { NAME_PATTERN, objectType, SLUG_PATTERN, stringType, timestamp } from '../../kernel/schema.ts'

/** Listings of the shortlist, by their kind as addresses have it, and launch plans. */
export const SAVED_KINDS = ['tools', 'directories', 'plans'] as const
export type SavedKind = (typeof SAVED_KINDS)[number]

/** How many of each kind an account keeps. `shortlist.js` keeps as many listings in the browser. */
export const MOST_SAVED = 50

const slug = Type.String({ maxLength: 100, pattern: SLUG_PATTERN, description: 'Slug of a listing.' })
const slugs = Type.Array(slug, { maxItems: MOST_SAVED, description: 'Slugs, the oldest first.' })

export const planName = stringType('What the user calls the plan.', 'Launch in March', {
  maxLength: 80,
  pattern: NAME_PATTERN,
})
/** In characters; the query of a plan with a hundred ticked directories has a few thousand. */
export const MOST_QUERY = 8_000
const query = stringType('The query of the address of the plan, with the ticks.', 'kind=mobile&budget=100', {
  maxLength: MOST_QUERY,
})

export const savedSchema = objectType('What the signed-in user has put aside.', {
  tools: slugs,
  directories: slugs,
  plans: Type.Array(Type.Object({ name: planName, query, createdAt: timestamp('When it was saved.') }), {
    description: 'Launch plans, the newest first.',
  }),
})

export const shortlistBody = objectType('The listings to put on the shortlist and to take from it.', {
  add: Type.Object({ tools: slugs, directories: slugs }),
  remove: Type.Object({ tools: slugs, directories: slugs }),
})

export const planBody = Type.Object({ name: planName, query }, { description: 'The plan.' })
