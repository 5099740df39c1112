// What became of the products that were entered into a directory from here.
import { Type } from 'typebox'
import type { Context } from '../../../kernel/context.ts'
import { operation } from '../../../kernel/operation.ts'
import {
  integerType,
  nullable,
  numberType,
  objectType,
  stringType,
  timestamp,
  titledObject,
} from '../../../kernel/schema.ts'
import { findListing } from '../../catalog/reads.ts'
import { LEAST_SUBMITTED } from '../../submissions/queue/waiting.rules.ts'
import { listEntered } from '../queries.ts'
import { type Evidence, evidenceOf } from './evidence.rules.ts'

const share = (description: string, example: number) =>
  nullable(numberType(description, example, { minimum: 0, maximum: 1 }))
const days = (description: string, example: number) => nullable(numberType(description, example))

const evidenceSchema = titledObject(
  'DirectoryEvidence',
  `What became of products that were entered into a directory. Shares and times are null below ${LEAST_SUBMITTED} products.`,
  {
    slug: stringType('Slug of the directory.', 'launch-list'),
    submitted: integerType('How many products were entered into it.', 42, { minimum: 0 }),
    live: integerType('How many of them were found listed there.', 34, { minimum: 0 }),
    liveShare: share('The share of those that were found listed.', 0.81),
    daysToLive: objectType('From entering a product to the first look that found it listed.', {
      median: days('Half of the listed ones were found within so many days.', 6),
      p90: days('Nine of ten were.', 21.5),
    }),
    lostShare90: share(
      'The share of listings that were gone within 90 days, among listings first found at least 90 days ago.',
      0.06,
    ),
    dofollowShare: share('The share of links that search engines follow, of the links that are there now.', 0.5),
    lastLiveAt: nullable(timestamp('The last look that found a listing there.')),
  },
)

export const readEvidence = async (ctx: Context, directoryId: string): Promise<Evidence> =>
  evidenceOf(await listEntered(ctx.db, directoryId), ctx.now().getTime())

export const getDirectoryEvidence = operation({
  name: 'get_directory_evidence',
  summary: 'What became of products in a directory',
  description: `How many products were entered into a directory from here, how many were found listed and how soon, and how many listings were lost, from recorded submissions and looks at their pages. Shares and times are null below ${LEAST_SUBMITTED} products.`,
  group: 'Catalog',
  access: 'catalog',
  method: 'GET',
  path: '/directories/:slug/evidence',
  parameters: Type.Object({ slug: evidenceSchema.properties.slug }),
  data: evidenceSchema,
  async run(ctx, { slug }) {
    const { directories } = ctx.catalog.snapshot()
    const listing = findListing(directories, slug, 'Directory')
    const id = directories.idOf.get(listing.slug) ?? ''
    return { data: { slug: listing.slug, ...(await readEvidence(ctx, id)) } }
  },
})
