// The page of help for founders. Its limits are the constants that the service enforces.
import {
  CHECK_DAYS,
  MOST_OWNERS,
  MOST_UNREACHABLE_DAYS,
  PROOF_PATH,
  proofEntry,
  proofTag,
} from '../../../features/founders/claims/rules.ts'
import {
  MOST_A_DAY,
  MOST_TIMES_SENT,
  MOST_WAITING,
  READING_SECONDS,
} from '../../../features/founders/products/rules.ts'
import type { Context } from '../../../kernel/context.ts'
import { daysText } from '../../../kernel/values/text.ts'
import { FOUNDER_HELP, OWN_PRODUCTS, SUBMIT } from '../addresses.ts'
import { linkButton } from '../kit/button.ts'
import { breadcrumbs, sectionHead } from '../kit/components.ts'
import { table } from '../kit/lists/table.ts'
import { html, type Markup } from '../kit/markup.ts'
import type { Page } from '../kit/sending/document.ts'
import type { PackageSale } from '../site/texts/submit.ts'
import { BADGE_THEMES } from './badge.ts'
import { ownerLabels } from './fields.ts'

export function founderHelpPage(ctx: Context, packages: PackageSale): Page {
  const site = ctx.site.fields()
  return {
    title: 'Help for founders',
    description: `How to submit a product to ${site.name}, claim its listing, change it, show the badge and order a package.`,
    url: `${ctx.publicUrl}${FOUNDER_HELP}`,
    path: SUBMIT,
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Submit a product', href: SUBMIT }, { label: 'Help for founders' }])}
<h1>Help for founders</h1>
<div class="beside">
<div class="flow">
<p class="lead">Submitting a product, claiming its listing and looking after it cost nothing${packages.length > 0 && '; only packages do'}.</p>
${submitPart(ctx)}
${claimPart(ctx)}
${ownersPart}
${packages.length > 0 && orderPart(packages, ctx)}
</div>
<div class="side">
<section class="panel"><h2>Limits</h2><dl class="facts">${LIMITS.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl></section>
<div class="row">${linkButton(SUBMIT, 'Submit a product')}${linkButton(OWN_PRODUCTS, 'Your products', { kind: 'plain' })}${site.contactEmail && html`<a class="button plain" href="mailto:${site.contactEmail}">Ask us</a>`}</div>
</div>
</div>
</div>`,
  }
}

const LIMITS: readonly (readonly [what: string, limit: string])[] = [
  ['Products that wait', `${MOST_WAITING} at a time`],
  ['Products sent', `${MOST_A_DAY} a day`],
  ['The same product', `sent ${MOST_TIMES_SENT} times`],
  ['Owners', `${MOST_OWNERS} of a listing`],
  ['Token looked for', `every ${CHECK_DAYS.found} days`],
  ['Claim ends', `${CHECK_DAYS.missing} days after it was first missed`],
]

/** The end of a sentence; empty where the service sends no mail. */
const byMail = ({ mailer }: Context): string => (mailer ? ' and by mail' : '')

const submitPart = (ctx: Context): Markup => html`<section class="flow" id="submit">${sectionHead('Submit and review')}
<ol class="listed prose">
<li>Type the address of your product. We read its page, for ${READING_SECONDS} seconds at most, and fill in a form with what it says; what is guessed is marked.</li>
<li>Correct the form and send it. Nothing is public before. A website that is listed already leads to the claim of its listing.</li>
<li>${
  ctx.founders.mode === 'open'
    ? 'It is public at once, unless something about it is unusual; then an administrator looks at it first.'
    : 'An administrator looks at it, and then it is public.'
} You see the decision and its reason <a href="${OWN_PRODUCTS}">under Products</a>${byMail(ctx)}. A product that was refused may be corrected and sent again${ctx.kept.refusedProducts > 0 && ` within ${daysText(ctx.kept.refusedProducts)}`}.</li>
</ol></section>`

const TOKEN = 'TOKEN'

const WAYS: readonly (readonly [way: string, where: Markup | string, what: string])[] = [
  ['File', html`at <code>${PROOF_PATH}</code> on the host of the listing, in a line of its own`, TOKEN],
  ['Page', html`in the <code>head</code> of the listing’s website`, proofTag(TOKEN)],
  ['DNS', 'a TXT entry on the host of the listing or its domain', proofEntry(TOKEN)],
]

const claimPart = (ctx: Context): Markup => html`<section class="flow" id="claim">${sectionHead('Claim your listing')}
<p class="prose">Press Claim on the page of the listing. You get a token; show it in one of these ways and press Look now.</p>
${table({
  caption: 'Ways to show the token',
  rows: WAYS,
  columns: [
    { label: 'Way', rowHeader: true, cell: ([way]) => way },
    { label: 'Where', cell: ([, where]) => where },
    { label: 'What', cell: ([, , what]) => html`<code>${what}</code>` },
  ],
})}
<ul class="listed prose">
<li>A redirect counts only within your own domain. On a host that many people share, such as github.io, the whole host must match.</li>
<li>Leave the token in place: it is looked for regularly. When it is not found you are told in the dashboard${byMail(ctx)}; if it is missing ${CHECK_DAYS.missing} days later too, the claim ends. So it does when the place cannot be reached for ${MOST_UNREACHABLE_DAYS} days.</li>
<li>The owners of a listing do not see each other.</li>
</ul></section>`

const ownersPart = html`<section class="flow" id="owners">${sectionHead('Look after it')}
<ul class="listed prose">
<li>You change at once: ${ownerLabels('applied').join(', ')}.</li>
<li>An administrator has to accept: ${ownerLabels('proposed').join(', ')}, and texts that look like instructions to a language model.</li>
<li>Each change can be undone. You can also name the product that replaces yours.</li>
<li>You see how many people found, viewed and opened the listing, by day. No visitor is stored.</li>
<li>The badge (${BADGE_THEMES.join(', ')}) is a picture for your site that links here. It is not needed for anything, and its link is marked <code>nofollow</code>.</li>
</ul></section>`

const orderPart = (packages: PackageSale, ctx: Context): Markup =>
  html`<section class="flow" id="order">${sectionHead('Order a package', { href: '/pricing#founders', label: 'Prices' })}
<p class="prose">We enter your product into ${packages.map(({ targetDirectoriesCount }) => targetDirectoriesCount).join(', ')} directories, by package, and you follow each one until its link is live. You pay once, at Stripe.</p>
<ul class="listed prose">
<li>The owner of a listing orders, or while it has none the founder who sent it. A product has one order at a time.</li>
<li>The page of your order shows the plan, each directory and link, the report and the invoice, and takes your questions. When the work is done you are told there${byMail(ctx)}.</li>
<li>To take an order back, write to us. A full refund before the work begins withdraws it; later the work goes on, and the order is marked as refunded.</li>
</ul></section>`
