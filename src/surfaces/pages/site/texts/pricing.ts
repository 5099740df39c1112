// The page with the prices of keys and of packages for founders. The limits on it are the constants that the service enforces.
import { PLAN_LABELS, PLANS, type Plan } from '../../../../features/accounts/schema.ts'
import { intervalText, moneyText, priceText } from '../../../../features/billing/rules.ts'
import { browseDirectories } from '../../../../features/catalog/site/site-search.ts'
import { KEY_BUDGETS, MAX_LIVE_KEYS, PLAN_PRICES } from '../../../../features/keys/budgets.rules.ts'
import { USAGE_DAYS } from '../../../../features/keys/schema.ts'
import { HOME_SECTIONS, type SiteFields } from '../../../../features/site/schema.ts'
import type { Context } from '../../../../kernel/context.ts'
import type { Price } from '../../../../kernel/interfaces/payments.ts'
import { linkButton } from '../../kit/button.ts'
import { badge, numberedSteps, progress, sectionHead, type Tone, tile } from '../../kit/components.ts'
import { type IconName, icon } from '../../kit/icon.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { money, number } from '../../kit/values.ts'
import { searchToolsAnswer } from '../catalog-reads.ts'
import { contactLink, type PackageSale, packageCards, sellerList } from './submit.ts'

/** How Premium is sold; null when only the operator grants it. `price` is null while it cannot be read. */
export type PlanSale = { price: Price | null } | null

export async function pricingPage(ctx: Context, sale: PlanSale, packages: PackageSale): Promise<Page> {
  const site = ctx.site.fields()
  const { directories } = ctx.catalog.snapshot()
  const listings = `${number(searchToolsAnswer(ctx, { limit: 1 }).pagination.total)}\u00a0tools and ${number(directories.index.size)}\u00a0directories`
  const hasFounders = ctx.founders.mode !== 'off'
  // The page does not describe packages that visitors can neither order nor ask for.
  const hasPackages = hasFounders && (packages.length > 0 || site.sellers.length > 0 || contactLink(site, '') !== null)
  const questions = [
    ...QUESTIONS,
    ...(hasPackages ? [WORK_QUESTION] : []),
    ...(packages.length > 0 ? PACKAGE_QUESTIONS : []),
    ...MORE_QUESTIONS,
  ]
  // The questions on limits, on refunds and on who does the work are open from the beginning.
  const openCount = questions.length - MORE_QUESTIONS.length
  return {
    title: 'Pricing',
    description: `What an API key costs, ${hasPackages ? 'how many calls a minute each plan has, and the packages for founders' : 'and how many calls a minute each plan has'}.`,
    url: `${ctx.publicUrl}/pricing`,
    path: '/pricing',
    body: html`<div class="flow">
<h1>Free to look up. Fair when you build.</h1>
<p class="lead">Everyone may search both catalogs on this site for nothing. A key opens the same ${listings} to your code and your agents.</p>
<ul class="chips"><li><a href="#developers">For developers</a></li>${hasPackages && html`<li><a href="#founders">For founders</a></li>`}<li><a href="#questions">Questions <span class="count">${questions.length}</span></a></li></ul>
<section id="developers">
${planTable(sale, site, html`<h2>For developers</h2><p class="note">One key for REST and MCP. It keeps working when you change the plan.</p>`)}</section>
${
  hasPackages &&
  html`<section class="flow" id="founders">${sectionHead('For founders', { href: '/submit', label: 'How a product gets listed' })}
${packageCards(packages, site)}
${numberedSteps(WORK_STEPS)}</section>
${await inEveryPackage(ctx)}
`
}${sellerList(site)}<section class="asked" id="questions"><div><h2>${sale || hasPackages ? 'Before you pay' : 'Questions'}</h2>${contactLink(site, 'Ask something else')}</div>
<div class="questions">
${questions.map(([question, answer], i) => html`<details${i < openCount && html` open`}><summary>${question}</summary><p class="text">${answer(sale)}</p></details>\n`)}</div></section>
${hasFounders && html`<section class="promo"><div><h2>${hasPackages ? 'Not sure how many you need?' : HOME_SECTIONS.plan}</h2><p>Make the launch plan${hasPackages && ' first'}. It is free, and you can do all of it yourself.</p></div><div class="row">${linkButton('/plan', html`Make my plan${icon('arrow')}`)}${!hasPackages && linkButton('/submit', 'Submit a product', { kind: 'plain' })}</div></section>`}
</div>`,
  }
}

