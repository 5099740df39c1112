// The page of an own listing: its numbers, the questions that led there, what was changed, and the badge; and the form that changes it.

import type { Static } from 'typebox'
import type { listingWorkSchema } from '../../../features/billing/orders/schema.ts'
import { NEW_ORDER_PAGE, ORDERS_PAGE } from '../../../features/billing/orders/start.ts'
import { PRICING_LABELS } from '../../../features/catalog/schema.ts'
import { CHECK_DAYS, type ProofMethod } from '../../../features/founders/claims/rules.ts'
import {
  MOST_SUCCESSOR,
  OWNER_FIELDS,
  type OwnChange,
  type OwnListing,
  type ToolNumbers,
} from '../../../features/founders/owned/schema.ts'
import type { Health } from '../../../features/health/operations.ts'
import { hasAlternatives, isEnded } from '../../../features/health/rules.ts'
import type { HealthState } from '../../../features/listings/health.rules.ts'
import type { PROPOSAL_STATES } from '../../../features/proposals/schema.ts'
import { packageOf } from '../../../features/submissions/rules.ts'
import { capitalised } from '../../../kernel/text.ts'
import { healthBadge } from '../admin/health.ts'
import { fieldsIn } from '../admin/listings/fields.ts'
import { type FormFields, listingFields } from '../admin/listings/form.ts'
import { partnerStateBadge } from '../dashboard/partner.ts'
import { actionForm, button, hiddenFields, linkButton, saveBar } from '../kit/button.ts'
import { barChart } from '../kit/chart.ts'
import {
  badge,
  breadcrumbs,
  codeBlock,
  codeTabs,
  emptyState,
  sectionHead,
  summaryFigures,
  type Tone,
  tile,
} from '../kit/components.ts'
import { difference } from '../kit/difference.ts'
import type { Page } from '../kit/document.ts'
import { field, hiddenField } from '../kit/field.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { FOUNDER_HELP, OWN_PRODUCTS } from '../kit/page-addresses.ts'
import { type ListPage, listPageLinks } from '../kit/paged-lists.ts'
import { table } from '../kit/table.ts'
import { ago, date, number, plainDay, shortDay } from '../kit/values.ts'
import { versionField } from '../kit/version-field.ts'
import { orderBadge, orderSentence } from '../order-states.ts'
import { finishedBadge, workProgress, workTasks } from '../work-rows.ts'
import { BADGE_THEMES, badgeCode, badgePath } from './badge.ts'
import { GUESS_TEXT, GUESSED, OWNER_GROUPS, ownerMissing } from './fields.ts'
import { lastDay, type Task, taskRows } from './product-pages.ts'

type PageBody = Pick<Page, 'title' | 'body'>
type ListingWork = Static<typeof listingWorkSchema>
type OwnWork = NonNullable<ListingWork['order']>

export const ownedPath = (slug: string): string => `${OWN_PRODUCTS}/${encodeURIComponent(slug)}`

/** By the names of the form and by those of the listing. */
export const OWNER_LABELS: Readonly<Record<string, string>> = Object.fromEntries(
  fieldsIn(OWNER_GROUPS).flatMap(({ name, label }) =>
    name === 'faq' ? [['faq', label] as const, ['faqs', label] as const] : [[name, label] as const],
  ),
)

const labelOf = (field: string): string => OWNER_LABELS[field] ?? field

const head = (listing: OwnListing, more: Markup | false = false): Markup => {
  const { tool, published, fields } = listing
  return html`${breadcrumbs([{ label: 'Products', href: OWN_PRODUCTS }, { label: oneLine(tool.name, 60) }])}
<div class="product-head">${tile(tool.name, fields.icon ?? null)}<div><h1><bdi>${tool.name}</bdi></h1><p class="row tight">${ownerLine(listing)}</p></div><div class="row">${more}${published && linkButton(`/tools/${tool.slug}`, 'See the listing', { kind: 'plain' })}</div></div>`
}

const METHOD_WORDS: Readonly<Record<ProofMethod, string>> = {
  dns: 'a DNS entry',
  file: 'a file',
  meta: 'a tag on the page',
}

const ownerLine = ({ published, method, provenAt }: OwnListing): Markup =>
  html`${published ? badge('Public', 'good') : badge('Not public', 'notice')}<span class="note">Yours since ${date(provenAt)}, proven by ${METHOD_WORDS[method ?? 'dns']}</span>`

/** Whether the listing is proven, and what keeps it so. */
export const proofSentence = (method: ProofMethod | null): string =>
  `You have proven it with ${METHOD_WORDS[method ?? 'dns']}. Leave it in place: it is looked for again every ${CHECK_DAYS.found} days.`

