// The bench: the page on which an administrator enters a submission into directories, one after the other. It lists the directories of the
// plan, and beside them the current one. A row is only a link, so that the page stays small with hundreds of directories.
import type { Static } from 'typebox'
import { type BenchRow, type benchListSchema, isToDo, REMEMBERED_REASONS } from '../../../../../features/plan/schema.ts'
import type { kitSchema } from '../../../../../features/submissions/queue/queue.schema.ts'
import { GIVEN_REASONS, keyOfReason } from '../../../../../features/submissions/queue/waiting.rules.ts'
import { pictureAddress } from '../../../addresses.ts'
import { button, keyboardHelpOf, keyHint } from '../../../kit/button.ts'
import { badge, breadcrumbs, copyableFact, emptyState } from '../../../kit/components.ts'
import { field, hiddenField, select } from '../../../kit/forms/field.ts'
import { versionField } from '../../../kit/forms/forms.ts'
import { addressWith } from '../../../kit/lists/address-query.ts'
import { html, type Markup } from '../../../kit/markup.ts'
import { listingTile } from '../../../kit/named-listing.ts'
import type { Visit } from '../../../kit/sending/private-pages.ts'
import { ago, number } from '../../../kit/values.ts'
import { externalLink } from '../../kit/list-pages.ts'
import { flaggedBadge, isMe, publicationBadge, submissionBadge } from '../../kit/states.ts'
import { publishForm } from '../../listings/pages.ts'
import { checksPath } from '../checks.ts'
import { badges, openLink, recordedState, recordForm, type TypedRecord } from '../directories.ts'
import { SUBMISSIONS } from '../list.ts'
import { plannedBecause } from '../plan.ts'
import { changeForm, flaggedTextsList, progressBar, type SubmissionWork, stepForms, type TypedChange } from '../work.ts'

export type BenchList = Static<typeof benchListSchema>

export const BENCH_FILTERS = ['show', 'q'] as const
export type BenchFilters = Record<(typeof BENCH_FILTERS)[number], string>

interface BenchView {
  work: SubmissionWork
  bench: BenchList
  filters: BenchFilters
  /** The current directory; null if the list has none. */
  kit: BenchKit | null
  change?: TypedChange | null
}

export const pathOfWork = ({ id }: Pick<SubmissionWork, 'id'>): string => `${SUBMISSIONS}/${id}`

/** The rows that match the filters, what is left to do first. Without a filter: the plan, and directories outside of it on record. */
export function shownRows({ rows }: BenchList, { show, q }: BenchFilters): BenchRow[] {
  const words = q.toLowerCase()
  const shown = rows.filter(
    ({ name, slug, isPlanned, state }) =>
      (show === 'all' || isPlanned || (state !== 'open' && state !== 'skipped')) &&
      (show !== 'open' || isToDo({ state })) &&
      (words === '' || name.toLowerCase().includes(words) || slug.includes(words)),
  )
  return [...shown.filter(isToDo), ...shown.filter((row) => !isToDo(row))]
}

/** The next row after this one that is left to do. After the last row the search goes on with the first. */
export function nextRow(rows: readonly BenchRow[], slug: string): BenchRow | undefined {
  const at = rows.findIndex((row) => row.slug === slug)
  return [...rows.slice(at + 1), ...rows.slice(0, Math.max(at, 0))].find(isToDo)
}

/** The row with which the page opens: the first that is left to do, or else the first. */
export const firstRow = (rows: readonly BenchRow[]): BenchRow | undefined => rows.find(isToDo) ?? rows[0]

export function benchPage(visit: Visit, view: BenchView) {
  const { work, bench, filters, change } = view
  const path = pathOfWork(work)
  return {
    title: work.tool.name,
    body: html`<div class="flow">
<div class="section-head">${breadcrumbs([{ label: 'Submissions', href: SUBMISSIONS }, { label: work.tool.name }])}${keyboardHelp}</div>
${benchHead(visit, work)}
${!work.tool.published && html`<div class="row">${publicationBadge(work.tool)}${publishForm(work.tool, { ...visit.values, back: path })}<a class="clear" href="/admin/tools/${encodeURIComponent(work.tool.slug)}">The listing</a></div>`}
${flaggedTextsList(work)}
<div class="bench" data-bench="${path}">
<div class="bench-side">
${progressBar(work)}
${bench.shortBy > 0 && html`<p class="small">Only ${number(bench.count - bench.shortBy)} of ${number(bench.count)} fit; <a href="${path}/plan">the plan</a> says why.</p>`}
${filterForm(path, view)}
${rowList(visit, shownRows(bench, filters), filters, view.kit?.row.slug)}
</div>
${kitSection(visit, view.kit, path)}
</div>
<details class="change"${(change || work.state === null) && html` open`}><summary>State, person, package and notes</summary>${changeForm(visit, work, change ?? {})}</details>
${work.notes && !change && html`<p class="text notes"><bdi>${work.notes}</bdi></p>`}
${work.internalNotes && !change && html`<div><p class="small"><strong>Internal notes</strong>, not shown to the partner:</p><p class="text notes"><bdi>${work.internalNotes}</bdi></p></div>`}
</div>`,
  }
}

