// The queue of submissions as a board by state, or as a table with a form that changes many at once. Also the list of test submissions.
import type { Static } from 'typebox'
import { getOverview } from '../../../../features/overview/operations.ts'
import { changeSubmissions } from '../../../../features/submissions/bench/bench.operations.ts'
import { listSubmissions } from '../../../../features/submissions/queue/queue.operations.ts'
import { getSubmission } from '../../../../features/submissions/read/read.operations.ts'
import { PACKAGES, type QueueState, STATES, STEPS } from '../../../../features/submissions/rules.ts'
import type { listedItemSchema } from '../../../../features/submissions/schema.ts'
import { Failure } from '../../../../kernel/errors.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { button, hiddenFields, keyboardHelpOf, keyHint, linkButton, rowAction } from '../../kit/button.ts'
import { type BoardColumn, badge, board, emptyState, type Tone, tabs } from '../../kit/components.ts'
import { field, hiddenField, select } from '../../kit/forms/field.ts'
import { versionValue } from '../../kit/forms/forms.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { pageNumberOf, previousNextLinks } from '../../kit/lists/paged-lists.ts'
import { type TableColumn, table } from '../../kit/lists/table.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { listingTile, namedListing } from '../../kit/named-listing.ts'
import { isCorrectable, type Visit } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { bulkForm, chosenIn, MOST_NAMED_REFUSALS, pickBox } from '../kit/bulk.ts'
import { ADMIN } from '../kit/frame.ts'
import {
  allPartners,
  declareList,
  foldedFilters,
  isTestList,
  PARTNER_FILTER,
  partnerField,
  testsHeading,
} from '../kit/list-pages.ts'
import {
  administrator,
  flaggedBadge,
  NEXT_STEPS,
  STEPS_OF_OTHERS,
  SUBMISSION_STATES,
  submissionBadge,
  waitMark,
} from '../kit/states.ts'
import { waitingForSelect } from './directories.ts'
import { ownAddress, saveView, viewTabs } from './views.ts'

export type QueueItem = Static<typeof listedItemSchema>
export const SUBMISSIONS = `${ADMIN}/submissions`
export const WAITING = `${SUBMISSIONS}/waiting`

// With more open submissions than this the table is shown, unless the address asks for the board.
const MOST_ON_BOARD = 10
// The most submissions of a column that are counted, and the most of them that are shown; the rest is in the table.
const COLUMN_LENGTH = 30
const COLUMN_SHOWN = 6
const DONE_SHOWN = 3
const LIMIT = 50
/** The value of the filter by assignee that stands for the signed-in administrator. */
const ME = 'me'
/** Titles of columns on the board, where they differ from the name of the state. */
const TITLES: Record<string, string> = { DONE: 'Done lately' }
const PACKAGE_TONES: Record<string, Tone> = { pro: 'accent', premium: 'info' }

const FILTERS = ['view', 'state', 'client', 'assignee', 'flagged', 'waitingFor', 'q', 'sort'] as const
type SubmissionFilters = Record<(typeof FILTERS)[number], string>

/** Tabs that lead to the table, to the board and to what waits. Table and board keep the filters. */
export const submissionViews = (current: 'Table' | 'Board' | 'What waits', filters = {}, state = ''): Markup =>
  tabs('Views', [
    {
      href: addressWith(SUBMISSIONS, { view: 'table', state, ...filters }),
      label: 'Table',
      key: 't',
      isCurrent: current === 'Table',
    },
    {
      href: addressWith(SUBMISSIONS, { view: 'board', ...filters }),
      label: 'Board',
      key: 'b',
      isCurrent: current === 'Board',
    },
    { href: WAITING, label: 'What waits', key: 'w', isCurrent: current === 'What waits' },
  ])

