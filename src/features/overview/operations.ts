// Operator API: the work that waits for an administrator, the broken rows that readers are not shown, and names for the audit log.
import { Type } from 'typebox'
import { operationsFor, pageOperation } from '../../kernel/operation.ts'
import { listPage, nullable, offsetOf } from '../../kernel/schema.ts'
import { DAY_MS } from '../../kernel/values/days.ts'
import { countListingsWithoutVector } from '../embeddings/queries.ts'
import { countFailedEnrichments } from '../enrichment/queries.ts'
import { countUndeliveredKeys } from '../keys/queries.ts'
import { countListingsToReview } from '../listings/entries/read.queries.ts'
import { listMailProblems } from '../mail/queries.ts'
import { mailRemedy } from '../mail/texts.rules.ts'
import { countSubmissions } from '../submissions/queries.ts'
import { QUEUE_STATES, type QueueState } from '../submissions/rules.ts'
import { countPendingConversations } from '../support/queries.ts'
import { countOpenDeliveries } from '../webhooks/queries.ts'
import { countWaitingWork, LARGEST_COUNT, listSubjectNames, listUsersByEmail } from './queries.ts'
import { brokenRowSchema, overviewSchema, waitingSchema } from './schema.ts'

const operation = operationsFor('operator', 'Overview')

export const getOverview = operation({
  name: 'get_overview',
  summary: 'Work that waits for an administrator',
  description: 'How many submissions there are in each state, and how much else an administrator should look at.',
  method: 'GET',
  path: '/overview',
  data: overviewSchema,
  tool: {
    title: 'Overview',
    description: 'What waits: submissions by state, questions, failed deliveries and more. Start here.',
  },
  run: async (ctx) => {
    const counts = await countSubmissions(ctx.db)
    const toReview = await countListingsToReview(ctx.db)
    const mailProblems = await listMailProblems(ctx.db, new Date(ctx.now().getTime() - DAY_MS))
    // WAITING stands for submissions without a package, whose stored state is null.
    const inState = (state: QueueState) =>
      counts.find((row) => row.state === (state === 'WAITING' ? null : state))?.count ?? 0
    return {
      data: {
        submissions: Object.fromEntries(QUEUE_STATES.map((state) => [state, inState(state)])) as Record<
          QueueState,
          number
        >,
        pendingConversations: await countPendingConversations(ctx.db),
        openWebhooks: await countOpenDeliveries(ctx.db),
        failedEnrichments: await countFailedEnrichments(ctx.db),
        brokenRows: ctx.brokenRows.list().length,
        ...(ctx.meaning
          ? { embeddings: { made: ctx.meaning.size(), ...(await countListingsWithoutVector(ctx.db)) } }
          : {}),
        ...(toReview > 0 ? { listingsToReview: toReview } : {}),
        ...(mailProblems.length > 0
          ? { mailProblems: mailProblems.map((row) => ({ ...row, remedy: mailRemedy(row.state, row.problem) })) }
          : {}),
        unheldKeys: await countUndeliveredKeys(ctx.db),
      },
    }
  },
})

export const getMenuCounts = operation({
  name: 'get_waiting',
  summary: 'The counts of the menu',
  description: `How many submissions, orders and products of founders, proposals, questions, lost links, listings that are gone and reports of visitors wait, counted up to ${LARGEST_COUNT}: as little as a menu needs.`,
  method: 'GET',
  path: '/overview/waiting',
  data: waitingSchema,
  run: async (ctx) => {
    const { reviews, ...counts } = await countWaitingWork(ctx.db)
    return { data: ctx.founders.mode === 'off' ? counts : { ...counts, reviews } }
  },
})

export const listBrokenRows = operation({
  name: 'list_broken_rows',
  summary: 'Rows that are left out',
  description:
    'Stored listings, terms, keys and articles that are not as they must be. They are shown to no reader and everything else goes on without them. Put each anew, hide it or delete it.',
  method: 'GET',
  path: '/broken-rows',
  parameters: Type.Object(listPage),
  failures: [],
  data: Type.Array(brokenRowSchema),
  run: (ctx, input) => {
    const from = offsetOf(input)
    return { data: ctx.brokenRows.list().slice(from, from + input.limit) }
  },
})

/** At most this many names are asked for at once. A page of the audit log has fewer. */
const MOST_NAMED = 500
const texts = (description: string) =>
  Type.Array(Type.String({ maxLength: 1000 }), { maxItems: MOST_NAMED, description })

/** The names of the subjects and actors in the audit log. */
export const nameAuditRows = pageOperation({
  name: 'name_audit_rows',
  access: 'operator',
  body: Type.Object({
    subjects: texts('Subjects as the log has them, such as submission:0199d2c4.'),
    actors: texts('Actors as the log has them, such as ada@example.com.'),
  }),
  data: Type.Object({
    subjects: Type.Array(
      Type.Object({
        subject: Type.String({ description: 'As asked.' }),
        name: Type.String({ description: 'What it is called now.' }),
        owner: nullable(Type.String({ description: 'The subject that it belongs to.' })),
      }),
      { description: 'Those that still exist.' },
    ),
    users: Type.Array(
      Type.Object({
        email: Type.String({ description: 'As asked.' }),
        id: Type.String({ description: 'Identifier of the user.' }),
      }),
      { description: 'The actors that are users.' },
    ),
  }),
  run: async (ctx, _input, body) => ({
    data: {
      subjects: await listSubjectNames(ctx.db, body.subjects),
      users: await listUsersByEmail(ctx.db, body.actors),
    },
  }),
})