/** Instead of the page, while the proof must be shown on another website. */
export const provePage = (listing: OwnListing): PageBody => ({
  title: oneLine(listing.tool.name, 40),
  body: html`<div class="flow">
${head(listing)}
<p class="lead">${badge('Prove it again', 'danger')} The listing has another website now. Show your token there, and the listing is yours again.</p>
<div class="row">${linkButton(`/tools/${listing.tool.slug}/claim`, 'Show the token')}</div>
</div>`,
})

export interface OwnedPage {
  listing: OwnListing
  health: Health | null
  numbers: ToolNumbers
  changes: ListPage<OwnChange>
  /** What waits for an administrator. */
  waiting: readonly OwnChange[]
  /** The latest order of a package for this listing, with its work. */
  order: OwnWork | null
  mayOrder: boolean
  takesPayments: boolean
  /** The names of categories by slug. */
  categories: ReadonlyMap<string, { name: string }>
  /** Hidden fields of forms. */
  values: Record<string, string>
  publicUrl: string
  site: string
}

/** The parts of the page, in their order. */
export const ownedPage = (given: OwnedPage): PageBody => {
  const { listing, order } = given
  return {
    title: oneLine(listing.tool.name, 40),
    body: html`<div class="flow">
${head(listing, linkButton(`${ownedPath(listing.tool.slug)}/edit`, 'Edit'))}
${tasksSection(given)}
<div class="usage">
<div>${numbersSection(given.numbers, { csv: `${ownedPath(listing.tool.slug)}/numbers.csv`, more: order?.work ? [entered(order)] : [] })}${order?.work && workSection(order, order.work)}${given.mayOrder && orderSection(listing)}${questionsSection(given.numbers)}${changesSection(given)}</div>
<div>${healthSection(given)}${ownershipSection(listing)}${badgeSection(given)}</div>
</div>
<p class="small"><a href="${FOUNDER_HELP}">Help for founders</a></p>
</div>`,
  }
}

/** What waits, for the owner first and then for others. */
const tasksSection = (given: OwnedPage): Markup => {
  const tasks = [...stateTasks(given), ...orderTasks(given), ...textTasks(given)]
  return html`<section class="flow" aria-label="What waits">${sectionHead('What waits')}
${tasks.length > 0 ? taskRows(tasks) : html`<p class="panel">${icon('check')} Nothing waits for you. The listing is public, and its fields are filled in.</p>`}</section>`
}

const stateTasks = ({ listing: { tool, published, failedAt }, health }: OwnedPage): Task[] => [
  ...(failedAt
    ? [
        {
          ...{ name: 'Show your token again', mark: icon('shield', 'large'), isWaitedFor: true },
          state: badge('Proof not found', 'danger'),
          text: html`It was not found on ${date(failedAt)}. Show it by ${lastDay(failedAt)} to keep the listing.`,
          ...{ next: 'Show the token', href: `/tools/${tool.slug}/claim` },
        },
      ]
    : []),
  ...(published
    ? []
    : [
        {
          ...{ name: 'The listing is hidden', mark: icon('minus', 'large'), isWaitedFor: false },
          state: badge('Not public', 'notice'),
          text: 'Readers do not see it at the moment. Ask the operator why.',
        },
      ]),
  ...(health && hasAlternatives(health.state)
    ? [
        {
          ...{
            name: `Your website ${HEALTH_WORDS[health.state]}`,
            mark: icon('globe', 'large'),
            isWaitedFor: true,
          },
          state: false as const,
          text: `${isEnded(health.state) ? 'Readers are told so. ' : ''}Correct the address if it is wrong.`,
          ...{ next: 'Correct', href: `${ownedPath(tool.slug)}/edit#field-website` },
        },
      ]
    : []),
]

/** Texts to check and to add, and changes that an administrator has to accept. */
const textTasks = ({ listing: { tool, made, fields, published }, waiting }: OwnedPage): Task[] => {
  const missing = ownerMissing(fields)
  const edit = `${ownedPath(tool.slug)}/edit`
  return [
    ...(published && made.length > 0
      ? [
          {
            ...{ name: `Check: ${made.map(labelOf).join(', ')}`, mark: icon('pen', 'large'), isWaitedFor: true },
            state: GUESSED,
            text: GUESS_TEXT,
            ...{ next: 'Check', href: `${edit}#rows-${made[0]}` },
          },
        ]
      : []),
    ...waiting.map(({ field, createdAt }) => ({
      ...{ name: labelOf(field), mark: icon('clock', 'large'), isWaitedFor: false },
      state: badge(...CHANGE_WORDS.waiting),
      text: html`Proposed on ${date(createdAt)}. You see the decision here.`,
      ...{ next: 'Look', href: '#changes' },
    })),
    ...(published && missing[0]
      ? [
          {
            ...{ name: `Add: ${missing.map(({ label }) => label).join(', ')}`, mark: icon('plus', 'large') },
            ...{ state: false as const, text: missing[0].why, isWaitedFor: false },
            ...{ next: 'Add', href: `${edit}${missing[0].href}` },
          },
        ]
      : []),
  ]
}

