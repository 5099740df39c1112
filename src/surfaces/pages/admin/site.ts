// The site's own name, words, colour, logo and pages, with a preview of every change in light and dark.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MAX_PICTURE_BYTES, uploadPicture } from '../../../features/enrichment/operations.ts'
import { getSite, putSite } from '../../../features/site/operations.ts'
import { siteProblems } from '../../../features/site/rules.ts'
import { type Site, type SiteFields, TEXT_PAGES, type TextName } from '../../../features/site/schema.ts'
import type { Service } from '../../http/service.ts'
import { pictureAddress } from '../addresses.ts'
import { readBufferedUploads } from '../kit/buffered-uploads.ts'
import { button, saveBar } from '../kit/button.ts'
import type { Page } from '../kit/document.ts'
import { choice, field, fieldGroup, fileField, hiddenField, textarea } from '../kit/field.ts'
import { csrfField, formOf } from '../kit/forms.ts'
import { html, type Markup } from '../kit/markup.ts'
import { redirectWith } from '../kit/messages.ts'
import { addPrivatePages, isCorrectable, performAs } from '../kit/private-pages.ts'
import { type Refusal, refusalFlash, refusalOf } from '../kit/problems.ts'
import { markdown } from '../site/markdown.ts'
import { sendAdmin } from './frame.ts'
import { expectedVersionOf, versionField } from './version-field.ts'

const PATH = '/admin/site'
const LABELS = {
  name: 'Name',
  tagline: 'Tagline',
  headline: 'Heading of the home page',
  description: 'Description',
  accentColor: 'Accent colour',
  logo: 'Logo',
  contactEmail: 'Contact address',
  links: 'Links',
  texts: 'Pages',
  '': 'The picture',
}

export function addSitePages(server: FastifyInstance, service: Service): void {
  const read = (request: FastifyRequest) => performAs(service, request, getSite, {})

  async function show(request: FastifyRequest, reply: FastifyReply, typed?: SiteFields, refusal?: Refusal) {
    const stored = await read(request)
    const site: Site = { ...stored, ...typed, version: typed ? versionOf(request, stored) : stored.version }
    const page = sitePage(service, site, csrfField(request), typed !== undefined, refusal)
    return sendAdmin(service, request, reply, page, refusal ? 400 : 200)
  }

  addPrivatePages(
    server,
    service,
    'admin',
    {
      [PATH]: {
        GET: (request, reply) => show(request, reply),
        POST: async (request, reply) => {
          const given = formOf(request)
          let typed = typedSite(given)
          try {
            const logo = request.uploads?.get('logoFile')?.[0]
            if (logo) typed = { ...typed, logo: (await performAs(service, request, uploadPicture, {}, logo.bytes)).url }
            if (given.preview !== undefined) return await show(request, reply, typed)
            await performAs(service, request, putSite, expectedVersionOf(request), typed)
          } catch (error) {
            if (!isCorrectable(error)) throw error
            return show(request, reply, typed, refusalOf(error, LABELS))
          }
          return redirectWith(service, reply, PATH, { kind: 'good', text: 'Saved. Every page shows it now.' })
        },
      },
    },
    readBufferedUploads(MAX_PICTURE_BYTES),
  )
}

const versionOf = (request: FastifyRequest, stored: Site): number =>
  Number(expectedVersionOf(request).ifVersion ?? stored.version)

type FormValues = Readonly<Record<string, string | undefined>>

function typedSite(given: FormValues): SiteFields {
  const text = (name: string) => (given[name] ?? '').replace(/\r\n/g, '\n').trim()
  return {
    name: text('name'),
    tagline: text('tagline'),
    headline: text('headline'),
    description: text('description'),
    accentColor: text('accentColor'),
    logo: given.removeLogo === 'true' ? null : text('logo') || null,
    contactEmail: text('contactEmail'),
    links: text('links')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, 50)
      .map(linkOf),
    texts: Object.fromEntries(Object.keys(TEXT_PAGES).map((name) => [name, text(name)])) as SiteFields['texts'],
  }
}

/** A line such as `Blog | https://example.com/blog`. */
function linkOf(line: string): SiteFields['links'][number] {
  const at = line.lastIndexOf('|')
  return at === -1
    ? { label: line.trim(), href: '' }
    : { label: line.slice(0, at).trim(), href: line.slice(at + 1).trim() }
}

