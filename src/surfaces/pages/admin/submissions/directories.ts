// The list of directories for one submission, which an administrator filters and works down, and the form that records one directory. The
// bench has the same form.
import type { Static } from 'typebox'
import { uploadPicture } from '../../../../features/pictures/operations.ts'
import {
  ACTORS,
  GIVEN_REASONS,
  keyOfReason,
  labelOfReason,
} from '../../../../features/submissions/queue/waiting.rules.ts'
import type { candidateSchema } from '../../../../features/submissions/read/read.schema.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { button, keyHint } from '../../kit/button.ts'
import { badge, emptyState } from '../../kit/components.ts'
import { choice, field, fileField, hiddenField, select } from '../../kit/forms/field.ts'
import { versionField } from '../../kit/forms/forms.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { meter } from '../../kit/lists/chart.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { listingTile } from '../../kit/named-listing.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'
import { ago, money } from '../../kit/values.ts'
import { badgeSelect, categorySelect, costSelect, ratingSelect } from '../../site/lists/narrowing.ts'
import { externalLink, foldedFilters } from '../kit/list-pages.ts'
import { ACTOR_WORDS, waitMark } from '../kit/states.ts'
import { PICTURE_FILES } from '../listings/uploads.ts'

export type Candidate = Static<typeof candidateSchema>

export const FILTERS = ['q', 'category', 'cost', 'rating', 'badge', 'show', 'waitingFor', 'sort'] as const
export type CandidateFilters = Record<(typeof FILTERS)[number], string>

/** What was typed into the refused form of one directory, and why it was refused. */
export interface TypedRecord {
  slug: string
  listingUrl: string
  proofUrl: string
  reason: string
  error: string
  /** The problem of each field by name; '' is the uploaded picture. */
  marked: Readonly<Record<string, string>>
}

interface RowContext {
  visit: Visit
  /** The address to which the form of a directory is sent. It has the filters, so that the answer is the same page again. */
  action: (slug: string) => string
  typed?: TypedRecord | null
}

export const waitingForSelect = (value: string): Markup =>
  select({
    name: 'waitingFor',
    label: 'Waits for',
    none: 'Any',
    value,
    options: ACTORS.map((actor) => ({ value: actor, label: capitalised(ACTOR_WORDS[actor]) })),
  })

export const directoryFilters = (
  action: string,
  filters: CandidateFilters,
  categories: readonly { slug: string; name: string }[],
): Markup => html`<form class="filters" method="get" action="${action}#directories">
<div class="whole">${field({ name: 'q', label: 'Directory', type: 'search', value: filters.q, maxLength: 200, placeholder: 'Name or website' })}</div>
${foldedFilters(
  html`${ratingSelect(filters.rating, 'Rating')}
${categorySelect(filters.category, categories)}
${costSelect(filters.cost)}
${badgeSelect(filters.badge)}
${select({
  name: 'show',
  label: 'Show',
  none: 'All',
  value: filters.show,
  options: [
    { value: 'open', label: 'Not on record' },
    { value: 'recorded', label: 'On record' },
    { value: 'submitted', label: 'Submitted' },
  ],
})}
${waitingForSelect(filters.waitingFor)}
${select({
  name: 'sort',
  label: 'Sort by',
  none: 'Rating',
  value: filters.sort,
  options: [
    { value: 'visits', label: 'Visits' },
    { value: 'name', label: 'Name' },
  ],
})}`,
  FILTERS.filter((name) => name !== 'q' && filters[name] !== '').length,
)}
<div class="row">${button('Apply', { kind: 'plain' })}</div>
</form>`

export const directoryList = (candidates: readonly Candidate[], context: RowContext): Markup =>
  candidates.length === 0
    ? emptyState({ title: 'No such directory', text: 'Ask for less, or look at all of them.' })
    : html`<ol class="directory-rows" data-rows>${candidates.map(
        (candidate, i) =>
          html`<li id="${rowId(candidate.slug)}">${directoryRow(candidate, context, candidates[i + 1]?.slug ?? '')}</li>\n`,
      )}</ol>`

export const rowId = (slug: string): string => `directory-${slug}`