/** An order that is not paid or not begun, and what directories ask of the founder. */
function orderTasks({ order, takesPayments }: OwnedPage): Task[] {
  if (!order) return []
  if (order.work) return workTasks(order.work.submissions).filter(({ isWaitedFor }) => isWaitedFor)
  if (order.state === 'refunded') return []
  const href = `${ORDERS_PAGE}/${order.id}`
  const isWaitedFor = takesPayments && order.state === 'open'
  return [
    {
      ...{ name: `Package: ${packageOf(order.paymentType).paymentLabel}`, mark: icon('send', 'large') },
      ...{ isWaitedFor, state: orderBadge(order), text: orderSentence(order) },
      ...{ next: isWaitedFor ? 'Pay' : 'Look', href },
    },
  ]
}

const SHOWN_DIRECTORIES = 5

/** How far the ordered package is. Directories that wait for the owner stand under what waits. */
const workSection = (order: OwnWork, { tool, summary, submissions }: NonNullable<OwnWork['work']>): Markup => {
  const others = workTasks(submissions).filter(({ isWaitedFor }) => !isWaitedFor)
  return html`<section class="card"><div class="card-head"><h2>Package: ${packageOf(order.paymentType).paymentLabel}</h2>${summary.isComplete ? finishedBadge(summary.submittedCount, tool.targetDirectoriesCount) : partnerStateBadge(order.work?.submissionState ?? null)}</div>
${workProgress(submissions, summary.submittedCount, tool.targetDirectoriesCount)}
${others.length > 0 && taskRows(others, SHOWN_DIRECTORIES)}
<p class="row small"><a href="${ORDERS_PAGE}/${order.id}">All directories, and questions to us</a>${order.work?.reportUrl && html`<a href="${order.work.reportUrl}">The report</a>`}</p></section>`
}

const orderSection = ({ tool }: OwnListing): Markup =>
  html`<section class="card"><div class="card-head"><h2>Get it into more directories</h2></div>
<p>We enter it into the directories that fit it best, by hand, and you follow each one here. One payment, no subscription.</p>
<div class="row">${linkButton(`${NEW_ORDER_PAGE}?tool=${tool.slug}`, 'Order a package', { kind: 'plain' })}</div></section>`

const HEALTH_WORDS: Readonly<Record<HealthState, string>> = {
  alive: 'is there',
  moved: 'leads to another domain',
  parked: 'is parked or for sale',
  gone: 'no longer exists',
  blocked: 'did not let us look',
  unreachable: 'did not answer',
  unknown: 'was not looked at yet',
}

/** What the last looks at the website found, as readers of the listing are told. A listing that is not public has none of it. */
const healthSection = ({ health, ...given }: OwnedPage): Markup | null =>
  health &&
  html`<section class="card"><div class="card-head"><h2>Health</h2>${health.checkedAt && healthBadge(health.state)}</div>
<p>Your website ${HEALTH_WORDS[health.state]}${health.checkedAt && html`, as we saw ${ago(health.checkedAt)}`}.${health.successor && html` Readers are sent to <a href="/tools/${health.successor.slug}"><bdi>${health.successor.name}</bdi></a> instead.`}</p>
${successorForm(health, given)}</section>`

const successorForm = (health: Health, { listing: { tool }, values }: Pick<OwnedPage, 'listing' | 'values'>): Markup =>
  html`<details><summary>${health.successor ? 'Name another successor' : 'Another product replaces it?'}</summary>
<form class="form" method="post" action="${ownedPath(tool.slug)}/successor">${hiddenFields(values)}
${field({ name: 'successor', label: 'The listing that replaces it', value: health.successor?.slug, maxLength: MOST_SUCCESSOR, placeholder: 'beta-writer', spellcheck: false, autocomplete: 'off', hint: 'The address of its page here, or the last part of it. Readers are then told to use it instead; empty takes it back.' })}
<div class="row">${button('Save the successor', { kind: 'plain' })}</div></form></details>`