export async function showSubmissions(visit: Visit) {
  if (isTestList(visit.query(['test']).test)) return showTestSubmissions(visit)
  const filters: SubmissionFilters = visit.query(FILTERS)
  const partners = await allPartners(visit)
  const found = filters.view === 'table' ? undefined : await boardColumns(visit, filters)
  const isTable = !found || (filters.view !== 'board' && found.open > MOST_ON_BOARD)
  const shown = isTable ? await showTable(visit, filters) : board('Submissions by state', found.columns)
  const { view: _, state, sort: __, ...otherFilters } = filters
  return visit.send({
    title: 'Submissions',
    body: html`<div class="flow">
<div class="row apart">${testsHeading('Submissions', SUBMISSIONS, { client: filters.client, q: filters.q }, '')}
${submissionViews(isTable ? 'Table' : 'Board', otherFilters, state)}${keyboardHelp}</div>
${await viewTabs(visit, filters, (await visit.perform(getOverview, {})).submissions, isTable)}
<form class="queue-filter" method="get" action="${SUBMISSIONS}" role="search">
${hiddenField('view', isTable ? 'table' : filters.view)}${isTable && state && hiddenField('state', state)}${isTable && filters.sort && hiddenField('sort', filters.sort)}
${field({ name: 'q', label: 'Tool', type: 'search', value: filters.q, placeholder: 'Name or website', maxLength: 200 })}
${foldedFilters(
  html`${partnerField(partners, filters.client)}
${assigneeField(filters.assignee, visit.user.email)}
${waitingForSelect(filters.waitingFor)}
${select({ name: 'flagged', label: 'Texts', none: 'All', value: filters.flagged, options: [{ value: 'true', label: 'To review' }] })}`,
  [filters.client, filters.assignee, filters.waitingFor, filters.flagged].filter(Boolean).length,
)}
${button('Apply', { kind: 'plain' })}
</form>
${shown}
${!isTable && html`<p class="row-keys"><span>Drag a card, or move the one with the focus: <kbd>[</kbd> <kbd>]</kbd></span></p>`}
${await saveView(visit, filters)}
</div>`,
  })
}

const keyboardHelp = keyboardHelpOf(
  [
    ['Ctrl+K, ⌘K', 'Find a page, command, submission, listing, partner or user'],
    ['j, k', 'In the table: the next submission, the one before'],
    ['x', 'Choose the submission that has the focus'],
    ['a, s, r …', 'The button of its row that shows the key'],
    ['t, b, w', 'Table, board, what waits'],
    ['[, ]', 'On the board: move the card that has the focus to the column before or after'],
    ['?', 'This help'],
  ],
  'With JavaScript, while no text field is in use.',
)

function assigneeField(value: string, own: string): Markup {
  const options = [{ value: ME, label: 'Me' }]
  if (value !== '' && value !== ME && value !== own) options.push({ value, label: oneLine(value, 40) })
  return select({ name: 'assignee', label: 'Worked by', none: 'Any', value: value === own ? ME : value, options })
}

const operationFilters = (visit: Visit, { client, assignee, flagged, waitingFor, q }: SubmissionFilters) => ({
  client,
  flagged,
  waitingFor,
  q,
  assignee: assignee === ME ? visit.user.email : assignee,
})

/** The columns, and how many submissions they have, without Done. */
async function boardColumns(
  visit: Visit,
  filters: SubmissionFilters,
): Promise<{ columns: BoardColumn[]; open: number }> {
  const { view: _, state: __, sort: ___, ...otherFilters } = filters
  const found: { state: QueueState; length: number; rows: readonly QueueItem[] }[] = []
  for (const state of ['WAITING', ...STATES] as const) {
    const length = state === 'DONE' ? DONE_SHOWN : COLUMN_LENGTH
    const rows = await visit.perform(listSubmissions, {
      ...operationFilters(visit, filters),
      state,
      // `ready`: submissions with something to do now come first, and among them those that have waited longest.
      sort: state === 'DONE' ? 'changed' : 'ready',
      limit: length + 1,
      withWaitingFor: true,
    })
    found.push({ state, length, rows })
  }
  const hasPartners = new Set(found.flatMap(({ rows }) => rows.map(({ client }) => client.id))).size > 1
  const back = addressWith(SUBMISSIONS, { view: filters.view, ...otherFilters })
  const columns = found.map(({ state, length, rows }) => {
    const isLonger = rows.length > length
    const more = state === 'DONE' ? 'All of them' : isLonger ? 'All' : `${rows.length - COLUMN_SHOWN} more`
    return {
      key: state,
      title: TITLES[state] ?? SUBMISSION_STATES[state][0],
      count: !isLonger ? rows.length : state === 'DONE' ? '' : `${length}+`,
      cards: rows.slice(0, Math.min(length, COLUMN_SHOWN)).map((row) => card(row, visit, back, hasPartners)),
      more:
        rows.length > (state === 'DONE' ? 0 : COLUMN_SHOWN)
          ? html`<a class="clear" href="${addressWith(SUBMISSIONS, { view: 'table', state, ...otherFilters })}">${more}</a>`
          : undefined,
    }
  })
  return { columns, open: found.reduce((sum, { state, rows }) => (state === 'DONE' ? sum : sum + rows.length), 0) }
}

