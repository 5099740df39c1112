// The site's own name, words, colour, logo and pages, with a preview of every change in light and dark.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { listSiteExamples } from '../../../features/catalog/examples.operations.ts'
import { MAX_PICTURE_BYTES, uploadPicture } from '../../../features/enrichment/operations.ts'
import { getAgents, getSite, putAgents, putSite } from '../../../features/site/operations.ts'
import { isColour } from '../../../features/site/rules.ts'
import { DEFAULT_SITE, type Site, type SiteFields, TEXT_PAGES, type TextName } from '../../../features/site/schema.ts'
import type { Failure } from '../../../kernel/errors.ts'
import type { Service } from '../../http/service.ts'
import { readBufferedUploads } from '../kit/buffered-uploads.ts'
import { actionForm, button, saveBar } from '../kit/button.ts'
import type { Page } from '../kit/document.ts'
import { choice, field, fieldGroup, fileField, hiddenField, textarea } from '../kit/field.ts'
import { csrfField, csrfValues, formOf } from '../kit/forms.ts'
import { html, type Markup } from '../kit/markup.ts'
import { redirectWith } from '../kit/messages.ts'
import { addPrivatePages, isCorrectable, performAs } from '../kit/private-pages.ts'
import { refusalFlash, refusalOf } from '../kit/problems.ts'
import { number } from '../kit/values.ts'
import { sendAdmin } from './frame.ts'
import { sendSharePreview, sitePreview } from './site-preview.ts'
import { expectedVersionOf, storedValues, versionField } from './version-field.ts'

const PATH = '/admin/site'
const AGENTS = `${PATH}/agents`
const SHARE_PREVIEW = `${PATH}/share.png`
const TEXTS = Object.entries(TEXT_PAGES) as [TextName, string][]
const LABELS = {
  name: 'Name',
  tagline: 'Tagline',
  headline: 'Heading of the home page',
  description: 'Description',
  accentColor: 'Accent colour',
  logo: 'Logo',
  contactEmail: 'Contact address',
  currency: 'Currency',
  adultSwitch: 'Let visitors include adult listings',
  submissionForms: 'Link to the forms of directories',
  links: 'Links',
  sellers: 'Sellers',
  examples: 'Questions to try',
  texts: 'Pages',
  // A problem with the uploaded picture has no field.
  '': 'The picture',
}

export function addSitePages(server: FastifyInstance, service: Service): void {
  const read = (request: FastifyRequest) => performAs(service, request, getSite, {})

  async function show(request: FastifyRequest, reply: FastifyReply, typed?: SiteFields, failure?: Failure) {
    const stored = await read(request)
    // After a conflict the form has the new version and the page shows what is stored: the administrator decides whether to overwrite it.
    const isConflict = failure?.status === 409
    const version = typed && !isConflict ? versionOfForm(request, stored) : stored.version
    const site = { ...stored, ...typed, version }
    const page = sitePage({
      site,
      examples: await performAs(service, request, listSiteExamples, {}),
      preview: await sitePreview(service, site, SHARE_PREVIEW),
      token: csrfField(request),
      agents: agentsPart(await performAs(service, request, getAgents, {}), csrfValues(request)),
      isPreview: typed !== undefined && !failure,
      stored: typed && isConflict ? storedValues(comparedFields(typed, stored)) : undefined,
      failure,
    })
    return sendAdmin(service, request, reply, page, failure?.status)
  }

  addPrivatePages(server, service, 'admin', {
    [AGENTS]: {
      POST: async (request, reply) => {
        const stopped = formOf(request).stopped === 'true'
        await performAs(service, request, putAgents, {}, { stopped })
        const text = stopped ? 'All agents are stopped.' : 'Agents may work again.'
        return redirectWith(service, reply, PATH, { kind: 'good', text })
      },
    },
  })
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
            return show(request, reply, typed, error)
          }
          return redirectWith(service, reply, PATH, { kind: 'good', text: 'Saved. Every page shows it now.' })
        },
      },
      [SHARE_PREVIEW]: { GET: (request, reply) => sendSharePreview(service, request, reply) },
    },
    readBufferedUploads(MAX_PICTURE_BYTES),
  )
}

const versionOfForm = (request: FastifyRequest, stored: Site): number =>
  Number(expectedVersionOf(request).ifVersion ?? stored.version)

