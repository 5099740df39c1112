// The launch plan for founders as files: CSV for spreadsheets, and a calendar.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PlanStep } from '../../../../features/plan/founders/founders.rules.ts'
import type { Context } from '../../../../kernel/context.ts'
import { type CsvColumn, csvOf } from '../../../../kernel/formats/csv.ts'
import { DAY_MS, dayOf } from '../../../../kernel/values/days.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import type { Service } from '../../../http/service.ts'
import type { AddressQuery } from '../../kit/lists/address-query.ts'
import { oneLine } from '../../kit/markup.ts'
import { publicBody, sendPublic } from '../../kit/sending/answers.ts'
import { planOfQuery } from './plan.ts'

const COLUMNS: readonly CsvColumn<PlanStep>[] = [
  ['name', ({ directory }) => directory.name],
  ['website', ({ directory }) => directory.website],
  ['page', ({ directory }) => directory.url],
  ['day', ({ day }) => day],
  ['minutes', ({ minutes }) => minutes],
  ['domainRating', ({ directory }) => directory.domainRating],
  ['monthlyVisits', ({ directory }) => directory.monthlyVisits],
  ['cost', ({ directory }) => directory.cost],
  ['minimumPrice', ({ directory }) => directory.minimumPrice],
  ['type', ({ directory }) => directory.type],
  ['requiresBadge', ({ directory }) => (directory.requiresBadge ? 'yes' : 'no')],
  ['score', ({ score }) => score],
  ['reasons', ({ reasons }) => reasons.join('; ')],
]

/** An iCalendar file (RFC 5545) with a whole day for each directory. */
const calendarOf = (ctx: Context, steps: readonly PlanStep[]): string => {
  const stamp = `${ctx.now().toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
  const { host } = new URL(ctx.publicUrl)
  const events = steps.flatMap(({ directory, reasons, minutes, day }) => [
    'BEGIN:VEVENT',
    `UID:plan-${directory.slug}@${host}`,
    `DTSTAMP:${stamp}`,
    `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`,
    `DTEND;VALUE=DATE:${dayOf(Date.parse(day) + DAY_MS).replaceAll('-', '')}`,
    `SUMMARY:${calendarText(`Enter your product into ${oneLine(directory.name, 100)}`)}`,
    `DESCRIPTION:${calendarText(`About ${minutes} minutes. ${reasons.map((reason) => oneLine(reason, 120)).join(', ')}\n${directory.url}\n${directory.website}`)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ])
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', `PRODID:-//${host}//Launch plan//EN`, ...events, 'END:VCALENDAR']
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

const calendarText = (text: string): string =>
  text
    .replace(/[\\;,]/g, (sign) => `\\${sign}`)
    .replace(/\r?\n/g, '\\n')
    .replace(/\p{Cc}/gu, ' ')

// The standard allows lines of at most 75 bytes.
const FOLDED_LENGTH = 75

/** The line, broken between characters where it is too long; a continued line begins with a space. */
function folded(line: string): string {
  let bytes = 0
  let text = ''
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (bytes + size > FOLDED_LENGTH) {
      text += '\r\n '
      bytes = 1
    }
    text += character
    bytes += size
  }
  return text
}

/** A route that sends the plan of its query as a file. */
const planFile =
  (name: string, type: string, write: (ctx: Context, steps: readonly PlanStep[]) => string) =>
  (service: Service) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    const ctx = service.context(identifiedCaller(request))
    const { plan } = await planOfQuery(ctx, request.query as AddressQuery)
    const text = write(
      ctx,
      plan.phases.flatMap(({ steps }) => steps),
    )
    reply.headers({ 'content-disposition': `attachment; filename="${name}"`, 'x-robots-tag': 'noindex' })
    return sendPublic(request, reply, `${type}; charset=utf-8`, publicBody(Buffer.from(text)))
  }

export const planCsv = planFile('launch-plan.csv', 'text/csv', (_, steps) => csvOf(COLUMNS, steps))
export const planCalendar = planFile('launch-plan.ics', 'text/calendar', calendarOf)