const WORK_STEPS = [
  ['You give us one address', 'We read your site and fill in the listing. You correct it before anyone sees it.'],
  ['We enter it by hand', 'In the order of your plan. Your page says who is waited for: us, a directory or you.'],
  ['You see each link go live', 'Each listing is looked at again, and the report is yours to keep.'],
] as const

const IN_EVERY_PACKAGE: readonly (readonly [icon: IconName, title: string, text: string])[] = [
  ['list', 'A plan with reasons', 'Why each directory is in it, and which ones are left out.'],
  ['link', 'Proof with link checks', 'The address of each listing, and whether the link is there and followed.'],
  ['file', 'A report to forward', 'One page for your team or your client. Refusals are in it, too.'],
]

/** The rows of the sample report. */
const SAMPLE: readonly (readonly [state: string, tone: Tone, text: string])[] = [
  ['Live', 'good', 'Link seen today'],
  ['Live', 'good', 'Link seen yesterday'],
  ['In review', 'info', 'Waits for the directory'],
  ['Waiting for you', 'marker', 'Confirm the e-mail that they sent'],
]

/** What all packages have in common, beside a sample of the report with directories of the catalog. */
async function inEveryPackage(ctx: Context): Promise<Markup> {
  const { listings } = await browseDirectories(ctx, { page: 1, limit: SAMPLE.length })
  return html`<section class="spruce devs"><div><h2>In every package</h2>
<ul class="points">${IN_EVERY_PACKAGE.map(([name, title, text]) => html`<li>${icon(name)}<strong>${title}</strong><span>${text}</span></li>\n`)}</ul></div>
${
  listings.length > 0 &&
  html`<div class="panel flow"><h3>A report, as a sample</h3>${progress({ label: 'Links live', value: 51, max: 60 })}
<ul class="minis">${SAMPLE.flatMap(([state, tone, text], at) => {
    const directory = listings[at]
    return directory
      ? html`<li class="mini">${tile(directory.name, directory.icon)}<div><b><bdi>${oneLine(directory.name, 40)}</bdi></b><p>${text}</p></div><div class="end">${badge(state, tone)}</div></li>\n`
      : []
  })}</ul></div>`
}</section>`
}

const QUESTIONS: readonly [question: string, answer: (sale: PlanSale) => string][] = [
  [
    'What happens when I reach a limit?',
    () =>
      'The next call answers 429 and says in Retry-After how many seconds to wait. Nothing is charged on top, and no key is switched off. Your usage page shows how many calls were refused.',
  ],
  [
    'Can I cancel?',
    (sale) =>
      sale
        ? 'Yes, any day in your dashboard. Premium then lasts until the end of the time that is paid for; your keys stay and have the Standard limits afterwards.'
        : 'Premium is granted by the operator of this service, who can take it back. Your keys stay and have the Standard limits afterwards.',
  ],
]

const WORK_QUESTION: (typeof QUESTIONS)[number] = [
  'Who enters my product into directories?',
  () => 'We do, by hand and with your texts and pictures. You only confirm what directories send to your address.',
]

const MORE_QUESTIONS: typeof QUESTIONS = [
  [
    'What is counted?',
    () =>
      'Calls of each key in windows of 60 seconds, REST and MCP apart. Listing the MCP tools is free; only calling one counts.',
  ],
  [
    'Do my keys change with the plan?',
    () => 'No. A key keeps working when you change the plan; only its limits change.',
  ],
]

