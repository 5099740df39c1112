// What visitors report about listings: the form on the site stores it, operators answer.
import { Type } from 'typebox'
import { withoutInvisible } from '../../../kernel/checks/invisible.ts'
import type { TransactionContext } from '../../../kernel/context.ts'
import { orderedId } from '../../../kernel/database/ordered-id.ts'
import { orNotFound } from '../../../kernel/errors.ts'
import { operationsFor, pageOperation } from '../../../kernel/operation.ts'
import { listPage, offsetOf } from '../../../kernel/schema.ts'
import { capitalised, trimmed } from '../../../kernel/values/text.ts'
import { normalizeEmail } from '../../accounts/rules.ts'
import { versionGuard } from '../../audit/schema.ts'
import { checkVersion } from '../../audit/version-guard.ts'
import { writeAudit } from '../../audit/write-audit.ts'
import { findListing } from '../../catalog/reads.ts'
import { TOPIC } from '../../catalog/schema.ts'
import { tellAddress } from '../../mail/mail.ts'
import * as schema from '../schema.ts'
import * as queries from './reports.queries.ts'
import { addressesIn, afterReport, REPORT_REASONS, readReports, reportsIn } from './reports.rules.ts'

const operation = operationsFor('operator', 'Listings')

export const reportListing = pageOperation({
  name: 'report_listing',
  access: 'public',
  parameters: schema.reportedListing,
  body: schema.reportBody,
  data: Type.Object({ slug: schema.reportedListing.properties.slug }, { description: 'The listing.' }),
  run: async (ctx, { kind, slug }, { reason, note = '', email = '' }) => {
    const listings = ctx.catalog.snapshot()[TOPIC[kind]]
    findListing(listings, slug, capitalised(kind))
    const listingId = listings.idOf.get(slug) ?? ''
    await ctx.transaction(async (ctx) => {
      const now = ctx.now()
      const before = await queries.findOrInsertForUpdate(ctx.db, { id: orderedId(), kind, listingId }, now)
      // A service that sends no mail cannot answer, so it keeps no address.
      const address = ctx.mailer ? normalizeEmail(email) : ''
      const report = { reason, note: trimmed(withoutInvisible(note)), email: address || null }
      if (before) await queries.updateReport(ctx.db, before.id, afterReport(readReports(before), report, now))
    })
    return { data: { slug } }
  },
})

export const listVisitorReports = operation({
  name: 'list_visitor_reports',
  summary: 'What visitors report about listings',
  description: 'One row for each published listing, with how often it was reported and why, the last reported first.',
  method: 'GET',
  path: '/visitor-reports',
  parameters: Type.Object({ ...schema.reportFilters, ...listPage }),
  data: Type.Array(schema.visitorReportsSchema),
  run: async (ctx, input) => ({
    data: (await queries.listReports(ctx.db, input, input.limit, offsetOf(input))).map(shownReports),
  }),
})

export const answerVisitorReports = operation({
  name: 'answer_visitor_reports',
  summary: 'Answer the reports about a listing',
  description:
    'Closes the reports. Those who left an address get the answer by mail where mail is set up, and the addresses are deleted. The same answer again changes nothing; a new report opens them anew.',
  method: 'POST',
  path: '/visitor-reports/:id/answer',
  parameters: Type.Object({ id: schema.reportId, ...versionGuard.parameters }),
  body: schema.answerBody,
  data: schema.visitorReportsSchema,
  failures: [400, 404, ...versionGuard.failures],
  run: (ctx, { id, ifVersion }, body) =>
    ctx.transaction(async (ctx) => {
      await queries.lockReport(ctx.db, id)
      const before = await find(ctx, id)
      const answer = trimmed(body.answer ?? '')
      if (before.state === 'answered' && (answer === '' || answer === before.answer)) return { data: before }
      const subject = `visitor-report:${id}`
      const action = 'visitor-report.answer'
      await checkVersion(ctx, ifVersion, {
        ...{ name: `report about ${before.name}`, version: before.version, subject },
        actions: [action],
      })
      await queries.updateReport(ctx.db, id, {
        state: 'answered',
        messages: before.messages.map((message) => ({ ...message, email: null })),
        ...{ answer, answeredBy: ctx.caller.label, answeredAt: ctx.now() },
      })
      const addresses = answer === '' ? [] : addressesIn(before.messages)
      for (const [at, email] of addresses.entries())
        await tellAddress(ctx, {
          event: `${id}:${before.version}:${at}`,
          kind: 'report-answered',
          email,
          details: { name: before.name, path: `/${TOPIC[before.kind]}/${before.slug}`, answer },
        })
      const told = ctx.mailer ? addresses.length : 0
      const details = { listing: `${before.kind}:${before.slug}`, count: before.count, told }
      await writeAudit(ctx, action, subject, details)
      return { data: await find(ctx, id) }
    }),
})

export const reportOperations = [listVisitorReports, answerVisitorReports]

async function find(ctx: Pick<TransactionContext, 'db'>, id: string) {
  return shownReports(orNotFound(await queries.findVisitorReport(ctx.db, id), 'Report'))
}

function shownReports({ report, ...listing }: Awaited<ReturnType<typeof queries.listReports>>[number]) {
  const { counts, ...reports } = readReports(report)
  return {
    ...{ ...reports, ...listing, count: reportsIn(counts) },
    reasons: Object.fromEntries(REPORT_REASONS.map((reason) => [reason, counts[reason] ?? 0])),
  }
}