/** The head of the page. Every answer to the script contains it, because recording a directory can change the state. */
export const benchHead = (visit: Visit, work: SubmissionWork): Markup =>
  html`<div id="bench-head" class="flow"><div class="row">${listingTile(visit, 'tools', work.tool)}<h1><bdi>${work.tool.name}</bdi></h1>${submissionBadge(work.state)}${flaggedBadge(work)}${stepForms(visit, work)}</div>
<p class="small quiet"><bdi>${work.client.name}</bdi>, ${ago(work.createdAt)}. ${work.assignee ? (isMe(work.assignee, visit) ? 'It is yours.' : html`Assigned to <bdi>${work.assignee}</bdi>.`) : 'Not assigned yet.'} ${externalLink(work.tool.website, 'Open its site')} · <a href="${pathOfWork(work)}/plan">Plan</a> · <a href="${pathOfWork(work)}/directories">All facts</a> · <a href="${checksPath(work.id)}">Links and report</a></p></div>`

const filterForm = (path: string, { filters, kit }: BenchView): Markup =>
  html`<form class="bench-filter" method="get" action="${path}" role="search" data-bench-filter>
${kit && hiddenField('directory', kit.row.slug)}
${field({ name: 'q', label: 'Directory', type: 'search', value: filters.q, maxLength: 200, placeholder: 'Name' })}
${select({
  name: 'show',
  label: 'Show',
  none: 'The plan',
  value: filters.show,
  options: [
    { value: 'open', label: 'Left to do' },
    { value: 'all', label: 'All directories' },
  ],
})}
${button('Apply', { kind: 'plain', slim: true })}
</form>`

/** A name in ASCII needs no `bdi` element, which keeps its direction from the text around it; the list has hundreds of names. */
const nameIn = (name: string): Markup | string => (/^[ -~]*$/.test(name) ? name : html`<bdi>${name}</bdi>`)

function rowList(visit: Visit, rows: readonly BenchRow[], filters: BenchFilters, current?: string): Markup {
  if (rows.length === 0)
    return emptyState({ title: 'No such directory', text: 'Show the whole plan, or all directories.' })
  const others = rows.filter((row) => !isToDo(row))
  // Without a number, because the script records rows in their place.
  const heading = others.every(({ state }) => state === 'entered') ? 'Done' : 'Done, waiting or skipped'
  return html`<ol class="bench-rows" aria-label="Directories, with Domain Rating" tabindex="0">${rows.map(
    (row) =>
      html`${row === others[0] && html`<li class="group">${heading}</li>`}${benchRow(visit, row, filters, current)}`,
  )}</ol>`
}

const benchRow = (
  visit: Visit,
  { slug, name, domainRating, state }: BenchRow,
  filters: BenchFilters,
  current?: string,
) =>
  html`<li><a href="${addressWith('', { directory: slug, ...filters })}"${slug === current && html` aria-current="true"`}>${nameIn(name)}${filters.show !== 'all' && listingTile(visit, 'directories', { slug, name })}${domainRating !== null && html` <b>${number(domainRating)}</b>`}${state !== 'open' && html` <i>${state}</i>`}</a></li>`

/** The keys that the help lists. What each does is in `KEYS` of console.js. */
const KEYS = [
  ['Enter', 'record the form and go on'],
  ['j, k', 'next, previous directory'],
  ['o', 'open its form'],
  ['1 to 9', 'copy that field'],
  ['s', 'skip, with a reason'],
  [GIVEN_REASONS.map(keyOfReason).join(', '), 'say what it waits for'],
  ['u', 'undo the last one'],
  ['/', 'search the list'],
  ['Escape', 'leave a field'],
  ['?', 'show or hide this'],
] as const

const keyboardHelp = keyboardHelpOf(
  KEYS,
  'With JavaScript. Letters work while no text field is in use, and in the empty field for the listing. Paste a picture, or drop it on the form.',
)

type Kit = Static<typeof kitSchema>
/** What was recorded or skipped last. It can be undone as long as the stored version is still this one. */
export interface LastAct {
  slug: string
  name: string
  did: 'record' | 'skip'
  version: number
  state: string
}

export interface BenchKit {
  /** The slug of the product, with which the names of downloaded pictures begin. */
  product: string
  row: BenchRow
  kit: Kit
  /** The version of the decision to skip or pin the directory; 0 if there is none. */
  decisionVersion: number
  /** The slug of the next directory that is left to do; '' if there is none. */
  next: string
  filters: BenchFilters
  last?: LastAct | null
  typed?: TypedRecord | null
  /** What was typed as the reason of a skip that was refused. */
  reason?: string
  /** Why a skip or an undo was refused. */
  problem?: string
}

