// The pages with the operator's own texts, and the acceptable-use policy, to which users agree.
import { raw } from 'hono/html'
import { MAX_LIVE_KEYS, VISITOR_BUDGETS } from '../../../../features/keys/budgets.rules.ts'
import { POLICY_VERSION } from '../../../../features/keys/rules.ts'
import { hasPage } from '../../../../features/site/rules.ts'
import { TEXT_PAGES, type TextName } from '../../../../features/site/schema.ts'
import type { Context } from '../../../../kernel/context.ts'
import { thisNotFound } from '../../../../kernel/errors.ts'
import { choice } from '../../kit/forms/field.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'

/** The pages that exist only while the operator has written a text for them. */
export const OPTIONAL_PAGES = ['about', 'contact', 'privacy', 'terms'] as const satisfies readonly TextName[]

export async function textPage(ctx: Context, name: (typeof OPTIONAL_PAGES)[number]): Promise<Page> {
  const site = ctx.site.fields()
  if (!hasPage(site, name)) throw thisNotFound('page')
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

/** The box with which a user agrees to the policy. */
export const agreementBox: Markup = choice({
  name: 'agree',
  label: 'I agree to the acceptable-use policy',
  required: true,
  hint: html`<a href="/policy">Read it</a> (version ${POLICY_VERSION}). In short: do not republish the catalog as a competing directory or bulk export, and do not pretend to be a crawler.`,
})

export const policyPage = (publicUrl: string): Page => ({
  title: 'Acceptable-use policy',
  description: 'What the catalog may be used for, what it may not, and what happens then.',
  url: `${publicUrl}/policy`,
  path: '/policy',
  body: html`<article class="flow prose">
<p class="label">Version ${POLICY_VERSION}</p>
<h1>Acceptable-use policy</h1>
<p class="lead">Use the catalog in what you build. Do not rebuild the catalog from it.</p>
<p>Creating an API key, or allowing a program to read the catalog for you, means agreeing to this page. The version that you agreed to, and when, is kept with your account.</p>
<h2>You may</h2>
<ul class="listed">
<li>search the catalog from your product, your agent, your website or your own work, also commercially;</li>
<li>show listings to your users, with a link to the listing’s page or to the product;</li>
<li>keep answers for as long as you need them to answer your users well.</li>
</ul>
<h2>You may not</h2>
<ul class="listed">
<li>republish the catalog, or a large part of it, as a competing directory;</li>
<li>copy it in bulk, or offer it to others as an export or data set;</li>
<li>pretend to be a search engine’s crawler or another client;</li>
<li>go around the limits, for example by spreading calls over keys, accounts or addresses;</li>
<li>use the catalog to collect people’s personal data or to send them unwanted mail;</li>
<li>hand your key to others, or put it into an app or page where they can read it.</li>
</ul>
<h2>Limits</h2>
<p>Each key, and each program that you allow, has its calls a minute; see <a href="/developers#limits">limits and prices</a>. An account has at most ${MAX_LIVE_KEYS} live keys. Pages of this site may be opened ${VISITOR_BUDGETS[0].calls} times a minute and ${VISITOR_BUDGETS[1].calls} times an hour from one address. Crawlers are welcome within them: <a href="/robots.txt">robots.txt</a> and the <a href="/sitemap.xml">sitemap</a> say where.</p>
<h2>What happens otherwise</h2>
<p>A key that breaks these rules can be revoked at once, and its owner banned for good. All keys and programs of a banned account stop working, and no new ones are issued.</p>
<h2>Changes</h2>
<p>When this policy changes, its version changes with it, and the next key, or the next program that you allow, asks for your agreement to the new one.</p>
</article>`,
})
