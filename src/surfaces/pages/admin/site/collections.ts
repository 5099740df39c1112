// Collections in the console: the list, and a form for each.
import type { FastifyReply } from 'fastify'
import { slugify } from '../../../../features/catalog/terms/slugify.ts'
import type { Collection } from '../../../../features/site/collections.schema.ts'
import {
  deleteCollection,
  getCollection,
  listCollections,
  putCollection,
} from '../../../../features/site/operations.ts'
import type { Context } from '../../../../kernel/context.ts'
import { capitalised } from '../../../../kernel/values/text.ts'
import { button, linkButton, saveBar } from '../../kit/button.ts'
import { badge, breadcrumbs, emptyState, sectionHead, tile } from '../../kit/components.ts'
import { action, save } from '../../kit/forms/actions.ts'
import { declareForm, deleteForm, type Refused, slugField, takenSlug } from '../../kit/forms/declared-form.ts'
import { field } from '../../kit/forms/field.ts'
import { refusalFlash, versionField } from '../../kit/forms/forms.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import { namedListing } from '../../kit/named-listing.ts'
import type { Visit, VisitHandler, VisitPages } from '../../kit/sending/private-pages.ts'
import { amount, number } from '../../kit/values.ts'
import { findDirectory, findTool } from '../../site/catalog-reads.ts'
import { DIRECTORY_LISTINGS, TOOL_LISTINGS } from '../listings/kinds.ts'

const PATH = '/admin/collections'
const NEW = `${PATH}/-/new`

const FORM = declareForm(putCollection, {
  name: { label: 'Name' },
  text: { label: 'Text', rows: 6, hint: 'What it is about, in Markdown.' },
  tools: {
    label: 'Tools',
    rows: 6,
    hint: 'Slugs or addresses of tools, one a line, in the order in which they are shown.',
    read: slugsOf,
  },
  directories: { label: 'Directories', rows: 4, hint: 'The same for directories.', read: slugsOf },
  published: { label: 'Visible', beside: 'Visitors see it' },
})

