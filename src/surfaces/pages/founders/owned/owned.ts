// The page of an own listing: its numbers, the questions that led there, what was changed, and the badge.
import type { Static } from 'typebox'
import type { listingWorkSchema } from '../../../../features/billing/orders/schema.ts'
import { NEW_ORDER_PAGE, ORDERS_PAGE } from '../../../../features/billing/orders/start.ts'
import { PRICING_LABELS } from '../../../../features/catalog/schema.ts'
import {
  MOST_SUCCESSOR,
  type OwnChange,
  type OwnListing,
  type ToolNumbers,
} from '../../../../features/founders/owned/schema.ts'
import type { Health } from '../../../../features/health/operations.ts'
import { hasAlternatives, isEnded } from '../../../../features/health/rules.ts'
import type { HealthState } from '../../../../features/listings/schema.ts'
import type { PROPOSAL_STATES } from '../../../../features/proposals/schema.ts'
import { packageOf } from '../../../../features/submissions/rules.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { FOUNDER_HELP, OWN_PRODUCTS } from '../../addresses.ts'
import { healthBadge } from '../../admin/catalog/health.ts'
import { fieldsIn } from '../../admin/listings/fields.ts'
import { partnerStateBadge } from '../../dashboard/partner/partner.ts'
import { button, hiddenFields, linkButton, rowAction } from '../../kit/button.ts'
import {
  badge,
  breadcrumbs,
  codeBlock,
  codeTabs,
  emptyState,
  sectionHead,
  type Tone,
  tile,
} from '../../kit/components.ts'
import { field } from '../../kit/forms/field.ts'
import { icon } from '../../kit/icon.ts'
import { type ListPage, listPageLinks } from '../../kit/lists/paged-lists.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { ago, date, difference, number } from '../../kit/values.ts'
import { orderBadge, orderSentence } from '../../states.ts'
import { finishedBadge, type Task, taskRows, workProgress, workTasks } from '../../work-rows.ts'
import { BADGE_THEMES, badgeCode, badgePath } from '../badge.ts'
import { GUESS_TEXT, GUESSED, OWNER_GROUPS, ownerMissing } from '../fields.ts'
import { numbersSection, questionsSection } from './owned-numbers.ts'
import { lastDay, METHOD_WORDS, proofSentence } from './proof-words.ts'

type PageBody = Pick<Page, 'title' | 'body'>
type OwnWork = NonNullable<Static<typeof listingWorkSchema>['order']>

export const ownedPath = (slug: string): string => `${OWN_PRODUCTS}/${encodeURIComponent(slug)}`

/** The labels of fields, by their names in the form and in the listing, which differ for questions and answers. */
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

const ownerLine = ({ published, method, provenAt }: OwnListing): Markup =>
  html`${published ? badge('Public', 'good') : badge('Not public', 'notice')}<span class="note">Yours since ${date(provenAt)}, proven by ${METHOD_WORDS[method ?? 'dns']}</span>`

/** Shown instead of the listing's page while the owner has to prove it on a new website. */
export const provePage = (listing: OwnListing): PageBody => ({
  title: oneLine(listing.tool.name, 40),
  body: html`<div class="flow">
${head(listing)}
<p class="lead">${badge('Prove it again', 'danger')} The listing has another website now. Show your token there, and the listing is yours again.</p>
<div class="row">${linkButton(`/tools/${listing.tool.slug}/claim`, 'Show the token')}</div>
</div>`,
})

interface OwnedPage {
  listing: OwnListing
  health: Health | null
  numbers: ToolNumbers
  changes: ListPage<OwnChange>
  /** The changes that wait for an administrator. */
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

/** The tasks of the owner first, then what waits for others. */
const tasksSection = (given: OwnedPage): Markup => {
  const tasks = [...stateTasks(given), ...orderTasks(given), ...textTasks(given)]
  return html`<section class="flow" aria-label="What waits">${sectionHead('What waits')}
${tasks.length > 0 ? taskRows(tasks) : html`<p class="panel">${icon('check')} Nothing waits for you. The listing is public, and its fields are filled in.</p>`}</section>`
}

function stateTasks({ listing: { tool, published, failedAt }, health }: OwnedPage): Task[] {
  const tasks: Task[] = []
  if (failedAt)
    tasks.push({
      name: 'Show your token again',
      mark: icon('shield', 'large'),
      state: badge('Proof not found', 'danger'),
      text: html`It was not found on ${date(failedAt)}. Show it by ${lastDay(failedAt)} to keep the listing.`,
      isWaitedFor: true,
      next: 'Show the token',
      href: `/tools/${tool.slug}/claim`,
    })
  if (!published)
    tasks.push({
      name: 'The listing is hidden',
      mark: icon('minus', 'large'),
      state: badge('Not public', 'notice'),
      text: 'Readers do not see it at the moment. Ask the operator why.',
      isWaitedFor: false,
    })
  if (health && hasAlternatives(health.state))
    tasks.push({
      name: `Your website ${HEALTH_WORDS[health.state]}`,
      mark: icon('globe', 'large'),
      state: false,
      text: `${isEnded(health.state) ? 'Readers are told so. ' : ''}Correct the address if it is wrong.`,
      isWaitedFor: true,
      next: 'Correct',
      href: `${ownedPath(tool.slug)}/edit#field-website`,
    })
  return tasks
}

/** Texts to check and to add, and changes that an administrator has to accept. */
function textTasks({ listing: { tool, made, fields, published }, waiting }: OwnedPage): Task[] {
  const missing = ownerMissing(fields)
  const edit = `${ownedPath(tool.slug)}/edit`
  const tasks: Task[] = waiting.map(({ field, createdAt }) => ({
    name: labelOf(field),
    mark: icon('clock', 'large'),
    state: badge(...CHANGE_WORDS.waiting),
    text: html`Proposed on ${date(createdAt)}. You see the decision here.`,
    isWaitedFor: false,
    next: 'Look',
    href: '#changes',
  }))
  if (published && made.length > 0)
    tasks.unshift({
      name: `Check: ${made.map(labelOf).join(', ')}`,
      mark: icon('pen', 'large'),
      state: GUESSED,
      text: GUESS_TEXT,
      isWaitedFor: true,
      next: 'Check',
      href: `${edit}#rows-${made[0]}`,
    })
  if (published && missing[0])
    tasks.push({
      name: `Add: ${missing.map(({ label }) => label).join(', ')}`,
      mark: icon('plus', 'large'),
      state: false,
      text: missing[0].benefit,
      isWaitedFor: false,
      next: 'Add',
      href: `${edit}${missing[0].href}`,
    })
  return tasks
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
      name: `Package: ${packageOf(order.paymentType).paymentLabel}`,
      mark: icon('send', 'large'),
      state: orderBadge(order),
      text: orderSentence(order),
      isWaitedFor,
      next: isWaitedFor ? 'Pay' : 'Look',
      href,
    },
  ]
}

const SHOWN_DIRECTORIES = 5

/** How far the ordered package is. Directories that wait for the owner are among the tasks. */
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

/** What the last checks of the website found, in the words that readers of the listing see. Null for a listing that is not public. */
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

const entered = ({ submittedCount, targetDirectoriesCount }: OwnWork) =>
  [
    html`Directories entered <span class="note">of ${number(targetDirectoriesCount)}</span>`,
    number(submittedCount),
  ] as const

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
    rowAction(
      `${ownedPath(tool.slug)}/undo`,
      html`${state === 'applied' ? 'Undo' : 'Withdraw'}<span class="visually-hidden">: ${labelOf(field)}</span>`,
      { ...values, id },
    )
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