const linksText = ({ links }: SiteFields): string => links.map(({ label, href }) => `${label} | ${href}`).join('\n')

const sellersText = ({ sellers }: SiteFields): string =>
  sellers.map(({ name, href, text, logo }) => [name, href, text, ...(logo ? [logo] : [])].join(' | ')).join('\n')

const LINE_FIELDS = ['name', 'tagline', 'headline', 'description', 'accentColor', 'contactEmail', 'currency'] as const

const SWITCHES = ['adultSwitch', 'submissionForms'] as const

const lines = (text: string): string[] =>
  text
    .split('\n')
    .flatMap((line) => line.trim() || [])
    .slice(0, 50)

const comparedFields = (typed: SiteFields, stored: SiteFields): [label: string, typed: string, stored: string][] => [
  ...LINE_FIELDS.map((name): [string, string, string] => [LABELS[name], typed[name], stored[name]]),
  ...SWITCHES.map((name): [string, string, string] => [LABELS[name], String(typed[name]), String(stored[name])]),
  [LABELS.logo, typed.logo ?? '', stored.logo ?? ''],
  [LABELS.links, linksText(typed), linksText(stored)],
  [LABELS.sellers, sellersText(typed), sellersText(stored)],
  [LABELS.examples, typed.examples.join('\n'), stored.examples.join('\n')],
  ...TEXTS.map(([name, label]): [string, string, string] => [label, typed.texts[name], stored.texts[name]]),
]

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
    currency: text('currency') || DEFAULT_SITE.currency,
    adultSwitch: given.adultSwitch === 'true',
    submissionForms: given.submissionForms === 'true',
    links: lines(text('links')).map(linkOf),
    sellers: lines(text('sellers')).map(sellerOf),
    examples: lines(text('examples')),
    texts: Object.fromEntries(TEXTS.map(([name]) => [name, text(name)])) as SiteFields['texts'],
  }
}

/** A line such as `Blog | https://example.com/blog`. */
function linkOf(line: string): SiteFields['links'][number] {
  const at = line.lastIndexOf('|')
  return at === -1
    ? { label: line.trim(), href: '' }
    : { label: line.slice(0, at).trim(), href: line.slice(at + 1).trim() }
}

/** A line such as `Launch Platform | https://launch.example.com | Packages with a call | https://catalog.example.com/media/….webp`. */
function sellerOf(line: string): SiteFields['sellers'][number] {
  const [name = '', href = '', text = '', ...logo] = line.split('|').map((part) => part.trim())
  return { name, href, text, logo: logo.join('|') || null }
}

/** The switch that stops every agent that works as an operator. */
const agentsPart = ({ stopped }: { stopped: boolean }, values: Readonly<Record<string, string>>): Markup =>
  html`<section class="card"><h2>Agents</h2>
<p>${stopped ? 'All agents are stopped: each call at /mcp/operator is refused.' : 'Agents with the operator token, and those that administrators let work as operators, may work at /mcp/operator.'} The <a href="/admin/audit?action=agent">audit log</a> has their calls.</p>
${actionForm({ action: AGENTS, label: stopped ? 'Let agents work again' : 'Stop all agents', kind: stopped ? 'main' : 'danger', values: { ...values, stopped: String(!stopped) } })}</section>`

interface SitePage {
  site: Site
  examples: Static<typeof listSiteExamples.data>
  preview: Markup
  token: Markup
  agents: Markup
  isPreview: boolean
  /** The stored values where the user typed others. */
  stored?: Markup
  failure?: Failure
}

/** What is stored now; a preview does not change it. */
const exampleList = (examples: SitePage['examples']): Markup =>
  examples.length === 0
    ? html`<p class="note">No question is shown: the catalog answers none in full yet.</p>`
    : html`<ul class="outcomes small" aria-label="Questions shown now">${examples.map(
        ({ question, full, isShown }) =>
          html`<li><bdi>${question}</bdi> <span class="quiet">${isShown ? `is shown: ${number(full)} match it fully` : `is not shown: ${full === 0 ? 'nothing matches' : `only ${number(full)} match`} it fully, three are needed. Change its words.`}</span></li>\n`,
      )}</ul>`