/**
 * The part with the current directory: the link to its submission form, the form that records it, and the kit, which is the texts and
 * pictures to enter there. The script replaces this part of the page with each directory.
 */
export function kitSection(visit: Visit, given: BenchKit | null, path: string): Markup {
  if (!given)
    return html`<section id="kit" class="bench-kit">${emptyState({ title: 'Nothing to do here', text: 'The list has no directory. Set the package, or show all directories.' })}</section>`
  const { kit, row, last } = given
  const { directory } = kit
  return html`<section id="kit" class="bench-kit flow" data-slug="${row.slug}" data-state="${row.state}"${last && html` data-last="${last.slug}" data-last-state="${last.state}"`} aria-label="Current directory">
${last && undoForm(visit, last, given, path)}
<div class="directory-head">${listingTile(visit, 'directories', directory)}<div><h2><bdi>${directory.name}</bdi></h2>${row.state === 'skipped' && badge('Skipped', 'notice')}${badges(directory, visit)}</div>${openLink(directory, 'o')}</div>
${plannedBecause(row.reason.split(' · '), directory)}
${directory.row && recordedState(directory.row)}
${given.problem && html`<p class="error" role="alert">${given.problem}</p>`}
${recordForm(directory, visit, { action: actionOf(given, path), attributes: html`data-bench-form`, next: given.next, typed: given.typed, key: '↵' })}
${skipForm(visit, given, path)}
${kit.pictures.length > 0 && html`<div><p class="small quiet">Drag a picture into the form, or click it to download it.</p><ul class="bench-pictures">${kit.pictures.map((picture) => html`<li>${pictureLink(given.product, picture)}</li>\n`)}</ul></div>`}
<dl class="copy-facts bench-fields">${kit.fields.map((one, i) => copyableFact(one.label, one.value, { note: limitNote(one), key: i < 9 ? `${i + 1}` : undefined, isRepeated: kit.fields[i - 1]?.value === one.value }))}</dl>
</section>`
}

const actionOf = ({ row, filters }: BenchKit, path: string, verb = ''): string =>
  addressWith(`${path}/bench/${encodeURIComponent(row.slug)}${verb}`, filters)

/** How long the text is and how long the directory's form takes; '' if there is nothing to say. */
function limitNote({ name, value, limit, isUsual, isCut }: Kit['fields'][number]): string {
  if (name === 'tags') return isCut ? `the first ${limit}` : ''
  const length = `${[...value].length}`
  if (limit === 0) return name === 'long' ? `${length} characters` : ''
  if (isUsual && isCut) return `cut to the usual ${limit}`
  return `${length} of ${limit}${isUsual ? ', a usual limit' : ''}${isCut ? ', cut' : ''}`
}

/** A picture to download. One on another host opens in a new tab instead, because browsers download only from the same site. */
function pictureLink(product: string, { label, url }: Kit['pictures'][number]): Markup {
  const shown = pictureAddress(url)
  if (!shown) return html`${externalLink(url, label) ?? label}`
  const name = `${product}-${label.toLowerCase().replaceAll(' ', '-')}${/\.\w+$/.exec(shown)?.[0] ?? ''}`
  return html`<a href="${shown}" download="${name}"><img src="${shown}" alt="" width="96" height="64" loading="lazy">${label}</a>`
}

function skipForm(visit: Visit, given: BenchKit, path: string): Markup {
  const { kit, decisionVersion, next, reason } = given
  if (kit.directory.row?.isSubmitted) return html``
  return html`<details class="bench-skip"${reason !== undefined && html` open`}><summary class="small">Skip${keyHint('s')}</summary>
<form class="row" method="post" action="${actionOf(given, path, '/skip')}" data-bench-form>
${visit.token}${versionField({ version: decisionVersion })}${hiddenField('next', next)}
${field({ name: 'reason', label: 'Reason', value: reason, maxLength: 500, hint: `${REMEMBERED_REASONS.join(' and ')} count for later products.`, autocomplete: 'off' })}
${button(html`Skip<span class="visually-hidden">: ${kit.directory.name}</span>`, { kind: 'plain', slim: true })}
</form></details>`
}

const undoForm = (visit: Visit, last: LastAct, { filters }: BenchKit, path: string): Markup =>
  html`<form class="row bench-undo" method="post" action="${addressWith(`${path}/bench/${encodeURIComponent(last.slug)}/undo`, filters)}" data-bench-form data-bench-undo>
${visit.token}${versionField(last)}${hiddenField('did', last.did)}<span class="small" role="status">${last.did === 'skip' ? 'Skipped' : 'Recorded'}: <bdi>${last.name}</bdi></span>${button(html`Undo${keyHint('u')}`, { kind: 'plain', slim: true })}</form>`