const PACKAGE_QUESTIONS: typeof QUESTIONS = [
  [
    'Who can order a package?',
    () =>
      'The owner of a product that is listed here. Send your product in or claim its listing first; both cost nothing.',
  ],
  [
    'What if I change my mind?',
    () =>
      'Write to us. Once the whole payment is given back before the work has begun, the order is withdrawn. Your dashboard shows when the work begins.',
  ],
]

/** What each plan gives, in a column of its own; `title` is above the names of the rows. */
export const planTable = (sale: PlanSale, site: SiteFields, title: Markup): Markup => html`<table class="panel plans">
<caption>${title}</caption>
<thead><tr><td></td>${PLANS.map((plan) => html`<th scope="col"${highlight(plan)}>${PLAN_LABELS[plan]}</th>`)}</tr></thead>
<tbody><tr><th scope="row"><span class="visually-hidden">Price</span></th>${PLANS.map((plan) => html`<td${highlight(plan)}><div class="plan">${planPrice(plan, sale, site)}${planButton(plan, sale, site)}</div></td>`)}</tr>
${ROWS.map(([label, note, cell]) => html`<tr><th scope="row">${label}<span class="note">${note}</span></th>${PLANS.map((plan) => html`<td${highlight(plan)}>${cell(plan)}</td>`)}</tr>\n`)}</tbody>
<tbody><tr><th scope="rowgroup" colspan="${PLANS.length + 1}">The same in both</th></tr>
${SAME_FOR_ALL_PLANS.map(([label, note, text]) => html`<tr><th scope="row">${label}<span class="note">${note}</span></th><td colspan="${PLANS.length}">${text}</td></tr>\n`)}</tbody>
</table>`

const highlight = (plan: Plan): Markup | false => isPaid(plan) && html` class="best"`

const YES = html`${icon('check')}<span class="visually-hidden">Yes</span>`

const ROWS: readonly (readonly [label: string, note: string, cell: (plan: Plan) => string])[] = [
  ['REST calls a minute', 'For each key', (plan) => number(KEY_BUDGETS.rest[plan])],
  ['MCP calls a minute', 'For agents and editors', (plan) => number(KEY_BUDGETS.mcp[plan])],
]

const SAME_FOR_ALL_PLANS: readonly (readonly [label: string, note: string, text: Markup | string])[] = [
  ['Both catalogs, all fields', 'The same as on this site', YES],
  ['Keys', 'One for each app or agent', `up to ${MAX_LIVE_KEYS}`],
  ['Usage by day', 'Calls, failures, refusals', `${USAGE_DAYS} days`],
  ['At the limit', 'Nothing is charged on top', 'wait for the next minute'],
]

const isPaid = (plan: Plan): boolean => PLAN_PRICES[plan] > 0

function planPrice(plan: Plan, sale: PlanSale, { currency }: SiteFields): Markup {
  if (!isPaid(plan))
    return html`<span><span class="price">${money(PLAN_PRICES[plan], currency)}</span> <span class="quiet">for good, no card</span></span>`
  // A plan that is not sold has no price: the operator grants it.
  if (!sale) return html`<span class="amount">On request</span>`
  const { price } = sale
  if (!price) return html`<span>The price cannot be shown at the moment.</span>`
  if (price.amount === null) return html`<span>${priceText(price)}</span>`
  return html`<span><span class="price">${moneyText(price.amount, price.currency)}</span> <span class="quiet">${price.currency.toUpperCase()} ${intervalText(price)}</span></span>`
}

const planButton = (plan: Plan, sale: PlanSale, site: SiteFields): Markup =>
  !isPaid(plan)
    ? linkButton('/sign-up', 'Get a key', { kind: 'plain' })
    : sale
      ? html`${linkButton('/dashboard/plan', 'Go Premium')}<span class="note">Cancel any day</span>`
      : (contactLink(site, 'Ask for Premium', 'main') ??
        html`<span class="note">Ask the operator of this service.</span>`)