function sitePage({
  site,
  examples,
  preview,
  token,
  agents,
  isPreview,
  stored,
  failure,
}: SitePage): Pick<Page, 'title' | 'body' | 'flash' | 'accentColor'> {
  const refusal = failure && refusalOf(failure, LABELS)
  const marked = refusal?.marked ?? {}
  const line = (name: 'name' | 'tagline' | 'headline' | 'description', maxLength: number) =>
    field({ name, label: LABELS[name], value: site[name], maxLength, required: true, error: marked[name] })
  return {
    title: 'Site',
    flash: refusalFlash(refusal),
    // A colour that cannot be read is not shown; the page then keeps the stored one.
    accentColor: isColour(site.accentColor) ? site.accentColor : undefined,
    body: html`<div class="flow">
<h1>Site</h1>
<p class="lead">The name, words and colour that visitors and programs see.</p>
${isPreview && html`<p class="flash notice" role="status">This is a preview. Press Save to show it to everybody.</p>`}
<div class="beside wide-side">
<form class="form wide" method="post" action="${PATH}" enctype="multipart/form-data">
${token}${versionField(site)}${hiddenField('logo', site.logo ?? '')}
${stored}
${fieldGroup('Name and words', html`${line('name', 60)}${line('tagline', 120)}${line('headline', 120)}${line('description', 300)}`)}
${fieldGroup(
  'Look',
  html`${field({ name: 'accentColor', label: LABELS.accentColor, value: site.accentColor, pattern: '#[0-9a-fA-F]{6}', required: true, hint: 'As #rrggbb. Pages use the nearest shade of it that can be read, in light and in dark.', error: marked.accentColor })}
${fileField({ name: 'logoFile', label: LABELS.logo, accept: 'image/png,image/jpeg,image/webp,image/gif,image/avif', hint: 'A square PNG, JPEG, WebP, GIF or AVIF picture of at most 10 MiB.', error: marked.logo ?? marked[''] })}
${site.logo && choice({ name: 'removeLogo', label: 'Remove the logo' })}`,
)}
${fieldGroup(
  'Lists and pages of listings',
  html`${choice({ name: 'adultSwitch', label: LABELS.adultSwitch, checked: site.adultSwitch, hint: 'A switch among the filters of tools, shown only while there are such listings.' })}
${choice({ name: 'submissionForms', label: LABELS.submissionForms, checked: site.submissionForms, hint: 'A link on the page of each directory whose form is known. The API never has these links.' })}`,
)}
${fieldGroup(
  'Contact and links',
  html`${field({ name: 'currency', label: LABELS.currency, value: site.currency, maxLength: 3, hint: 'Of all prices on pages: three capital letters, such as USD.', error: marked.currency })}
${field({ name: 'contactEmail', label: LABELS.contactEmail, type: 'email', value: site.contactEmail, maxLength: 254, hint: 'Shown on the contact page; leave it empty to show none.', error: marked.contactEmail })}
${textarea({ name: 'links', label: LABELS.links, rows: 4, value: linksText(site), hint: 'Shown in the foot of every page, one a line: Blog | https://example.com/blog', error: marked.links })}
${textarea({ name: 'sellers', label: LABELS.sellers, rows: 3, value: sellersText(site), hint: 'Partners that sell packages, on the pages Submit and Pricing, one a line: Name | https://example.com/packages | What they offer | address of a stored picture. The last two may be left out.', error: marked.sellers })}`,
)}
${fieldGroup(
  'Home page',
  html`${textarea({ name: 'examples', label: LABELS.examples, rows: 3, value: site.examples.join('\n'), hint: 'Shown below the search, one a line, at most five. Leave it empty to have them made from the catalog.', error: marked.examples })}
${exampleList(examples)}`,
)}
${fieldGroup(
  'Pages, in Markdown',
  TEXTS.map(([name, label]) =>
    textarea({
      name,
      label,
      rows: 8,
      maxLength: 20_000,
      value: site.texts[name],
      error: marked[`texts.${name}`] ?? (name === 'about' ? marked.texts : undefined),
    }),
  ),
)}
${saveBar(button('Save'), button('Preview', { kind: 'plain', name: 'preview', value: 'true' }))}
</form>
<aside class="flow" aria-label="Preview">${preview}</aside>
</div>
${agents}
</div>`,
  }
}
