// What a change of the site would look like: the head of a page, the home page and a listing in light and dark, a mail, the picture that
// other sites show with a link, and the pages in the operator's own words.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { raw } from 'hono/html'
import { mailParts } from '../../../features/mail/texts.rules.ts'
import { accentForText, isColour } from '../../../features/site/rules.ts'
import { DEFAULT_ACCENT, type SiteFields, TEXT_PAGES, type TextName } from '../../../features/site/schema.ts'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { pictureAddress } from '../addresses.ts'
import { html, type Markup, oneLine } from '../kit/markup.ts'
import { type AddressQuery, addressWith, queryText } from '../kit/site-addresses.ts'

export async function sitePreview(
  { publicUrl, site: { markdown } }: Pick<Service, 'publicUrl' | 'site'>,
  site: SiteFields,
  sharePath: string,
): Promise<Markup> {
  const names = (Object.keys(TEXT_PAGES) as TextName[]).filter((name) => site.texts[name].trim() !== '')
  const texts = await Promise.all(
    names.map(async (name) => ({ label: TEXT_PAGES[name], text: (await markdown(site.texts[name])).html })),
  )
  const share = addressWith(sharePath, {
    name: oneLine(site.name, 60),
    tagline: oneLine(site.tagline, 120),
    colour: site.accentColor,
  })
  return html`<h2>Preview</h2>${shownPages(site, 'light')}${shownPages(site, 'dark')}
${mail(site, publicUrl)}
<section class="site-preview light" aria-label="Preview, picture with a link"><p class="label">Picture with a link</p><img class="picture" src="${share}" alt="The picture that other sites show with a link to a listing" width="1200" height="630" loading="lazy"></section>
${texts.map(({ label, text }) => html`<details class="panel"><summary>${label}</summary><div class="flow own-text">${raw(text)}</div></details>`)}`
}

const shownPages = (
  site: SiteFields,
  scheme: 'light' | 'dark',
): Markup => html`<section class="site-preview ${scheme}" aria-label="Preview, ${scheme}">
<p class="brand">${site.logo && html`<img src="${pictureAddress(site.logo)}" alt="" width="32" height="32">`}<bdi>${site.name}</bdi></p>
<div class="spruce"><p class="headline">${site.headline}</p><p>${site.tagline}</p></div>
<p class="small">A listing – ${site.name}</p>
<p><span class="button">Visit website</span> <span class="link">A link</span></p>
</section>`

/** Shown only in light: a mail tells mail programs that it has no dark form. */
function mail({ name, accentColor }: SiteFields, publicUrl: string): Markup {
  const frame = { site: name, colour: accentForText(accentColor), publicUrl, link: '', hasAccount: true }
  const { site, subject, lines, action, note, end } = mailParts('reset', {}, frame)
  return html`<section class="site-preview light" aria-label="Preview, mail">
<p class="label">Mail</p>
<p class="small quiet">From <bdi>${site}</bdi></p>
<p><strong><bdi>${subject}</bdi></strong></p>
${lines.map((line) => html`<p><bdi>${line}</bdi></p>`)}
<p><span class="button">${action.label}</span></p>
<p class="small quiet">${note}</p>
<p class="small quiet"><bdi>${end}</bdi></p>
</section>`
}

/** The picture is drawn for the values of the form, which may not be stored yet, so they are in its address. */
export async function sendSharePreview(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = request.query as AddressQuery
  const colour = queryText(query, 'colour')
  const bytes = await service.context(identifiedCaller(request)).pictures.drawShare({
    site: oneLine(queryText(query, 'name'), 60),
    name: 'A listing',
    text: oneLine(queryText(query, 'tagline'), 120),
    category: 'A category',
    colour: accentForText(isColour(colour) ? colour : DEFAULT_ACCENT),
    logo: null,
  })
  return reply.type('image/png').send(bytes)
}
