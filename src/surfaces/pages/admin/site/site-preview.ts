// The preview of a changed site: the head of a page, the home page and a listing in light and dark, a mail, the pictures that other sites
// show with a link, the badge, and the pages with the operator's texts.
import type { FastifyReply } from 'fastify'
import { raw } from 'hono/html'
import { mailParts } from '../../../../features/mail/texts.rules.ts'
import { accentForText, isColour } from '../../../../features/site/colours.rules.ts'
import {
  DEFAULT_ACCENT,
  HOME_SECTIONS,
  type SiteFields,
  TEXT_PAGES,
  type TextName,
} from '../../../../features/site/schema.ts'
import type { Service } from '../../../http/service.ts'
import { brandColours } from '../../accent.ts'
import { pictureAddress } from '../../addresses.ts'
import { drawBadge } from '../../founders/badge.ts'
import { badge, tile } from '../../kit/components.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Visit } from '../../kit/sending/private-pages.ts'
import { highlightedHeadline } from '../../site/home.ts'
import { siteCardOf } from '../../site-card.ts'

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
  const card = siteCardOf(site)
  const ownCard = addressWith(sharePath, {
    name: oneLine(card.site, 60),
    title: oneLine(card.name, 100),
    tagline: oneLine(card.text, 160),
    colour: site.accentColor,
  })
  return html`<h2>Preview</h2>${shades(site.accentColor)}${shownPages(site, 'light')}${shownPages(site, 'dark')}
${mail(site, publicUrl)}
<section class="site-preview light" aria-label="Preview, picture with a link"><p class="label">Picture with a link</p><img class="picture" src="${share}" alt="The picture that other sites show with a link to a listing" width="1200" height="630" loading="lazy"></section>
<section class="site-preview light" aria-label="Preview, social card"><p class="label">Social card</p><img class="picture" src="${pictureAddress(site.socialCard.picture) ?? ownCard}" alt="The picture that other sites show with a link to the home page" width="1200" height="630" loading="lazy"></section>
${texts.length > 0 && html`<div class="panel folds">${texts.map(({ label, text }) => html`<details><summary>${label}</summary><div class="flow own-text">${raw(text)}</div></details>`)}</div>`}`
}

const shownPages = (
  site: SiteFields,
  scheme: 'light' | 'dark',
): Markup => html`<section class="site-preview ${scheme}" aria-label="Preview, ${scheme}">
<p class="brand">${site.logo && html`<img src="${pictureAddress(site.logo)}" alt="" width="32" height="32">`}<bdi>${site.name}</bdi></p>
<p class="row small">${site.navigation.map(({ label }) => html`<bdi>${label}</bdi> `)}</p>
<div class="spruce"><p class="headline">${highlightedHeadline(site.headline)}</p><p>${site.tagline}</p>${site.examples.length > 0 && html`<p class="small">${site.examples.map((one) => html`<bdi>${one}</bdi> `)}</p>`}</div>
<ol class="small">${site.home.map((section) => html`<li>${HOME_SECTIONS[section]}</li>`)}</ol>
<p class="small">A listing – ${site.name}</p>
<p class="row"><span class="button">Visit website</span> <span class="link">A link</span> ${badge('Featured', 'accent')} ${badge('Best value', 'marker')} <mark>matched words</mark></p>
${raw(drawBadge(site, scheme))}
${site.sellers.map(({ name, text, logo }) => html`<p class="row tight">${tile(name, logo)}<bdi>${name}</bdi> <span class="quiet"><bdi>${text}</bdi></span></p>`)}
${site.links.length > 0 && html`<p class="row small">${site.links.map(({ label }) => html`<span class="link"><bdi>${label}</bdi></span> `)}</p>`}
</section>`

/** Which shades pages use instead of the accent colour where text in it could not be read. */
function shades(accent: string): Markup {
  if (!isColour(accent))
    return html`<p class="error">This is no colour yet: # and six digits from 0 to f, such as ${DEFAULT_ACCENT}.</p>`
  const [light = '', dark = ''] = brandColours(accent)
  const isKept = [light, dark].every((shade) => shade === accent.toLowerCase())
  return html`<p class="small">${light === accent.toLowerCase() ? 'Light pages use it as it is.' : html`It is too light to be read on light pages: they use ${swatch(light)}.`} ${isKept ? 'Dark pages do, too.' : html`Dark pages use ${swatch(dark)}.`}</p>`
}

const swatch = (colour: string): Markup =>
  html`<svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="6" fill="${colour}"/></svg> <code>${colour}</code>`

/** A mail, shown only in light, because our mails tell mail programs that they have no dark form. */
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

/** Sends the picture that other sites show with a link. It shows the values of the form, which are in its address and may not be stored. */
export async function sendSharePreview(visit: Visit): Promise<FastifyReply> {
  const { colour, name, title, tagline } = visit.query(['colour', 'name', 'title', 'tagline'])
  const bytes = await visit.ctx.pictures.drawShare({
    site: oneLine(name, 60),
    name: oneLine(title, 100) || 'A listing',
    text: oneLine(tagline, 160),
    category: title === '' ? 'A category' : '',
    colour: accentForText(isColour(colour) ? colour : DEFAULT_ACCENT),
    logo: null,
  })
  return visit.reply.type('image/png').send(bytes)
}
