// The page on how a product gets listed: founders send theirs unless FOUNDERS is off; partners submit products, and sell the packages shown.
import { raw } from 'hono/html'
import { hasPage } from '../../../../features/site/rules.ts'
import { TEXT_PAGES } from '../../../../features/site/schema.ts'
import type { Context } from '../../../../kernel/context.ts'
import { linkButton } from '../../kit/button.ts'
import { numberedSteps, sectionHead } from '../../kit/components.ts'
import { icon } from '../../kit/icon.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { FOUNDER_HELP, NEW_PRODUCT, SUBMIT } from '../../kit/page-addresses.ts'
import type { Page } from '../../kit/sending/document.ts'
import { hasContact, type PackageSale, packageCards, sellerList } from './package-sales.ts'

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