const ownershipSection = ({ tool, method, failedAt }: OwnListing): Markup =>
  html`<section class="card"><div class="card-head"><h2>Ownership</h2>${failedAt ? badge('Proof not found', 'danger') : badge('Proven', 'good')}</div>
<p>${failedAt ? 'Show your token again to keep the listing.' : proofSentence(method)}</p>
<div class="row">${linkButton(`/tools/${tool.slug}/claim`, 'Token and proof', { kind: 'plain', slim: true })}</div></section>`

type Counted = keyof ToolNumbers['before']

const COUNTED: readonly (readonly [of: Counted, title: string, tone?: 'info' | 'notice'])[] = [
  ['appearances', 'Appearances in searches', 'info'],
  ['views', 'Views of the page'],
  ['opens', 'Opens of the website', 'notice'],
]

export function numbersSection(
  { days, before }: ToolNumbers,
  { csv, more = [] }: { csv?: string; more?: Parameters<typeof summaryFigures>[0] } = {},
): Markup {
  const sumOf = (of: Counted) => days.reduce((sum, day) => sum + day[of], 0)
  const figures = COUNTED.map(
    ([of, title]) =>
      [
        html`${title} <span class="note">${trend(sumOf(of), before[of], days.length)}</span>`,
        number(sumOf(of)),
      ] as const,
  )
  return html`${summaryFigures([...figures, ...more])}
<section class="card"><div class="card-head"><h2>Found, viewed, opened</h2>${csv && linkButton(csv, 'Download as CSV', { kind: 'plain', slim: true })}</div>
<p class="small quiet">The last ${days.length} days, by day in UTC. Each person counts once a day; programs do not count. No visitor is stored.</p>
${
  COUNTED.every(([of]) => sumOf(of) + before[of] === 0)
    ? emptyState({
        title: `Nobody has seen it in ${2 * days.length} days`,
        text: 'The next person who finds, views or opens it is in the chart. A listing that is new takes days to be found.',
      })
    : COUNTED.map(
        ([of, title, tone], at) =>
          html`<h3>${title}</h3>\n${sumOf(of) === 0 ? html`<p class="small quiet">None in these ${days.length} days.</p>` : dayChart(of, { title, tone, hasDays: at === COUNTED.length - 1 || sumOf('opens') === 0 }, days)}\n`,
      )
}
<details><summary>The same as a table</summary>${table({
    caption: 'Numbers by day',
    keepsColumns: true,
    rows: days.toReversed(),
    columns: [
      { label: 'Day', cell: ({ day }) => plainDay(day), rowHeader: true },
      ...COUNTED.map(([of, label]) => ({
        label,
        kind: 'number' as const,
        cell: (day: ToolNumbers['days'][number]) => number(day[of]),
      })),
    ],
  })}</details></section>`
}

const entered = ({ submittedCount, targetDirectoriesCount }: OwnWork) =>
  [
    html`Directories entered <span class="note">of ${number(targetDirectoriesCount)}</span>`,
    number(submittedCount),
  ] as const

/** `hasDays`: only the last chart names the days, which are the same for all. */
const dayChart = (
  of: Counted,
  { title, ...look }: { title: string; tone?: 'info' | 'notice'; hasDays: boolean },
  days: ToolNumbers['days'],
): Markup =>
  barChart({
    title: `${title} a day`,
    low: true,
    ...look,
    bars: days.map((day, i) => ({
      label: i === days.length - 1 ? 'Today' : shortDay(day.day),
      value: day[of],
      text: `${shortDay(day.day)}: ${number(day[of])}`,
    })),
  })

function trend(now: number, before: number, days: number): Markup | string {
  if (before === 0) return `none in the ${days} days before`
  const percent = Math.round((100 * (now - before)) / before)
  if (percent === 0) return `as many as in the ${days} days before`
  return html`<b${percent > 0 && html` class="up"`}>${percent > 0 ? '+' : ''}${number(percent)}%</b> vs ${days} days before`
}

export const questionsSection = ({ questions }: ToolNumbers): Markup =>
  html`<section class="card calls"><div class="card-head"><h2>Questions that led here</h2></div>
${table({
  caption: 'Questions that led here',
  rows: questions,
  columns: [
    { label: 'Words of the question', rowHeader: true, cell: ({ words }) => html`<bdi>${words}</bdi>` },
    { label: 'People', kind: 'number', cell: ({ callers }) => number(callers) },
  ],
  empty: emptyState({
    title: 'None yet',
    text: 'A question is shown once five people have opened the listing after it.',
  }),
})}</section>`