function sitePage(
  service: Service,
  site: Site,
  token: Markup,
  isPreview: boolean,
  refusal?: Refusal,
): Pick<Page, 'title' | 'body' | 'flash' | 'accentColor'> {
  const marked = refusal?.marked ?? {}
  const line = (name: 'name' | 'tagline' | 'headline' | 'description', maxLength: number) =>
    field({ name, label: LABELS[name], value: site[name], maxLength, required: true, error: marked[name] })
  return {
    title: 'Site',
    flash: refusalFlash(refusal),
    accentColor: isReadable(service, site) ? site.accentColor : undefined,
    body: html`<div class="flow">
<h1>Site</h1>
<p class="lead">The name, words and colour that visitors and programs see.</p>
${isPreview && !refusal && html`<p class="flash notice" role="status">This is a preview. Press Save to show it to everybody.</p>`}
<div class="beside wide-side">
<form class="form wide" method="post" action="${PATH}" enctype="multipart/form-data">
${token}${versionField(site)}${hiddenField('logo', site.logo ?? '')}
${fieldGroup('Name and words', html`${line('name', 60)}${line('tagline', 120)}${line('headline', 120)}${line('description', 300)}`)}
${fieldGroup(
  'Look',
  html`${field({ name: 'accentColor', label: LABELS.accentColor, value: site.accentColor, pattern: '#[0-9a-fA-F]{6}', required: true, hint: 'As #rrggbb. It must be readable on the page; dark mode uses a lighter form of it.', error: marked.accentColor })}
${fileField({ name: 'logoFile', label: LABELS.logo, accept: 'image/png,image/jpeg,image/webp,image/gif,image/avif', hint: 'A square PNG, JPEG, WebP, GIF or AVIF picture of at most 10 MiB.', error: marked.logo ?? marked[''] })}
${site.logo && choice({ name: 'removeLogo', label: 'Remove the logo' })}`,
)}
${fieldGroup(
  'Contact and links',
  html`${field({ name: 'contactEmail', label: LABELS.contactEmail, type: 'email', value: site.contactEmail, maxLength: 254, hint: 'Shown on the contact page; leave it empty to show none.', error: marked.contactEmail })}
${textarea({ name: 'links', label: LABELS.links, rows: 4, value: site.links.map(({ label, href }) => `${label} | ${href}`).join('\n'), hint: 'Shown in the foot of every page, one a line: Blog | https://example.com/blog', error: marked.links })}`,
)}
${fieldGroup(
  'Pages, in Markdown',
  Object.entries(TEXT_PAGES).map(([name, label]) =>
    textarea({
      name,
      label,
      rows: 8,
      maxLength: 20_000,
      value: site.texts[name as TextName],
      error: marked[`texts.${name}`] ?? (name === 'about' ? marked.texts : undefined),
    }),
  ),
)}
${saveBar(button('Save'), button('Preview', { kind: 'plain', name: 'preview', value: 'true' }))}
</form>
<aside class="flow" aria-label="Preview">${preview(site)}</aside>
</div>
</div>`,
  }
}

/** A colour that cannot be read is not shown; the page then keeps the stored one. */
const isReadable = ({ publicUrl }: Service, site: Site): boolean =>
  /^#[0-9a-f]{6}$/i.test(site.accentColor) && siteProblems(publicUrl, site).length === 0

/** The head of a page, the home page and a listing, in light and in dark. */
function preview(site: Site): Markup {
  const shown = (
    scheme: 'light' | 'dark',
  ) => html`<section class="site-preview ${scheme}" aria-label="Preview, ${scheme}">
<p class="brand">${site.logo && html`<img src="${pictureAddress(site.logo)}" alt="" width="32" height="32">`}<bdi>${site.name}</bdi></p>
<div class="spruce"><p class="headline">${site.headline}</p><p>${site.tagline}</p></div>
<p class="small">A listing – ${site.name}</p>
<p><span class="button">Visit website</span> <span class="link">A link</span></p>
</section>`
  const texts = Object.entries(TEXT_PAGES).filter(([name]) => site.texts[name as TextName].trim() !== '')
  return html`<h2>Preview</h2>${shown('light')}${shown('dark')}
${texts.map(([name, label]) => html`<details class="panel"><summary>${label}</summary><div class="flow own-text">${markdown(site.texts[name as TextName])}</div></details>`)}`
}