const card = (item: QueueItem, visit: Visit, back: string, hasPartner: boolean): Markup => {
  const { tool, client, assignee, createdAt } = item
  return html`<section class="card"${isMovable(item) && html` data-card="${item.id}" draggable="true"`}><div class="row apart"><h3 class="named">${listingTile(visit, 'tools', tool)}<a href="${SUBMISSIONS}/${item.id}"><bdi>${tool.name}</bdi></a></h3>${packageBadge(item)}</div>
${item.state !== null && html`<p class="row apart">${entered(item)}${waitFor(item)}</p>`}
${flaggedBadge(item)}
<div class="row apart foot">${item.state !== 'DONE' && nextStep(item, visit, back, false)}${assignee && administrator(assignee, visit)}${hasPartner && html`<bdi class="note">${oneLine(client.name, 40)}</bdi>`}${ago(createdAt, 'narrow')}${isMovable(item) && moveForm(item, visit, back)}</div></section>`
}

/** Who is waited for; null if the work is done or nothing waits. */
const waitFor = ({ state, waitingFor }: QueueItem): Markup | null =>
  state !== 'DONE' && waitingFor ? waitMark(waitingFor) : null

const packageBadge = ({ paymentType }: QueueItem): Markup | null =>
  paymentType ? badge(packageName(paymentType), PACKAGE_TONES[paymentType]) : null

/** How many directories of the package are done. */
const entered = ({ submittedCount, targetDirectoriesCount: target }: QueueItem): Markup | null =>
  target > 0
    ? html`<span class="progress entered"><span class="figure">${submittedCount}/${target}</span><progress value="${Math.min(submittedCount, target)}" max="${target}" aria-label="Entered"></progress></span>`
    : null

const isMovable = ({ state }: QueueItem): boolean => state !== null && state !== 'DONE'

/** The script sends this form when a card is dropped on another column or moved by keyboard. */
const moveForm = (item: QueueItem, visit: Visit, back: string): Markup =>
  html`<details><summary><span class="visually-hidden">Move</span><span aria-hidden="true">⋯</span></summary><form class="row" method="post" action="${SUBMISSIONS}/${item.id}/change" data-move>
${hiddenFields({ ...visit.values, ...versionValue(item), back, 'was-state': item.state ?? '' })}
${select({ id: `move-${item.id}`, name: 'state', label: 'To', value: item.state, options: STATES.filter((state) => state !== 'DONE').map((value) => ({ value, label: SUBMISSION_STATES[value][0] })) })}
${button('Move', { kind: 'plain', slim: true })}</form></details>`

async function showTable(visit: Visit, filters: SubmissionFilters): Promise<Markup> {
  const page = pageNumberOf(visit)
  const rows = await visit.perform(listSubmissions, {
    ...operationFilters(visit, filters),
    state: filters.state,
    sort: filters.sort,
    limit: LIMIT,
    page,
    withWaitingFor: true,
  })
  const pageAddress = (to: number) => addressWith(SUBMISSIONS, { ...filters, page: to > 1 ? String(to) : '' })
  const isFiltered = [
    filters.state,
    filters.client,
    filters.assignee,
    filters.flagged,
    filters.waitingFor,
    filters.q,
  ].some((value) => value !== '')
  const back = pageAddress(page)
  const list = table({
    caption: 'Submissions',
    className: 'queue',
    rows,
    columns: queueColumns(visit, filters, back),
    empty: emptyState({
      title: isFiltered || page > 1 ? 'Nothing matches all of that' : 'No submissions yet',
      text: isFiltered || page > 1 ? undefined : 'Partners make them with their keys.',
    }),
  })
  return html`${rows.length > 0 ? html`<div class="bulk-list">${bulkForm(visit, { action: `${SUBMISSIONS}/bulk`, values: { back }, fields: BULK_FIELDS })}${list}<p class="row-keys">${KEYS_OF_ROWS.map(([key, what]) => html`<span><kbd>${key}</kbd> ${what}</span>`)}</p></div>` : list}
${previousNextLinks(page, rows.length === LIMIT, pageAddress)}`
}