const CHANGE_WORDS: Record<(typeof PROPOSAL_STATES)[number], [word: string, tone: Tone]> = {
  applied: ['Changed', 'good'],
  waiting: ['Waits for an administrator', 'notice'],
  accepted: ['Accepted', 'good'],
  refused: ['Refused', 'danger'],
  undone: ['Taken back', 'plain'],
}

const changesSection = (given: OwnedPage): Markup => {
  const { listing, changes } = given
  return html`<section class="card" id="changes"><div class="card-head"><h2>Your changes</h2></div>
${
  changes.rows.length === 0
    ? emptyState({ title: 'Nothing changed yet', text: 'What you change is listed here and can be undone.' })
    : html`<ul class="edits">${changes.rows.map((change) => changeRow(change, given))}</ul>`
}
${listPageLinks(changes, ownedPath(listing.tool.slug), {})}</section>`
}

const changeRow = (change: OwnChange, { listing: { tool, published }, values, categories }: OwnedPage): Markup => {
  const { id, field, state, reason, createdAt } = change
  const shown = (value: OwnChange['old']) =>
    field === 'pricing'
      ? (Object.entries(PRICING_LABELS).find(([pricing]) => pricing === value)?.[1] ?? value)
      : field === 'category'
        ? (categories.get(String(value))?.name ?? value)
        : value
  const isOpen = published && (state === 'applied' || state === 'waiting')
  return html`<li><span class="note">${date(createdAt)}</span><div><h3>${labelOf(field)}</h3>${difference(shown(change.old), shown(change.new))}${reason && html` <bdi class="note">${oneLine(reason, 200)}</bdi>`}</div><div class="row tight">${!(isOpen && state === 'applied') && badge(...CHANGE_WORDS[state])}${
    isOpen &&
    actionForm({
      action: `${ownedPath(tool.slug)}/undo`,
      label: html`${state === 'applied' ? 'Undo' : 'Withdraw'}<span class="visually-hidden">: ${labelOf(field)}</span>`,
      ...{ kind: 'plain', slim: true, values: { ...values, id } },
    })
  }</div></li>\n`
}

const badgeSection = ({ listing: { tool }, health, publicUrl, site }: OwnedPage): Markup =>
  html`<section class="card badges"><div class="card-head"><h2>Badge</h2>${health?.showsBadge ? badge('Badge shown', 'good') : html`<span class="note">Never required</span>`}</div>
<p>${health?.showsBadge ? 'Your website shows it, and the listing says so.' : 'Show it on your site if you like: once a look at your website has found it, the listing says “badge shown”.'} Its link is marked <code>nofollow</code>; whether search engines follow it is your choice.</p>
${codeTabs(
  'badge',
  'Theme of the badge',
  BADGE_THEMES.map((theme) => ({
    label: capitalised(theme),
    picture: html`<img src="${badgePath(tool.slug, theme)}" alt="The badge, ${theme}" height="40">`,
    blocks: codeBlock(`HTML, ${theme}`, badgeCode(publicUrl, tool.slug, theme, site)),
  })),
)}</section>`

export interface EditPage {
  listing: OwnListing
  token: Markup
  opened: { version: number; base: Readonly<Record<string, unknown>> }
  fields: FormFields
  /** What changed meanwhile. */
  changes?: Markup
}

const WAITING_NAMES = fieldsIn(OWNER_GROUPS)
  .filter(({ name }) => Object.entries(OWNER_FIELDS).some(([field, how]) => field === name && how === 'proposed'))
  .map(({ label }) => label.toLowerCase())

const listOfWords = new Intl.ListFormat('en-GB')

export const editPage = ({ listing, token, opened, fields, changes }: EditPage): PageBody => ({
  title: `Edit ${oneLine(listing.tool.name, 40)}`,
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Products', href: OWN_PRODUCTS }, { label: oneLine(listing.tool.name, 60), href: ownedPath(listing.tool.slug) }, { label: 'Edit' }])}
<h1>Edit <bdi>${listing.tool.name}</bdi></h1>
<p class="lead">Readers see your changes at once, except for ${listOfWords.format(WAITING_NAMES)}: those wait for an administrator. You can undo a change afterwards.</p>
${changes}
<form class="form wide marked" method="post" action="${fields.action}">
${token}${versionField(opened)}${hiddenField('base', JSON.stringify(opened.base))}
<button type="submit" class="visually-hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>
${listingFields(fields)}
${saveBar(button('Save', { name: 'do', value: 'save' }), linkButton(ownedPath(listing.tool.slug), 'Cancel', { kind: 'plain' }))}
</form>
</div>`,
})
