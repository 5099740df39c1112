// How packages are sold, on /pricing and /submit: by this service, and by partners that the operator names.
import type { packagesInWords } from '../../../features/billing/orders/account.operations.ts'
import { NEW_ORDER_PAGE } from '../../../features/billing/orders/start.ts'
import type { SiteFields } from '../../../features/site/schema.ts'
import { PACKAGES, type PaymentType } from '../../../features/submissions/rules.ts'
import { capitalised } from '../../../kernel/text.ts'
import { webAddress } from '../addresses.ts'
import { linkButton } from '../kit/button.ts'
import { sectionHead, tile } from '../kit/components.ts'
import { html, type Markup } from '../kit/markup.ts'

/** The packages that this service sells; empty when it sells none. */
export type PackageSale = Awaited<ReturnType<typeof packagesInWords>>

/** The price of a package and the way to it, if this service sells it. */
export function packageOffer(sale: PackageSale, name: PaymentType): Markup | null {
  const sold = sale.find((one) => one.name === name)
  return sold
    ? html`<p>${sold.price ? html`<span class="price">${sold.price}</span> <span class="quiet">once</span>` : 'The checkout shows the price.'}</p><div class="row">${linkButton(`${NEW_ORDER_PAGE}?package=${name}`, `Order ${capitalised(name)}`)}</div>`
    : null
}

export const packageEntries = Object.entries(PACKAGES) as [PaymentType, (typeof PACKAGES)[PaymentType]][]

/** Nothing when the operator names no seller. */
export const sellerList = ({ sellers }: SiteFields): Markup | null =>
  sellers.length === 0
    ? null
    : html`<section class="flow" id="sellers">${sectionHead('Order from a partner')}
<div class="packs">${sellers.map(({ name, href, text, logo }) => html`<div class="panel pack"><div class="row tight">${tile(name, logo)}<h3><bdi>${name}</bdi></h3></div>${text && html`<p><bdi>${text}</bdi></p>`}<div class="row"><a class="button plain" href="${webAddress(href)}" rel="noopener">Visit<span class="visually-hidden"> ${name}</span></a></div></div>\n`)}</div></section>`