function queueColumns(visit: Visit, filters: SubmissionFilters, back: string): TableColumn<QueueItem>[] {
  const sorted = (label: string, first: string, second: string) =>
    sortLink(label, { first, second, now: filters.sort || 'newest' }, (sort) =>
      addressWith(SUBMISSIONS, { ...filters, sort }),
    )
  return [
    {
      label: html`<span class="visually-hidden">Choose</span>`,
      cell: ({ id, version, tool }) => pickBox(id, version, tool.name),
    },
    {
      label: sorted('Product', 'tool', '-tool'),
      rowHeader: true,
      cell: (row) =>
        html`${namedListing(visit, 'tools', row.tool, `${SUBMISSIONS}/${row.id}`, row.client.name)} ${flaggedBadge(row)}`,
    },
    {
      label: sorted('Partner', 'partner', '-partner'),
      className: 'partner',
      onPhones: 'hidden',
      cell: ({ client }) => html`<bdi>${client.name}</bdi>`,
    },
    { label: sorted('Package', 'package', '-package'), onPhones: 'hidden', cell: packageBadge },
    { label: sorted('Entered', '-entered', 'entered'), className: 'done', cell: entered },
    {
      label: sorted('State', 'state', '-state'),
      className: 'state',
      cell: ({ state }) => submissionBadge(state),
    },
    { label: 'Waits for', className: 'actor', cell: waitFor },
    {
      label: sorted('Worked by', 'assignee', '-assignee'),
      onPhones: 'hidden',
      cell: ({ assignee }) =>
        assignee
          ? html`<a href="${addressWith(SUBMISSIONS, { view: 'table', assignee })}">${administrator(assignee, visit)}</a>`
          : administrator(null, visit),
    },
    {
      label: sorted('Submitted', 'newest', 'oldest'),
      className: 'since',
      cell: ({ createdAt }) => ago(createdAt, 'narrow'),
    },
    {
      label: sorted('Changed', 'changed', 'changed'),
      className: 'on-wide',
      onPhones: 'hidden',
      cell: ({ updatedAt }) => ago(updatedAt, 'narrow'),
    },
    {
      label: html`<span class="visually-hidden">Next step: </span><a href="${addressWith(SUBMISSIONS, { ...filters, sort: 'ready' })}">Doable now first${filters.sort === 'ready' && html`<span aria-hidden="true"> ↓</span>`}</a>`,
      className: 'actions',
      onPhones: 'unlabelled',
      cell: (row) => nextStep(row, visit, back),
    },
  ]
}

const TO_ME = html`Assign<span class="visually-hidden"> to me</span>`
const KEYS_OF_ROWS = [
  ['j', 'next'],
  ['k', 'back'],
  ['x', 'choose'],
  ['Enter', 'open'],
  ['?', 'all keys'],
] as const

/** Keys of buttons that are not the first letter of their label: Report has another one than Review. */
const OWN_KEYS: Record<string, string> = { Report: 'm' }

/** The button for what an administrator does next with the submission. */
function nextStep(row: QueueItem, visit: Visit, back: string, hasKeys = true): Markup {
  const { state, waitingFor } = row
  if (isMovable(row) && row.assignee === null)
    return assignToMe(row, visit, back, html`${TO_ME}${hasKeys && keyHint('a')}`)
  const [label, page] =
    isMovable(row) && waitingFor && waitingFor !== 'us' ? STEPS_OF_OTHERS[waitingFor] : NEXT_STEPS[state ?? 'WAITING']
  const name = html`<span class="visually-hidden">: ${row.tool.name}</span>${hasKeys && keyHint(OWN_KEYS[label] ?? label.charAt(0).toLowerCase())}`
  return linkButton(`${SUBMISSIONS}/${row.id}${page}`, html`${label}${name}`, { kind: 'plain', slim: true })
}

/** A button that assigns the submission to the administrator. It is refused if the submission was changed in the meantime. */
export const assignToMe = (
  { id, state, version, tool }: Pick<QueueItem, 'id' | 'state' | 'version' | 'tool'>,
  visit: Visit,
  back: string,
  label: Markup | string = 'Assign to me',
): Markup => {
  const to = state === null ? undefined : STEPS[state]?.whenAssigned
  return rowAction(`${SUBMISSIONS}/${id}/change`, html`${label}<span class="visually-hidden">: ${tool.name}</span>`, {
    ...visit.values,
    ...versionValue({ version }),
    back,
    assignee: visit.user.email,
    ...(to ? { state: to } : {}),
  })
}

export const packageName = (paymentType: string | null): string =>
  paymentType ? capitalised(paymentType) : 'No package'

/** The name of the submission's tool; the id if the submission no longer exists. */
const nameOf = (visit: Visit, id: string): Promise<string> =>
  visit.perform(getSubmission, { id }).then(
    ({ tool }) => oneLine(tool.name, 60),
    () => id.slice(0, 60),
  )

