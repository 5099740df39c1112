// The page with all facts about a submission and all directories. The bench uses parts of it: progress, texts to review, and the forms that
// change the submission.
import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import { PRICING_LABELS } from '../../../../features/catalog/schema.ts'
import type { workSchema } from '../../../../features/submissions/read/read.schema.ts'
import { PACKAGES, STATES, STEPS } from '../../../../features/submissions/rules.ts'
import { detailFields } from '../../../../features/submissions/schema.ts'
import { pictureAddress } from '../../addresses.ts'
import { actionForm, button, linkButton, rowAction } from '../../kit/button.ts'
import { breadcrumbs, copyableFact, progress, sectionHead } from '../../kit/components.ts'
import { field, hiddenField, select, textarea } from '../../kit/forms/field.ts'
import { versionField, versionValue } from '../../kit/forms/forms.ts'
import { previousNextLinks } from '../../kit/lists/paged-lists.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'
import { ago, fieldLabel, number } from '../../kit/values.ts'
import { externalLink } from '../kit/list-pages.ts'
import { flaggedBadge, isMe, publicationBadge, STEP_LABELS, SUBMISSION_STATES, submissionBadge } from '../kit/states.ts'
import { publishForm } from '../listings/pages.ts'
import { checksPath } from './checks.ts'
import * as records from './directories.ts'
import { assignToMe, SUBMISSIONS } from './list.ts'

export type SubmissionWork = Static<typeof workSchema>

/** What was typed into the form that changes a submission, after it was refused. */
export type TypedChange = Partial<Record<'state' | 'assignee' | 'paymentType' | 'notes' | 'internalNotes', string>>

interface WorkPage {
  work: SubmissionWork
  candidates: readonly records.Candidate[]
  categories: readonly { slug: string; name: string }[]
  filters: records.CandidateFilters
  page: number
  /** Whether this page of the list is full, so that there may be a next one. */
  isFull: boolean
  typed?: records.TypedRecord | null
  change?: TypedChange | null
}