/** The content of a row. It is also the answer to a form that the script sent. `next`: the slug of the row below it; '' for the last. */
export function directoryRow(candidate: Candidate, context: RowContext, next: string): Markup {
  const { name, row: record, slug } = candidate
  const typed = context.typed?.slug === slug ? context.typed : null
  const action = context.action(slug)
  const form = recordForm(candidate, context.visit, {
    action,
    attributes: html`data-hx-post="${action}" data-hx-target="#${rowId(slug)}" data-hx-swap="innerHTML" data-hx-disable="find button"`,
    next,
    typed,
    ids: slug,
  })
  return html`<div class="${record?.isSubmitted ? 'directory-row done' : 'directory-row'}">
<details${typed && html` open`}><summary><span class="named">${listingTile(context.visit, 'directories', candidate)}<strong><bdi>${name}</bdi></strong></span>${shortState(candidate, context.visit)}</summary>
${badges(candidate, context.visit)}${record && recordedState(record)}${form}</details>${openLink(candidate)}
</div>`
}

/** What a row says before it is opened: of a directory on record who is waited for, of any other its price and rating. */
const shortState = (candidate: Candidate, visit: Visit): Markup => {
  const { row, domainRating } = candidate
  return row
    ? html`<span class="row">${row.isSubmitted ? badge('Submitted', 'good') : badge('Planned')}${row.waitingFor && waitMark(row.waitingFor, `Waits for ${ACTOR_WORDS[row.waitingFor]}`)}</span>`
    : html`<span class="row">${priceBadge(candidate, visit)}${domainRating !== null && html`<span class="figure quiet">DR ${domainRating}</span>`}</span>`
}

const priceBadge = ({ cost, minimumPrice }: Candidate, { service }: Visit): Markup =>
  badge(
    minimumPrice > 0 ? `${cost}, from ${money(minimumPrice, service.site.fields().currency)}` : cost,
    cost === 'Free' ? 'good' : 'notice',
  )

/** The facts about a directory that matter when submitting. */
export function badges(candidate: Candidate, visit: Visit): Markup {
  const { domainRating, type, requiresBadge, submissionExperience, automation, automationQuote, automationReadOn } =
    candidate
  return html`<ul class="marks">
<li>${domainRating === null ? html`<span class="quiet">No rating</span>` : html`<span class="figure">DR ${domainRating}</span> ${meter(domainRating)}`}</li>
<li>${priceBadge(candidate, visit)}</li>
${type && html`<li>${badge(type)}</li>`}
${requiresBadge && html`<li>${badge('Badge required', 'notice')}</li>`}
${submissionExperience && html`<li class="small quiet"><bdi>${submissionExperience}</bdi></li>`}
${automation !== 'unknown' && html`<li class="small">${badge(automation === 'allowed' ? 'Programs may submit' : 'No programs', automation === 'allowed' ? 'good' : 'notice')}${automationQuote && html` <q><bdi>${automationQuote}</bdi></q>`}${automationReadOn && html` <span class="quiet">${automationReadOn}</span>`}</li>`}
</ul>`
}

/** A link to the submission form of the directory, or to its site if the form is not known. `key`: the key on the bench that opens it. */
export const openLink = ({ submissionLink, website, name }: Candidate, key?: string): Markup => {
  const isForm = submissionLink !== null && submissionLink !== ''
  const link = externalLink(
    isForm ? submissionLink : website,
    html`${isForm ? 'Open form' : 'Open site'}<span class="visually-hidden"> of ${name}, in a new tab</span> ↗${key && keyHint(key)}`,
  )
  return html`<span class="open" data-open>${link ?? html`<span class="quiet small">No address</span>`}</span>`
}

/** The reasons why a directory waits. The key in brackets chooses the reason on the bench, which is worked with the keyboard. */
const REASON_OPTIONS = GIVEN_REASONS.map((value) => ({
  value,
  label: `${labelOfReason(value)} (${keyOfReason(value)})`,
}))

/** The field for why the directory waits. A reason that the service derives is not preselected, only one that an administrator gave. */
const reasonSelect = (record: Candidate['row'], typed: TypedRecord | null | undefined, id: string): Markup =>
  select({
    id,
    name: 'reason',
    label: 'Waits for',
    none: 'Worked out by the service',
    value: typed?.reason ?? (record?.isReasonGiven ? record.reason : ''),
    options: REASON_OPTIONS,
    error: typed?.marked.reason,
  })

/** Who is waited for, and what can be done about it; null if nothing waits. */
const waitingLine = ({ waitingFor, reason, action }: NonNullable<Candidate['row']>): Markup | null =>
  reason &&
  html`<p class="row small">${waitingFor ? waitMark(waitingFor, `Waits for ${ACTOR_WORDS[waitingFor]}`) : badge(labelOfReason(reason))}<bdi>${action}</bdi></p>`

