// The page on how a product gets listed: founders send theirs unless FOUNDERS is off; partners submit products, and sell the packages
// shown. Also how packages are sold there and on /pricing: by this service, and by partners that the operator names.
import { raw } from 'hono/html'
import type { packagesInWords } from '../../../../features/billing/orders/account.operations.ts'
import { NEW_ORDER_PAGE } from '../../../../features/billing/orders/start.ts'
import { hasPage } from '../../../../features/site/rules.ts'
import { type SiteFields, TEXT_PAGES } from '../../../../features/site/schema.ts'
import { PACKAGES, type PaymentType as PackageName } from '../../../../features/submissions/rules.ts'
import type { Context } from '../../../../kernel/context.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { FOUNDER_HELP, NEW_PRODUCT, SUBMIT, webAddress } from '../../addresses.ts'
import { linkButton } from '../../kit/button.ts'
import { numberedSteps, sectionHead, tile } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'

export async function submitPage(ctx: Context, packages: PackageSale): Promise<Page> {
  const site = ctx.site.fields()
  const text = await ctx.site.markdown(site.texts.submit)
  const isOffered = packages.length > 0 || site.sellers.length > 0 || hasContact(site)
  return {
    title: TEXT_PAGES.submit,
    description: oneLine(text.summary, 160) || `How a product gets listed on ${site.name}, and the packages there are.`,
    url: ctx.publicUrl + SUBMIT,
    path: SUBMIT,
    body: html`<div class="flow">
${ctx.founders.mode === 'off' ? html`<h1>Submit a product</h1>` : founderEntry(ctx, packages.length > 0)}
${
  hasPage(site, 'submit')
    ? html`<article class="flow prose own-text">${raw(text.html)}</article>`
    : ctx.founders.mode === 'off' &&
      html`<p class="lead">Products are listed through partners: they send a product in, we list it and enter it into directories, and they follow the work.</p>`
}
${
  (ctx.founders.mode === 'off' || isOffered) &&
  html`<section class="flow">${sectionHead('Let us enter it into directories', ctx.founders.mode === 'off' ? undefined : { href: '/pricing#founders', label: 'What is in a package' })}
${packageCards(packages, site)}</section>`
}
${sellerList(site)}<section class="promo"><div><h2>Launch it elsewhere too</h2><p>The launch plan says which directories fit your product, best first and with reasons, as a checklist.</p></div><div class="row">${linkButton('/plan', html`Make my plan${icon('arrow')}`)}${linkButton('/directories', 'Browse directories', { kind: 'plain' })}</div></section>
</div>`,
  }
}

/** The field for the address of the product, and the steps that follow. */
const founderEntry = ({ founders }: Context, sellsPackages: boolean): Markup =>
  html`<section class="spruce sentence flow"><h1>Submit a product</h1>
<p class="lead">People, and agents that use the catalog, find it by what it does. Listing it costs nothing.</p>
<p class="small"><label for="field-website">Address of your product</label></p>
<form class="search" method="get" action="${NEW_PRODUCT}">${icon('globe', 'large')}<input class="input" type="text" id="field-website" name="website" inputmode="url" spellcheck="false" required maxlength="2000" placeholder="acme.example"><button type="submit" class="button">Continue</button></form>
<p class="small"><a href="${FOUNDER_HELP}">How review, claiming${sellsPackages ? ', the badge and orders' : ' and the badge'} work</a></p></section>
${numberedSteps([
  ['Address', 'We read your site: name, texts, prices, logo and pictures.'],
  ['Check', 'You correct what is wrong and add what only you know. Nothing is public before.'],
  [
    founders.mode === 'open' ? 'Public' : 'Review',
    founders.mode === 'open'
      ? 'It is listed at once, unless something about it is unusual.'
      : 'An administrator looks at it, and you see the decision with its reason.',
  ],
])}`

/** The packages that this service sells; empty when it sells none. */
export type PackageSale = Awaited<ReturnType<typeof packagesInWords>>

const PACKAGE_ENTRIES = Object.entries(PACKAGES) as [PackageName, (typeof PACKAGES)[PackageName]][]

const FOR_WHOM: Readonly<Record<PackageName, string>> = {
  starter: 'A side project, or a first round.',
  pro: 'A whole launch.',
  premium: 'A launch as wide as it gets.',
}

/** The button of the package that is right for most founders stands out. */
const orderLink = (name: PackageName, title: string): Markup =>
  linkButton(`${NEW_ORDER_PAGE}?package=${name}`, `Order ${title}`, { kind: name === 'pro' ? 'main' : 'plain' })

/** The packages, each with its price and a button: to order it (`orderPart`) if this service sells it, otherwise to ask the operator. */
export const packageCards = (
  sale: readonly Pick<PackageSale[number], 'name' | 'price'>[],
  site: SiteFields,
  orderPart = orderLink,
): Markup =>
  html`${sale.length === 0 && !hasContact(site) && html`<p class="note">${site.sellers.length > 0 ? 'Prices are those of the partner that you order from.' : 'Packages are not sold here yet.'}</p>`}<div class="packs">${PACKAGE_ENTRIES.map(
    ([name, { target }]) => {
      const title = capitalised(name)
      const sold = sale.find((one) => one.name === name)
      const action = sold ? orderPart(name, title) : contactLink(site, `Ask about ${title}`)
      return html`<div class="panel pack"><h3 class="tab">${title}</h3><p><strong class="price">${target}</strong> <b>directories</b></p><p class="note">${FOR_WHOM[name]} The ${target} that fit your product best.</p>${sold ? html`<p>${sold.price ? html`<strong class="amount">${sold.price}</strong> <span class="quiet">once</span>` : 'The checkout shows the price.'}</p>` : action && html`<p class="quiet">Price on request</p>`}${action}<p class="small"><a href="/plan?count=${target}">See which ${target} fit</a></p></div>\n`
    },
  )}</div>`

const contactAddress = (site: SiteFields): string | false =>
  site.contactEmail ? `mailto:${site.contactEmail}` : hasPage(site, 'contact') && '/contact'

/** Whether visitors can write to the operator. */
export const hasContact = (site: SiteFields): boolean => contactAddress(site) !== false

/** A link to write to the operator; null when the site names no contact. */
export function contactLink(site: SiteFields, label: string, kind: 'main' | 'plain' = 'plain'): Markup | null {
  const href = contactAddress(site)
  return href ? linkButton(href, label, { kind }) : null
}

/** The partners that sell packages; null when the operator names none. */
export const sellerList = ({ sellers }: SiteFields): Markup | null =>
  sellers.length === 0
    ? null
    : html`<section class="flow" id="sellers">${sectionHead('Order from a partner')}
<div class="grid fit">${sellers.map(({ name, href, text, logo }) => html`<div class="panel flow"><div class="row">${tile(name, logo)}<h3><bdi>${name}</bdi></h3></div>${text && html`<p><bdi>${text}</bdi></p>`}<div class="row"><a class="button plain" href="${webAddress(href)}" rel="noopener">Visit<span class="visually-hidden"> ${name}</span></a></div></div>\n`)}</div></section>`