export function workPage(visit: Visit, given: WorkPage) {
  const { work, candidates, categories, filters, page, isFull, typed, change } = given
  const path = `${SUBMISSIONS}/${work.id}`
  const action = (slug: string) => records.filteredAddress(`${path}/directories/${slug}`, filters, page)
  return {
    title: work.tool.name,
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Submissions', href: SUBMISSIONS }, { label: work.tool.name, href: path }, { label: 'Directories' }])}
<div class="row"><h1><bdi>${work.tool.name}</bdi></h1>${submissionBadge(work.state)}${flaggedBadge(work)}</div>
<p class="quiet"><bdi>${work.client.name}</bdi> submitted it ${ago(work.createdAt)}. ${work.assignee ? (isMe(work.assignee, visit) ? 'It is yours.' : html`Assigned to <bdi>${work.assignee}</bdi>.`) : 'Not assigned yet.'} ${externalLink(work.tool.website, 'Open its site')} · <a href="${checksPath(work.id)}">Links and report</a></p>
${!work.tool.published && html`<div class="row">${publicationBadge(work.tool)}${publishForm(work.tool, { ...visit.values, back: path })}<a class="clear" href="/admin/tools/${encodeURIComponent(work.tool.slug)}">The listing</a></div>`}
${flaggedTextsList(work)}
${stepForms(visit, work)}
<div class="beside work">
<div class="flow">
${progressBar(work)}
<details class="change"${(change || work.state === null) && html` open`}><summary>State, person, package and notes</summary>${changeForm(visit, work, change ?? {})}</details>
${work.notes && !change && html`<p class="text notes"><bdi>${work.notes}</bdi></p>`}
${work.internalNotes && !change && html`<div><p class="small"><strong>Internal notes</strong>, not shown to the partner:</p><p class="text notes"><bdi>${work.internalNotes}</bdi></p></div>`}
<div id="directories">${sectionHead('Directories')}</div>
${records.directoryFilters(`${path}/directories`, filters, categories)}
${records.directoryList(candidates, { visit, action, typed })}
${previousNextLinks(page, isFull, (to) => `${records.filteredAddress(`${path}/directories`, filters, to)}#directories`)}
</div>
${factsToCopy(work.tool)}
</div>
</div>`,
  }
}

/** Texts that language models could take for instructions, for the administrator to decide; readers see them unchanged until then. */
export function flaggedTextsList({ flaggedTexts, tool }: SubmissionWork): Markup | null {
  if (flaggedTexts.length === 0) return null
  return html`<section class="card" aria-label="Texts to review"><h2>Texts to review</h2>
<p class="small">These look like instructions to a language model that reads the listing. Nothing was changed. Edit or hide <a href="/admin/tools/${encodeURIComponent(tool.slug)}">the listing</a>; saving it, also unchanged, ends this notice.</p>
<dl class="facts">${flaggedTexts.map(
    ({ field, reason, excerpt }) =>
      html`<dt>${fieldLabel(field)}: ${reason}</dt><dd class="text"><bdi>${excerpt}</bdi></dd>\n`,
  )}</dl></section>`
}

/** How many directories are submitted. It stays in sight while the administrator works. The answer to the script replaces it. */
export const progressBar = (
  work: SubmissionWork,
  { isOutOfBand = false }: { isOutOfBand?: boolean } = {},
): Markup => html`<div id="work-progress" class="work-progress"${isOutOfBand && html` data-hx-swap-oob="true"`}>
${submittedProgress(work)}
</div>`

/** How many directories of the package are submitted, as a bar. */
export function submittedProgress({
  submittedCount,
  recordedSubmissions,
  targetDirectoriesCount: target,
}: SubmissionWork): Markup {
  const planned = recordedSubmissions - submittedCount
  const text = target > 0 ? `${submittedCount} of ${target}` : number(submittedCount)
  return progress({
    label: target > 0 && submittedCount >= target ? 'Submitted: the package is filled' : 'Submitted',
    value: submittedCount,
    max: target || submittedCount,
    text: planned > 0 ? `${text}, ${planned} planned` : text,
  })
}

/** Buttons for the next steps: assign, change the state, mark as done. */
export function stepForms(visit: Visit, work: SubmissionWork): Markup | null {
  const { id, state, assignee } = work
  if (state === 'DONE')
    return html`<p>The work is Done. Nothing more is sent.</p>${actionForm({ action: `${SUBMISSIONS}/${id}/next`, label: 'Open the next in the queue', values: visit.values })}`
  const to = state === null ? undefined : STEPS[state]?.next
  const isMine = isMe(assignee, visit)
  return html`<div class="row">
${!isMine && assignToMe(work, visit, `${SUBMISSIONS}/${id}`)}
${
  to &&
  isMine &&
  rowAction(`${SUBMISSIONS}/${id}/change`, STEP_LABELS[to], {
    ...visit.values,
    ...versionValue(work),
    back: `${SUBMISSIONS}/${id}`,
    state: to,
  })
}
${state !== null && linkButton(`${SUBMISSIONS}/${id}/done`, 'Mark as done …', { kind: state === 'REVIEW' ? 'main' : 'plain', slim: true })}
</div>`
}

/** The form for state, assignee, package and notes. The hidden `was-…` fields say what it was opened with. */
export function changeForm(visit: Visit, work: SubmissionWork, typed: TypedChange): Markup {
  const { state, assignee, paymentType, notes, internalNotes } = work
  const isDone = state === 'DONE'
  return html`<form class="form" method="post" action="${SUBMISSIONS}/${work.id}/change">
${visit.token}${versionField(work)}${hiddenField('was-state', state ?? '')}${hiddenField('was-assignee', assignee ?? '')}${hiddenField('was-paymentType', paymentType ?? '')}${hiddenField('was-notes', textHash(notes))}${hiddenField('was-internalNotes', textHash(internalNotes))}
${
  !isDone &&
  state !== null &&
  select({
    name: 'state',
    label: 'State',
    value: typed.state ?? state,
    options: STATES.filter((value) => value !== 'DONE').map((value) => ({ value, label: SUBMISSION_STATES[value][0] })),
  })
}
${
  !isDone &&
  select({
    name: 'paymentType',
    label: 'Package',
    value: typed.paymentType ?? paymentType,
    none: paymentType === null ? 'Waiting' : undefined,
    hint: paymentType === null ? 'With a package the work is put into the queue.' : undefined,
    options: Object.entries(PACKAGES).map(([value, { label }]) => ({ value, label })),
  })
}
${field({ name: 'assignee', label: 'Worked by', value: typed.assignee ?? assignee, maxLength: 254, hint: 'E-mail address; empty: not assigned.', autocomplete: 'off' })}
${textarea({ name: 'notes', label: 'Notes', value: typed.notes ?? notes, maxLength: 10_000, rows: 4, hint: 'The partner sees them.' })}
${typed.notes !== undefined && typed.notes !== notes && html`<div><p class="small"><strong>Stored now:</strong></p><p class="text notes"><bdi>${notes || '(empty)'}</bdi></p></div>`}
${textarea({ name: 'internalNotes', label: 'Internal notes', value: typed.internalNotes ?? internalNotes, maxLength: 10_000, rows: 4, hint: 'Only administrators see them.' })}
${typed.internalNotes !== undefined && typed.internalNotes !== internalNotes && html`<div><p class="small"><strong>Stored now:</strong></p><p class="text notes"><bdi>${internalNotes || '(empty)'}</bdi></p></div>`}
<div class="row">${button('Save')}</div>
</form>`
}

/** A hash of the notes that the form was opened with. The text itself would not compare, because browsers change line breaks. */
export const textHash = (text: string): string => createHash('sha256').update(text).digest('base64url')

// The facts about a product that administrators paste into the forms of directories, each with a button that copies it.
type Tool = SubmissionWork['tool']

const factsToCopy = (tool: Tool): Markup => html`<details class="copy-facts"><summary>Facts to copy</summary>
<dl>
${[
  textFact('Name', tool.name),
  textFact('Tagline', tool.tagline, lengthNote(tool.tagline)),
  textFact('Description', tool.description, lengthNote(tool.description)),
  textFact('Website', tool.website, openLink(tool.website)),
  textFact('Listing here', tool.url, openLink(tool.url)),
  textFact('Category', tool.category?.name),
  textFact('Tags', tool.tags.map(({ name }) => name).join(', ')),
  textFact('Pricing', PRICING_LABELS[tool.pricing]),
  textFact('Founder', tool.founderName),
  textFact('E-mail', tool.founderEmail),
  textFact('Location', tool.location),
  textFact('Founded', tool.foundingDate),
  textFact('Launched', asText(tool.isLaunched)),
  pictureFact('Logo', tool.icon),
  pictureFact('Main picture', tool.frame),
  ...tool.screenshots.map((address, i) => pictureFact(`Screenshot ${i + 1}`, address)),
  textFact('Video', tool.video, openLink(tool.video)),
  ...Object.entries(tool.socials).map(([network, address]) => textFact(network, address, openLink(address))),
  textFact('Features', pairsAsText(Object.entries(tool.features))),
  textFact(
    'Questions',
    pairsAsText(
      tool.faqs.map(({ question, answer }) => [question, answer]),
      '\n',
    ),
  ),
  textFact('Discount code', tool.discountCode),
  ...otherDetails(tool),
  textFact('Affiliate program', tool.affiliateText),
  textFact('Affiliate link', tool.affiliateLink, openLink(tool.affiliateLink)),
]}</dl>
</details>`

/** Details that `otherDetails` leaves out: two are listed above, and no directory asks whether the founder is a customer. */
const NOT_ADDED: ReadonlySet<string> = new Set<keyof typeof detailFields>(['foundingDate', 'isLaunched', 'isCustomer'])

const otherDetails = (tool: Tool): (Markup | null)[] =>
  (Object.keys(detailFields) as (keyof typeof detailFields)[])
    .filter((name) => !NOT_ADDED.has(name))
    .map((name) => textFact(fieldLabel(name), asText(tool[name])))

function asText(value: string | number | boolean | null): string | null {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return value === null ? null : String(value)
}

const textFact = (label: string, value: string | null | undefined, note?: Markup | string | null): Markup | null =>
  value ? copyableFact(label, value, { note }) : null

/** The length of a text, which matters because forms of directories have limits. */
const lengthNote = (value: string): string => `${[...value].length} characters`

const openLink = (address: string | null): Markup | null => externalLink(address, 'Open')

function pictureFact(label: string, address: string | null): Markup | null {
  if (!address) return null
  const shown = pictureAddress(address)
  const image = html`<img src="${shown}" alt="${label}" loading="lazy">`
  return copyableFact(label, address, {
    note: openLink(address),
    picture: shown ? html`<a href="${shown}" target="_blank" rel="noopener noreferrer">${image}</a>` : null,
  })
}

/** Pairs of names and values as one text to paste, such as "Name: value" on each line. */
const pairsAsText = (pairs: readonly (readonly [string, string])[], between = ': '): string =>
  pairs.map(([name, value]) => `${name}${between}${value}`).join(between === '\n' ? '\n\n' : '\n')