/** What is on record: when and by whom it was submitted, its listing and proof, and what it waits for. */
export const recordedState = (record: NonNullable<Candidate['row']>): Markup =>
  html`<p class="row small">${record.isSubmitted ? badge('Submitted', 'good') : badge('Planned')}${ago(record.submittedAt)}${record.submittedBy === 'OWNER' && 'by the owner'}${externalLink(record.listingUrl, 'Listing')}${externalLink(record.proofUrl, 'Proof')}</p>${waitingLine(record)}`

/** The form that records a directory, here and on the bench. `ids`: with what the ids of its fields end; `key`: shown on its button. */
export function recordForm(
  { row: record, name }: Candidate,
  visit: Visit,
  given: { action: string; attributes: Markup; next: string; typed?: TypedRecord | null; ids?: string; key?: string },
): Markup {
  const { action, attributes, next, typed, ids, key } = given
  const id = (field: string) => (ids ? `${field}-${ids}` : undefined)
  const marked = typed?.marked ?? {}
  // A problem that belongs to no field is shown at the first field.
  const listingError = Object.keys(marked).length > 0 ? marked.listingUrl : typed?.error
  return html`<form class="record" method="post" enctype="multipart/form-data" action="${action}" ${attributes} data-stay>
${visit.token}${hiddenField('next', next)}${versionField({ version: record?.version ?? 0 })}
${field({ id: id('listing'), name: 'listingUrl', label: 'Listing', type: 'url', value: typed?.listingUrl ?? record?.listingUrl ?? '', maxLength: 2000, placeholder: 'https://', autocomplete: 'off', error: listingError })}
${fileField({ id: id('proof'), name: 'proof', label: 'Proof', accept: PICTURE_FILES, error: marked[''] })}
${reasonSelect(record, typed, id('reason') ?? 'field-waits')}
<div class="record-buttons">${button(html`${record?.isSubmitted ? 'Save' : 'Record'}<span class="visually-hidden">: ${name}</span>${key && keyHint(key)}`, { name: 'isSubmitted', value: 'true', slim: true })}</div>
<details class="more"${typed?.proofUrl && html` open`}><summary class="small">More</summary><div class="flow">
${field({ id: id('address'), name: 'proofUrl', label: 'Address of the proof picture', type: 'url', value: typed?.proofUrl || record?.proofUrl || '', maxLength: 2000, autocomplete: 'off', error: marked.proofUrl })}
${choice({ id: id('owner'), name: 'owner', label: 'The owner entered it', checked: record?.submittedBy === 'OWNER' })}
<div class="row">${button(html`${record?.isSubmitted ? 'Mark as not submitted' : record ? 'Keep as planned' : 'Only plan it'}<span class="visually-hidden">: ${name}</span>`, { name: 'isSubmitted', value: 'false', kind: 'plain', slim: true })}</div>
</div></details>
<p class="line visually-hidden" data-line role="status"></p>
</form>`
}

export const filteredAddress = (path: string, filters: CandidateFilters, page: number): string =>
  addressWith(path, { ...filters, page: page > 1 ? String(page) : '' })

// Reads the form that records a directory, for the routes of this list and of the bench.

/** Stores the proof picture of the form and returns its address; null if the form has none. */
export async function storeProof(visit: Visit): Promise<string | null> {
  const proof = visit.request.uploads?.get('proof')?.[0]
  if (!proof) return null
  return (await visit.perform(uploadPicture, {}, proof.bytes)).url
}

/** The labels of the fields by their name in the body; '' is the uploaded picture. */
export const RECORD_LABELS = {
  listingUrl: 'The address of the listing',
  proofUrl: 'The address of the proof picture',
  reason: 'What it waits for',
  '': 'The picture',
}

/** What was typed, which the form shows again if it is refused. */
export const typedRecord = (slug: string, form: Visit['form']): TypedRecord => ({
  slug,
  listingUrl: (form.listingUrl ?? '').trim(),
  proofUrl: (form.proofUrl ?? '').trim(),
  reason: form.reason ?? '',
  error: '',
  marked: {},
})

/** The body of the operation that records a directory. */
export const recordOf = (form: Visit['form'], typed: TypedRecord) => ({
  isSubmitted: form.isSubmitted !== 'false',
  listingUrl: typed.listingUrl || null,
  proofUrl: typed.proofUrl || null,
  reason: typed.reason || null,
  submittedBy: form.owner === 'true' ? ('OWNER' as const) : ('ADMIN' as const),
})
