// The job that reads the site of a product and fills in the form. If the site cannot be read, the founder gets an empty form.
import { backgroundCaller } from '../../../kernel/caller.ts'
import type { Context } from '../../../kernel/context.ts'
import { tryReadBody } from '../../../kernel/input.ts'
import type { Attempt, Job } from '../../../kernel/job.ts'
import { readSite } from '../../enrichment/gather.ts'
import * as queries from './queries.ts'
import { fieldsOfSite, READING_SECONDS } from './rules.ts'
import { productFields } from './schema.ts'

export const READING = 'product-reading'
export const productReader = backgroundCaller(READING)

// The last seconds are for storing what was found.
const STORING_MS = 5_000

export const readingJob = (context: (attempt: Attempt) => Context): Job<{ id: string }> => ({
  name: READING,
  retries: 1,
  retryDelaySeconds: 1,
  timeoutSeconds: READING_SECONDS,
  run: ({ id }, attempt) => readProduct(context(attempt), id, attempt.endsAt - STORING_MS),
})

async function readProduct(ctx: Context, id: string, until: number): Promise<void> {
  const product = await queries.findProduct(ctx.db, id)
  if (product?.state !== 'reading') return
  await queries.updateWhileReading(ctx.db, id, { step: 'page' })
  const site = await readSite(ctx, product.website, until, async () => {
    await queries.updateWhileReading(ctx.db, id, { step: 'pictures' })
  })
  const draft = { state: 'draft', updatedAt: ctx.now() } as const
  if ('why' in site) {
    await queries.updateWhileReading(ctx.db, id, { ...draft, note: `The site ${site.note}.` })
    return
  }
  const found = fieldsOfSite(site, await queries.listTermNames(ctx.db))
  // A site may state a value that a listing must not have. The form is then empty.
  const read = tryReadBody(productFields, found.fields)
  const filledIn = 'problems' in read ? { fields: {}, sources: {} } : { fields: read.value, sources: found.sources }
  await queries.updateWhileReading(ctx.db, id, { ...draft, ...filledIn })
}
