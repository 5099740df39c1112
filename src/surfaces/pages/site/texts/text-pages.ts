// The pages with the operator's own texts.
import { raw } from 'hono/html'
import { hasPage } from '../../../../features/site/rules.ts'
import { TEXT_PAGES, type TextName } from '../../../../features/site/schema.ts'
import type { Context } from '../../../../kernel/context.ts'
import { thisNotFound } from '../../../../kernel/errors.ts'
import { html, oneLine } from '../../kit/markup.ts'
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