/** Changes the submissions that were chosen in the table, and says how many were changed and why others were not. */
export async function changeChosen(visit: Visit) {
  const form = visit.form
  const back = ownAddress(form.back) ?? `${SUBMISSIONS}?view=table`
  const submissions = chosenIn(form).rows.map(({ key, value }) => ({ id: key, version: Number(value) }))
  if (submissions.length === 0) return visit.redirect(back, { kind: 'notice', text: 'Choose at least one submission.' })
  const assignee = form.assignee?.trim()
  const body = {
    submissions,
    ...(assignee ? { assignee: assignee.toLowerCase() === 'me' ? visit.user.email : assignee } : {}),
    ...(form.state ? { state: form.state } : {}),
    ...(form.paymentType ? { paymentType: form.paymentType } : {}),
  }
  const changes = await visit.perform(changeSubmissions, {}, body).catch((error) => {
    if (!isCorrectable(error)) throw error
    return error
  })
  if (changes instanceof Failure) return visit.redirect(back, { kind: 'danger', text: changes.message })
  const refused = changes.filter(({ error }) => error !== null)
  const changed = `${changes.length - refused.length} of ${changes.length} changed.`
  if (refused.length === 0) return visit.redirect(back, { kind: 'good', text: changed })
  const reasons: string[] = []
  for (const { id, error } of refused.slice(0, MOST_NAMED_REFUSALS))
    reasons.push(`${await nameOf(visit, id)}: ${(error ?? '').slice(0, 200)}`)
  const more = refused.length > MOST_NAMED_REFUSALS ? [`And ${refused.length - MOST_NAMED_REFUSALS} more.`] : []
  return visit.redirect(back, { kind: 'danger', text: [changed, ...reasons, ...more].join(' ') })
}

/** The heading of a column, as a link: a click sorts by `first`, the next click by `second`. `now`: the present order. */
const sortLink = (
  label: string,
  { first, second, now }: { first: string; second: string; now: string },
  address: (sort: string) => string,
): Markup => {
  const arrow = now === first ? ' ↓' : now === second ? ' ↑' : ''
  return html`<a href="${address(now === first ? second : first)}">${label}${arrow && html`<span aria-hidden="true">${arrow}</span>`}</a>`
}

/** The fields of the form that changes many submissions. A field that is left empty changes nothing. */
const BULK_FIELDS = html`${field({ id: 'bulk-assignee', name: 'assignee', label: 'Assign to', placeholder: 'Assign to: me or e-mail', maxLength: 254, autocomplete: 'off' })}
${select({
  id: 'bulk-state',
  name: 'state',
  label: 'Move to',
  none: 'Move to …',
  options: STATES.filter((state) => state !== 'DONE').map((value) => ({
    value,
    label: SUBMISSION_STATES[value][0],
  })),
})}
${select({
  id: 'bulk-package',
  name: 'paymentType',
  label: 'Set package',
  none: 'Set package …',
  options: Object.entries(PACKAGES).map(([value, { label }]) => ({ value, label })),
})}
${button('Change chosen', { kind: 'plain', slim: true })}`

/** The test submissions of partners. Their states change by themselves, so administrators have no work with them. */
const showTestSubmissions = declareList({
  path: `${ADMIN}/submissions`,
  operation: listSubmissions,
  title: 'Test submissions',
  heading: 'Submissions',
  hasTests: true,
  load: async (visit) => ({ partners: await allPartners(visit) }),
  filters: { q: { label: 'Tool', placeholder: 'Name or website' }, client: PARTNER_FILTER },
  columns: [
    { label: 'Tool', rowHeader: true, cell: ({ tool }) => html`<bdi>${tool.name}</bdi>` },
    { label: 'Website', cell: ({ tool }) => html`<bdi>${tool.website}</bdi>` },
    { label: 'State', cell: ({ state }) => submissionBadge(state) },
    {
      label: 'Entered',
      kind: 'number',
      cell: ({ submittedCount, targetDirectoriesCount: target }) =>
        target > 0 ? `${submittedCount} of ${target}` : null,
    },
    { label: 'Partner', cell: ({ client }) => html`<bdi>${client.name}</bdi>` },
    { label: 'Submitted', cell: ({ createdAt }) => ago(createdAt) },
    { label: 'Changed', cell: ({ updatedAt }) => ago(updatedAt) },
  ],
  empty: {
    title: 'No test submissions',
    text: 'Partners make them with test keys, and old ones are deleted by themselves.',
  },
  noneFound: 'Nothing matches all of that',
})
