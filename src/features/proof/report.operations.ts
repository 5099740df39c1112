// The report that a partner gives its customer. Anyone who has the address can read it, so it shows only what is meant for the customer.
import { Type } from 'typebox'
import { notFound } from '../../kernel/errors.ts'
import { pageOperation } from '../../kernel/operation.ts'
import { nullable, stringType } from '../../kernel/schema.ts'
import { LINK_STATES } from '../submissions/bench/link.rules.ts'
import { listRows } from '../submissions/queries.ts'
import { packageOf, summaryOf } from '../submissions/rules.ts'
import { findReport } from './queries.ts'
import { reportSchema } from './schema.ts'

export const readReport = pageOperation({
  name: 'read_report',
  access: 'public',
  parameters: Type.Object({
    token: stringType('The token in the address.', '3f1c9a0e5b7d42868a1f', { maxLength: 100 }),
  }),
  // Only the page shows the logo; the report as CSV and JSON (`reportSchema`) has none.
  data: Type.Object({
    ...reportSchema.properties,
    logo: nullable(stringType('The logo.', 'https://catalog.example.com/media/acme.png')),
  }),
  run: async (ctx, { token }) => {
    // A text that cannot be a token is looked up too, so that the time of a 404 says nothing about the form of tokens.
    const found = await findReport(ctx.db, token)
    const test = found ? undefined : await ctx.sandbox.report(ctx, token)
    const shown = found ?? test
    if (!shown) throw notFound('Report')
    const { submission, tool } = shown
    const rows = test?.rows ?? (await listRows(ctx.db, submission.id, 'founder', ctx.now()))
    const { notes: _, ...counts } = summaryOf(rows, '')
    const links = Object.fromEntries(
      LINK_STATES.map((state) => [state, rows.filter(({ link }) => link?.state === state).length]),
    )
    return {
      data: {
        tool,
        logo: found?.logo ?? null,
        package: packageOf(submission.paymentType),
        summary: { isComplete: submission.state === 'DONE', ...counts, links },
        submissions: rows,
        generatedAt: ctx.now(),
        ...(test ? { test: true } : {}),
      },
    }
  },
})