/** Slugs, or addresses of their pages, with white space or commas between them. */
function slugsOf(text: string): string[] {
  const slugs = text.split(/[\s,]+/).map((part) => part.replace(/[?#].*$/, '').replace(/^.*\//, ''))
  return [...new Set(slugs.filter(Boolean))]
}

type Form = ReturnType<typeof FORM.typed>
/** How many listings of each kind the picker finds. */
const FOUND = 6
const CATALOGS = [
  ['tools', TOOL_LISTINGS],
  ['directories', DIRECTORY_LISTINGS],
] as const

/**
 * Handles the form unless it was sent by the picker: by its button Find, by a button that adds a listing, or by Enter while it has words.
 * Then `page` shows the form again as it was typed, with the added listing.
 */
const orPick =
  (
    handler: VisitHandler,
    page: (visit: Visit, refused?: Refused, picked?: Form) => Promise<FastifyReply>,
  ): VisitHandler =>
  (visit) => {
    const { find, add, enter, q = '' } = visit.form
    if (find === undefined && add === undefined && (enter === undefined || q.trim() === '')) return handler(visit)
    const typed = FORM.typed(visit.form)
    const [to, slug = ''] = (add ?? '').split(' ')
    const [name] = CATALOGS.find(([name]) => name === to) ?? []
    return page(visit, undefined, { ...typed, ...(name && { [name]: `${typed[name] ?? ''}\n${slug}`.trim() }) })
  }

/** Finds listings by words, each with a button that adds it. */
async function picker(visit: Visit, path: string, typed: Form): Promise<Markup> {
  const q = (visit.form.q ?? '').trim().slice(0, 200)
  const found: Markup[] = []
  for (const [name, { kind, operations }] of CATALOGS) {
    const rows = q === '' ? [] : await visit.perform(operations.list, { q, published: true, limit: FOUND })
    const chosen = slugsOf(typed[name] ?? '')
    for (const one of rows)
      found.push(
        html`<li class="named">${tile(one.name, one.icon)}<span><bdi>${one.name}</bdi> <span class="note">${kind}</span></span><button type="submit" class="button plain slim" name="add" value="${name} ${one.slug}" formaction="${path}#picker" formnovalidate${chosen.includes(one.slug) && html` disabled`}>${chosen.includes(one.slug) ? 'Added' : 'Add'}<span class="visually-hidden">: ${one.name}</span></button></li>\n`,
      )
  }
  return html`<div class="picker" id="picker">${field({ name: 'q', label: 'Find tools and directories to add', type: 'search', value: q, maxLength: 200, placeholder: 'Name or website' })}<button type="submit" class="button plain" name="find" value="true" formaction="${path}#picker" formnovalidate>Find</button>
${found.length > 0 && html`<ul class="found">${found}</ul>`}${q !== '' && found.length === 0 && html`<p class="quiet">Nothing has these words. Try fewer.</p>`}</div>`
}

// Enter in a field presses the first button of the form. This hidden one saves, or finds if the picker has words; `orPick` decides.
const FIRST_BUTTON = html`<button type="submit" class="visually-hidden" tabindex="-1" aria-hidden="true" name="enter" value="true" formnovalidate>Save</button>`

const newSlug = ({ form: { slug = '', name = '' } }: Visit): string => slug.trim() || slugify(name)

export const collectionPages: VisitPages = {
  [PATH]: {
    GET: (visit) => showAll(visit),
    POST: orPick(
      save({
        form: FORM,
        page: showNew,
        operation: putCollection,
        parameters: (visit) => ({ slug: newSlug(visit), ifVersion: 0 }),
        refuse: (failure, visit) => takenSlug(failure, 'collection', newSlug(visit)),
        done: PATH,
        text: (visit) => `Created the collection ${newSlug(visit)}.`,
      }),
      showNew,
    ),
  },
  [NEW]: { GET: (visit) => showNew(visit) },
  [`${PATH}/:slug`]: {
    GET: (visit) => showOne(visit),
    POST: orPick(
      save({
        form: FORM,
        page: showOne,
        operation: putCollection,
        done: PATH,
        text: ({ param }) => `Saved the collection ${param('slug')}.`,
      }),
      showOne,
    ),
  },
  [`${PATH}/:slug/delete`]: {
    POST: action({
      operation: deleteCollection,
      back: ({ param }) => `${PATH}/${encodeURIComponent(param('slug'))}`,
      done: PATH,
      text: ({ param }) => `Deleted the collection ${param('slug')}.`,
    }),
  },
}

/** The slugs in the collection whose listings visitors do not see, because they are not published, deleted or for adults. */
const hiddenSlugs = (ctx: Context, { tools, directories }: Collection): string[] => [
  ...tools.filter((slug) => !findTool(ctx, slug)),
  ...directories.filter((slug) => !findDirectory(ctx, slug)),
]

const LOGOS = 6
const TOPICS = ['tools', 'directories'] as const

/** The published listing of the slug. */
const found = (visit: Visit, topic: (typeof TOPICS)[number], slug: string) => {
  const ctx = visit.ctx
  return topic === 'tools' ? findTool(ctx, slug) : findDirectory(ctx, slug)
}

/** The logos of the first listings. */
const logosOf = (visit: Visit, collection: Collection): Markup =>
  html`<span class="named">${TOPICS.flatMap((topic) => collection[topic].map((slug) => found(visit, topic, slug)))
    .filter((one) => one !== null)
    .slice(0, LOGOS)
    .map(({ name, icon }) => tile(name, icon))}</span>`

/** What the slugs of the form stand for, beside the form: the names and logos, in their order. */
function listingsOf(visit: Visit, typed: Form): Markup {
  const panels = TOPICS.map((topic): [string, Markup[]] => [
    topic,
    slugsOf(typed[topic] ?? '').map((slug) => {
      const listing = found(visit, topic, slug)
      return html`<li>${listing ? namedListing(visit, topic, { slug, name: listing.name }) : html`<bdi>${slug}</bdi> ${badge('Not shown', 'notice')}`}</li>\n`
    }),
  ])
  return html`<div class="flow">${panels.map(([topic, rows]) => rows.length > 0 && html`<section class="panel flow" aria-label="${capitalised(topic)} in it">${sectionHead(html`${capitalised(topic)} <span class="count">${rows.length}</span>`)}<ol class="links lines">${rows}</ol></section>`)}</div>`
}

async function showAll(visit: Visit): Promise<FastifyReply> {
  return visit.send({
    title: 'Collections',
    body: html`<div class="flow">
<div class="row apart"><h1>Collections</h1>${linkButton(NEW, 'Add a collection')}</div>
<p class="lead">Lists of tools and directories for a purpose, with a text of your own. Visitors find them at <a href="/collections">/collections</a>.</p>
${table({
  caption: 'Collections',
  columns: [
    {
      label: 'Name',
      cell: ({ slug, name }) => html`<a href="${PATH}/${slug}"><bdi>${name}</bdi></a>`,
      rowHeader: true,
    },
    {
      label: 'Listings',
      onPhones: 'unlabelled',
      className: 'broad',
      cell: (one) =>
        html`${logosOf(visit, one)}<span class="note">${amount(one.tools.length, 'tool', 'tools')}, ${amount(one.directories.length, 'directory', 'directories')}</span>`,
    },
    {
      label: 'State',
      onPhones: 'unlabelled',
      cell: ({ slug, published }) =>
        published ? html`<a href="/collections/${slug}">${badge('Visible', 'good')}</a>` : badge('Hidden'),
    },
  ],
  rows: await visit.perform(listCollections, {}),
  empty: emptyState({ title: 'No collections yet' }),
})}
</div>`,
  })
}

async function showNew(visit: Visit, refused?: Refused, picked?: Form): Promise<FastifyReply> {
  const typed = refused?.typed ?? picked ?? { published: 'true' }
  const page = {
    title: 'New collection',
    flash: refusalFlash(refused),
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Collections', href: PATH }, { label: 'New collection' }])}
<h1>New collection</h1>
<div class="beside">
<form class="form panel" method="post" action="${PATH}">
${visit.token}${FIRST_BUTTON}
${FORM.fields(typed, refused?.marked, { name: { after: slugField(visit, refused) }, text: { after: await picker(visit, PATH, typed) } })}
${saveBar(button('Create the collection'), linkButton(PATH, 'Cancel', { kind: 'plain' }))}
</form>
${listingsOf(visit, typed)}
</div>
</div>`,
  }
  return visit.send(page, refused?.status)
}

async function showOne(visit: Visit, refused?: Refused, picked?: Form): Promise<FastifyReply> {
  const stored = await visit.perform(getCollection, { slug: visit.param('slug') })
  const typed = refused?.typed ?? picked ?? FORM.of(stored)
  const missing = hiddenSlugs(visit.ctx, stored)
  const path = `${PATH}/${stored.slug}`
  const page = {
    title: stored.name,
    flash: refusalFlash(refused),
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Collections', href: PATH }, { label: stored.name }])}
<h1><bdi>${stored.name}</bdi></h1>
<p class="note">Slug <code>${stored.slug}</code>${stored.published && html` · <a href="/collections/${stored.slug}">its page</a>`}</p>
${missing.length > 0 && html`<p class="flash notice">Visitors do not see ${missing.length === 1 ? 'this one' : `these ${number(missing.length)}`}, because they are not listed or are for adults: <code>${missing.join(', ')}</code></p>`}
<div class="beside">
<form class="form panel" method="post" action="${path}">
${visit.token}${versionField({ version: Number((picked && visit.form.version) ?? stored.version) })}${FIRST_BUTTON}
${refused && FORM.storedBeside(refused.typed, stored)}
${FORM.fields(typed, refused?.marked, { text: { after: await picker(visit, path, typed) } })}
${saveBar(button('Save'), linkButton(PATH, 'Cancel', { kind: 'plain' }))}
</form>
${listingsOf(visit, typed)}
</div>
${sectionHead('Delete')}
${deleteForm(visit, stored, path, 'Delete the collection', html`<strong><bdi>${stored.name}</bdi></strong> is gone for good; its tools and directories stay.`, 'Delete it')}
</div>`,
  }
  return visit.send(page, refused?.status)
}
