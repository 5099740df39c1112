// The form on which a visitor reports that something about a listing is wrong. It needs neither a sign-in nor a script.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { findListing } from '../../../../features/catalog/reads.ts'
import { LISTED_KINDS, type ListedKind, TOPIC } from '../../../../features/catalog/schema.ts'
import { reportListing } from '../../../../features/health/reports/reports.operations.ts'
import { MOST_NOTE, REPORT_REASONS, type ReportReason } from '../../../../features/health/reports/reports.rules.ts'
import { REPORT_BUDGETS } from '../../../../features/keys/budgets.rules.ts'
import { tooManyRequests } from '../../../../kernel/errors.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { visitorAddress } from '../../../http/requests/callers.ts'
import type { Service } from '../../../http/service.ts'
import { button, linkButton } from '../../kit/button.ts'
import { choice, field, fieldGroup, textarea } from '../../kit/forms/field.ts'
import { type Refusal, refusalFlash, refusalOf } from '../../kit/forms/forms.ts'
import { html, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import {
  addPrivatePages,
  forAnyone,
  isCorrectable,
  type Visit,
  type VisitPages,
} from '../../kit/sending/private-pages.ts'

const REASON_WORDS: Record<ReportReason, string> = {
  wrong: 'Something in the listing is wrong',
  gone: 'The product is gone',
  'broken-form': 'A form or a link does not work',
  other: 'Something else',
}
const LABELS = { reason: 'The reason', note: 'In a sentence (if you like)', email: 'Your e-mail address' }

export function addListingReports(server: FastifyInstance, service: Service): void {
  const pages = (kind: ListedKind): VisitPages[string] => ({
    GET: (visit) => visit.send(formPage(service, listingOf(visit, kind))),
    POST: (visit) => sendReport(visit, listingOf(visit, kind)),
  })
  const routes = LISTED_KINDS.map((kind) => [`/${TOPIC[kind]}/:slug/report`, pages(kind)])
  addPrivatePages(server, service, forAnyone, Object.fromEntries(routes))
}

interface ReportedListing {
  kind: ListedKind
  id: string
  slug: string
  name: string
}

function listingOf(visit: Visit, kind: ListedKind): ReportedListing {
  const slug = visit.param('slug')
  const listings = visit.ctx.catalog.snapshot()[TOPIC[kind]]
  const { name }: { name: string } = JSON.parse(findListing(listings, slug, capitalised(kind)).json.toString())
  return { kind, slug, name, id: listings.idOf.get(slug) ?? '' }
}

async function sendReport(visit: Visit, listing: ReportedListing): Promise<FastifyReply> {
  const { kind, slug } = listing
  const form = visit.form
  const { reason = '', note, email } = form
  const { limiter } = visit.service
  const from = `report:${visitorAddress(visit.request.ip)}`
  // A network may send one report a day about a listing; further ones are thanked for and dropped. A refused report does not use it up.
  const [id, budgets] = [`${from}:${listing.id}`, visit.service.scale(REPORT_BUDGETS.ofListing)]
  try {
    const { allowed, retryAfter } = await limiter.charge(from, visit.service.scale(REPORT_BUDGETS.all))
    if (!allowed) throw tooManyRequests(retryAfter)
    if ((await limiter.peek(id, budgets)).allowed) {
      await visit.perform(reportListing, { kind, slug }, { reason, note, email })
      await limiter.charge(id, budgets)
    }
    return visit.send(thanksPage(listing, Boolean(email) && visit.service.sendsMail))
  } catch (error) {
    if (!isCorrectable(error)) throw error
    visit.reply.headers(error.headers)
    const refusal = refusalOf(error, LABELS)
    return visit.send(formPage(visit.service, listing, { form, refusal }), error.status)
  }
}

interface RefusedForm {
  form: Readonly<Record<string, string | undefined>>
  refusal: Refusal
}

const formPage = ({ sendsMail }: Service, { kind, slug, name }: ReportedListing, typed?: RefusedForm): Page => ({
  title: `Correct the listing of ${oneLine(name, 40)}`,
  description: `Report that something about ${name} is wrong.`,
  flash: refusalFlash(typed?.refusal),
  body: html`<div class="flow prose">
<h1>Correct the listing of <bdi>${name}</bdi></h1>
<p class="lead">An administrator looks at it.</p>
<form class="form" method="post" action="/${TOPIC[kind]}/${slug}/report">
${fieldGroup(
  'What is the matter?',
  html`<div>${REPORT_REASONS.map((value) =>
    choice({
      type: 'radio',
      name: 'reason',
      value,
      label: REASON_WORDS[value],
      checked: (typed?.form.reason ?? REPORT_REASONS[0]) === value,
    }),
  )}</div>`,
)}
${textarea({ name: 'note', label: LABELS.note, rows: 3, maxLength: MOST_NOTE, value: typed?.form.note, error: typed?.refusal.marked.note })}
${
  sendsMail &&
  field({
    name: 'email',
    label: LABELS.email,
    type: 'email',
    maxLength: 254,
    autocomplete: 'email',
    value: typed?.form.email,
    error: typed?.refusal.marked.email,
    hint: 'Only if you want an answer. It is deleted once you are answered.',
  })
}
<div class="row">${button('Send the report')}${linkButton(`/${TOPIC[kind]}/${slug}`, 'Back', { kind: 'plain' })}</div>
</form>
</div>`,
})

const thanksPage = ({ kind, slug, name }: ReportedListing, isAnswered: boolean): Page => ({
  title: 'Thank you',
  description: 'The report was sent.',
  body: html`<div class="flow prose">
<h1>Thank you</h1>
<p class="lead">Your report about <bdi>${name}</bdi> was sent. An administrator looks at it${isAnswered && ' and answers by mail'}.</p>
<div class="row">${linkButton(`/${TOPIC[kind]}/${slug}`, 'Back to the listing')}</div>
</div>`,
})
