// The pages with the operator's own texts, and the page on submitting a product.
import { raw } from 'hono/html'
import { hasPage } from '../../../features/site/rules.ts'
import { TEXT_PAGES, type TextName } from '../../../features/site/schema.ts'
import type { Context } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { capitalised } from '../../../kernel/text.ts'
import { addressForm, FOUNDER_HELP } from '../founders/pages.ts'
import { linkButton } from '../kit/button.ts'
import { card } from '../kit/components.ts'
import type { Page } from '../kit/document.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { type PackageSale, packageEntries, packageOffer, sellerList } from './sellers.ts'

/** The pages that exist only while the operator has written a text for them. */
export const OPTIONAL_PAGES = ['about', 'contact', 'privacy', 'terms'] as const satisfies readonly TextName[]

export async function textPage(ctx: Context, name: (typeof OPTIONAL_PAGES)[number]): Promise<Page> {
  const site = ctx.site.fields()
  if (!hasPage(site, name)) throw notFound('This page was')
  const mail = name === 'contact' && site.contactEmail
  const title = TEXT_PAGES[name]
  const text = await ctx.site.markdown(site.texts[name])
  return {
    title,
    description: oneLine(text.summary, 160) || `${title}: ${site.name}.`,
    url: `${ctx.publicUrl}/${name}`,
    path: `/${name}`,
    body: html`<article class="flow prose own-text">
<h1>${title}</h1>
${raw(text.html)}
${mail && html`<p>Write to <a href="mailto:${mail}">${mail}</a>.</p>`}
</article>`,
  }
}

/** How a product gets listed: founders send theirs unless FOUNDERS is off; partners submit products, and sell the packages shown. */
export async function submitPage(ctx: Context, packages: PackageSale): Promise<Page> {
  const site = ctx.site.fields()
  const text = await ctx.site.markdown(site.texts.submit)
  return {
    title: TEXT_PAGES.submit,
    description: oneLine(text.summary, 160) || `How a product gets listed on ${site.name}, and the packages there are.`,
    url: `${ctx.publicUrl}/submit`,
    path: '/submit',
    body: html`<div class="flow">
<h1>Submit a product</h1>
${ctx.founders.mode !== 'off' && founderEntry(ctx)}
${
  hasPage(site, 'submit')
    ? html`<article class="flow prose own-text">${raw(text.html)}</article>`
    : ctx.founders.mode === 'off' &&
      html`<p class="lead">Products are listed through partners: they send a product in, we list it and enter it into directories, and they follow the work.</p>`
}
<section class="flow"><h2>Packages</h2>
<div class="grid fit">${packageEntries.map(([name, { target }]) => html`${card(capitalised(name), html`<p><span class="price">${target}</span> <span class="quiet">directories</span></p>${packageOffer(packages, name) ?? html`<p class="small">Prices are those of the partner that you order from.</p>`}`)}\n`)}</div></section>
${sellerList(site)}<section class="flow"><h2>Do it yourself</h2>
<p class="prose">The launch plan says which directories fit your product, best first and with reasons, as a checklist.</p>
<div class="row">${linkButton('/plan', 'Make my plan')}${linkButton('/directories', 'Browse directories', { kind: 'plain' })}${site.contactEmail && html`<a class="button plain" href="mailto:${site.contactEmail}">Ask us</a>`}</div></section>
</div>`,
  }
}

const founderEntry = ({ founders }: Context): Markup =>
  html`<p class="lead">Type the address of your product. We read its page, you correct the listing, ${founders.mode === 'open' ? 'and it is public' : 'and an administrator looks at it'}. It costs nothing.</p>
<div class="panel">${addressForm()}</div>
<p class="small"><a href="${FOUNDER_HELP}">Help for founders</a>: review, claim, what owners do, badge, orders and refunds.</p>`
