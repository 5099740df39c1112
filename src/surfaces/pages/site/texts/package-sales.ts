// How packages are sold, on /pricing and /submit: by this service, and by partners that the operator names.
import type { packagesInWords } from '../../../../features/billing/orders/account.operations.ts'
import { NEW_ORDER_PAGE } from '../../../../features/billing/orders/start.ts'
import { hasPage } from '../../../../features/site/rules.ts'
import type { SiteFields } from '../../../../features/site/schema.ts'
import { PACKAGES, type PaymentType as PackageName } from '../../../../features/submissions/rules.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { webAddress } from '../../addresses.ts'
import { linkButton } from '../../kit/button.ts'
import { sectionHead, tile } from '../../kit/components.ts'
import { html, type Markup } from '../../kit/markup.ts'

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
