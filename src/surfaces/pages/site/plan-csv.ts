// The launch plan for founders as CSV, for spreadsheets.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FoundersPlan } from '../../../features/plan/founders.ts'
import { csvCell } from '../../../kernel/text.ts'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { publicBody, sendPublic } from '../kit/answers.ts'
import type { AddressQuery } from '../kit/site-addresses.ts'
import { planIn } from './plan.ts'

type Planned = FoundersPlan['chosen'][number]

const COLUMNS: readonly (readonly [title: string, value: (planned: Planned) => string | number | null])[] = [
  ['name', ({ directory }) => directory.name],
  ['website', ({ directory }) => directory.website],
  ['page', ({ directory }) => directory.url],
  ['domainRating', ({ directory }) => directory.domainRating],
  ['monthlyVisits', ({ directory }) => directory.monthlyVisits],
  ['cost', ({ directory }) => directory.cost],
  ['minimumPrice', ({ directory }) => directory.minimumPrice],
  ['type', ({ directory }) => directory.type],
  ['requiresBadge', ({ directory }) => (directory.requiresBadge ? 'yes' : 'no')],
  ['score', ({ score }) => score],
  ['reasons', ({ reasons }) => reasons.join('; ')],
]

export const planCsv = (service: Service) => async (request: FastifyRequest, reply: FastifyReply) => {
  const ctx = service.context(identifiedCaller(request))
  const { plan } = await planIn(ctx, request.query as AddressQuery)
  const lines = [
    COLUMNS.map(([title]) => title),
    ...plan.chosen.map((planned) => COLUMNS.map(([, value]) => csvCell(value(planned)))),
  ]
  reply.headers({ 'content-disposition': 'attachment; filename="launch-plan.csv"', 'x-robots-tag': 'noindex' })
  const bytes = Buffer.from(lines.map((line) => `${line.join(',')}\r\n`).join(''))
  return sendPublic(request, reply, 'text/csv; charset=utf-8', publicBody(bytes))
}
