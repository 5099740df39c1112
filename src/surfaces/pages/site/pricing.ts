// What a key costs and what one gets for it, and the packages for founders. The numbers are the constants that the service enforces.
import { PLAN_LABELS, PLANS, type Plan } from '../../../features/accounts/schema.ts'
import { moneyText, oftenText, priceText } from '../../../features/billing/rules.ts'
import { KEY_BUDGETS, MAX_LIVE_KEYS, PLAN_PRICES } from '../../../features/keys/budgets.rules.ts'
import { hasPage } from '../../../features/site/rules.ts'
import type { SiteFields } from '../../../features/site/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Price } from '../../../kernel/payments.ts'
import { capitalised } from '../../../kernel/text.ts'
import { linkButton } from '../kit/button.ts'
import { sectionHead } from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { icon } from '../kit/icon.ts'
import { html, type Markup } from '../kit/markup.ts'
import { money, number } from '../kit/values.ts'
import { type PackageSale, packageEntries, packageOffer, sellerList } from './sellers.ts'
import { findTools } from './terms.ts'

/** How Premium is sold; null when only the operator grants it. `price` is null while it cannot be read. */
export type PlanSale = { price: Price | null } | null

export function pricingPage(ctx: Context, sale: PlanSale, packages: PackageSale): Page {
  const site = ctx.site.fields()
  const { directories } = ctx.catalog.snapshot()
  const listings = `${number(findTools(ctx, { limit: 1 }).pagination.total)} tools and ${number(directories.index.size)} directories`
  return {
    title: 'Pricing',
    description: 'What an API key costs, how many calls a minute each plan has, and the packages for founders.',
    url: `${ctx.publicUrl}/pricing`,
    path: '/pricing',
    body: html`<div class="flow">
<h1>Free to look up. Fair when you build.</h1>
<p class="lead">Everyone may search both catalogs on this site for nothing. A key opens the same ${listings} to your code and your agents.</p>
<section class="flow" id="developers">${sectionHead('For developers')}
${planTable(sale, site)}</section>
<section class="flow" id="founders">${sectionHead('For founders', { href: '/submit', label: 'How a product gets listed' })}
<p class="prose">We enter your product into directories by hand, and you follow each one until its link is live.</p>
<div class="packs">${packageEntries.map(([name, { target }]) => html`<div class="panel pack"><h3>${capitalised(name)}</h3><p><strong class="price">${target}</strong> directories</p><p class="small quiet">The ${target} that fit your product best, with proof and a report.</p>${packageOffer(packages, name)}</div>\n`)}</div>
<div class="row">${linkButton('/plan', 'Make my plan, free')}${contactLink(site, packages.length > 0 ? 'Ask a question' : 'Ask for a package')}</div></section>
${sellerList(site)}<section class="flow" id="questions">${sectionHead('Before you pay')}
<div class="questions">
${[...QUESTIONS, ...(packages.length > 0 ? PACKAGE_QUESTIONS : [])].map(([question, answer], i) => html`<details${i === 0 && html` open`}><summary>${question}</summary><p class="text">${answer(sale)}</p></details>\n`)}</div></section>
</div>`,
  }
}

const QUESTIONS: readonly [question: string, answer: (sale: PlanSale) => string][] = [
  [
    'What happens when I reach a limit?',
    () =>
      'The next call answers 429 and says in Retry-After how many seconds to wait. Nothing is charged on top, and no key is switched off. Your usage page shows how many calls were refused.',
  ],
  [
    'What is counted?',
    () =>
      'Calls of each key in windows of 60 seconds, REST and MCP apart. Listing the MCP tools is free; only calling one counts.',
  ],
  [
    'Can I cancel?',
    (sale) =>
      sale
        ? 'Yes, any day in your dashboard. Premium then lasts until the end of the time that is paid for; your keys stay and have the Standard limits afterwards.'
        : 'Premium is granted by the operator of this service, who can take it back. Your keys stay and have the Standard limits afterwards.',
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

/** What the plans give, one column each. */
export const planTable = (sale: PlanSale, site: SiteFields): Markup => html`<table class="panel plans">
<caption class="visually-hidden">The plans compared</caption>
<thead><tr><td></td>${PLANS.map((plan) => html`<th scope="col"${isPaid(plan) && html` class="best"`}><div class="plan"><span>${PLAN_LABELS[plan]}</span>${planPrice(plan, sale, site)}${getPlan(plan, sale, site)}</div></th>`)}</tr></thead>
<tbody>${ROWS.map(([label, cell]) => html`<tr><th scope="row">${label}</th>${PLANS.map((plan) => html`<td${isPaid(plan) && html` class="best"`}>${cell(plan)}</td>`)}</tr>\n`)}</tbody>
</table>`

const ROWS: readonly [label: string, cell: (plan: Plan) => Markup | string][] = [
  ['Both catalogs, all fields', () => html`${icon('check')}<span class="visually-hidden">Yes</span>`],
  ['REST calls a minute', (plan) => number(KEY_BUDGETS.rest[plan])],
  ['MCP calls a minute', (plan) => number(KEY_BUDGETS.mcp[plan])],
  ['Keys', () => `up to ${MAX_LIVE_KEYS}`],
]

const isPaid = (plan: Plan): boolean => PLAN_PRICES[plan] > 0

function planPrice(plan: Plan, sale: PlanSale, { currency }: SiteFields): Markup {
  if (!sale || !isPaid(plan))
    return html`<span><span class="price">${money(PLAN_PRICES[plan], currency)}</span> <span class="quiet">${isPaid(plan) ? `${currency} a month` : 'for good'}</span></span>`
  const { price } = sale
  if (!price) return html`<span>The price cannot be shown at the moment.</span>`
  if (price.amount === null) return html`<span>${priceText(price)}</span>`
  return html`<span><span class="price">${moneyText(price.amount, price.currency)}</span> <span class="quiet">${oftenText(price)}</span></span>`
}

const getPlan = (plan: Plan, sale: PlanSale, site: SiteFields): Markup =>
  !isPaid(plan)
    ? linkButton('/sign-up', 'Get a free key', { kind: 'plain' })
    : sale
      ? linkButton('/dashboard/plan', 'Go Premium')
      : (contactLink(site, 'Ask for Premium') ??
        html`<span class="small quiet">Ask the operator of this service.</span>`)

/** A link to write to the operator; null when there is no way to. */
function contactLink(site: SiteFields, label: string): Markup | null {
  if (site.contactEmail) return html`<a class="button plain" href="mailto:${site.contactEmail}">${label}</a>`
  return hasPage(site, 'contact') ? linkButton('/contact', label, { kind: 'plain' }) : null
}
