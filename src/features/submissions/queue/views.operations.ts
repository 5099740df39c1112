// Operator API: views of the queue (filters and order) that an administrator saved under a name. Every administrator has their own.
import { Type } from 'typebox'
import { badRequest, orNotFound } from '../../../kernel/errors.ts'
import { operationsFor } from '../../../kernel/operation.ts'
import { NAME_PATTERN, patternOf, stringType } from '../../../kernel/schema.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import * as queries from './queue.queries.ts'

const operation = operationsFor('operator', 'Submissions')

const name = stringType('Name of the view.', 'Mine, oldest first', { maxLength: 60, pattern: NAME_PATTERN })
// Only characters that can be put into a link safely.
const query = stringType('The filters, as the query of an address has them.', 'view=table&assignee=me&sort=oldest', {
  maxLength: 1000,
  pattern: patternOf(
    '^[A-Za-z0-9%&=+._~*-]*$',
    'be the query of an address, such as view=table&sort=oldest, with other characters percent-encoded',
  ),
})
const viewSchema = Type.Object({ name, query }, { title: 'QueueView', description: 'A saved view of the queue.' })

/** How many views an administrator may have. */
const MAX_VIEWS = 30

export const listQueueViews = operation({
  name: 'list_queue_views',
  summary: 'Your saved views of the queue',
  description: 'The views that the caller has saved, by name. Every administrator has their own.',
  method: 'GET',
  path: '/queue/views',
  data: Type.Array(viewSchema),
  run: async (ctx) => ({ data: await queries.listViews(ctx.db, ctx.caller.label) }),
})

export const putQueueView = operation({
  name: 'put_queue_view',
  summary: 'Save a view of the queue',
  description: `Saves filters of the queue under a name, or replaces them; ${MAX_VIEWS} views at most.`,
  method: 'PUT',
  path: '/queue/views/:name',
  // x-strict: a name of a wrong form is refused here. For a deletion it is just not found.
  parameters: Type.Object({ name: { ...name, 'x-strict': true } }),
  body: Type.Object({ query }),
  data: viewSchema,
  failures: [400],
  run: (ctx, input, { query }) =>
    ctx.transaction(async (ctx) => {
      const view = { name: input.name, query }
      // The e-mail address of an administrator; `operator` for the operator token.
      const owner = ctx.caller.label
      await queries.lockViews(ctx.db, owner)
      const views = await queries.listViews(ctx.db, owner)
      const before = views.find((one) => one.name === view.name)
      if (before?.query === query) return { data: view }
      if (!before && views.length >= MAX_VIEWS)
        throw badRequest(`You have ${MAX_VIEWS} views, which is the most. Delete one first.`)
      await queries.upsertView(ctx.db, { owner, ...view, createdAt: ctx.now() })
      await writeAudit(ctx, 'view.put', `view:${view.name}`)
      return { data: view }
    }),
})

export const deleteQueueView = operation({
  name: 'delete_queue_view',
  summary: 'Delete a saved view',
  description: 'Deletes one of the views that the caller has saved.',
  method: 'DELETE',
  path: '/queue/views/:name',
  parameters: Type.Object({ name }),
  data: viewSchema,
  failures: [400, 404],
  run: (ctx, input) =>
    ctx.transaction(async (ctx) => {
      const deleted = orNotFound(await queries.deleteView(ctx.db, ctx.caller.label, input.name), 'View')
      await writeAudit(ctx, 'view.delete', `view:${deleted.name}`)
      return { data: deleted }
    }),
})

export const viewOperations = [listQueueViews, putQueueView, deleteQueueView]
