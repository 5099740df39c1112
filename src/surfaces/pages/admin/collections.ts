// Collections in the console: the list, and a form for each.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  deleteCollection,
  getCollection,
  listCollections,
  putCollection,
} from '../../../features/site/collections.operations.ts'
import type { Collection } from '../../../features/site/collections.schema.ts'
import { slugify } from '../../../features/submissions/rules.ts'
import type { Context } from '../../../kernel/context.ts'
import { Failure } from '../../../kernel/errors.ts'
import { identifiedCaller } from '../../http/gate.ts'
import type { Service } from '../../http/service.ts'
import { badge } from '../kit/badge.ts'
import { breadcrumbs } from '../kit/breadcrumbs.ts'
import { button, linkButton } from '../kit/button.ts'
import { sectionHead } from '../kit/card.ts'
import { emptyState } from '../kit/empty-state.ts'
import { choice, field, textarea } from '../kit/field.ts'
import { csrfField, formOf } from '../kit/forms.ts'
import { html, type Markup } from '../kit/markup.ts'
import { redirectWith } from '../kit/messages.ts'
import { param } from '../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, performAs } from '../kit/private-pages.ts'
import { type Refusal, refusalFlash, refusalOf } from '../kit/problems.ts'
import { table } from '../kit/table.ts'
import { number } from '../kit/values.ts'
import { findDirectory, findTool } from '../site/slug-lists.ts'
import { sendAdmin } from './frame.ts'
import { expectedVersionOf, storedValues, versionField } from './version-field.ts'

const PATH = '/admin/collections'
const LABELS = {
  name: 'Name',
  slug: 'Slug',
  text: 'Text',
  tools: 'Tools',
  directories: 'Directories',
  published: 'Visible',
}

/** The values in the form, as texts. */
interface TypedCollection {
  slug: string
  name: string
  text: string
  /** Slugs, one a line. */
  tools: string
  directories: string
  published: boolean
}

const NEW: TypedCollection = { slug: '', name: '', text: '', tools: '', directories: '', published: true }

export function addCollectionPages(server: FastifyInstance, service: Service): void {
  addPrivatePages(server, service, 'admin', {
    [PATH]: {
      GET: (request, reply) => showAll(service, request, reply, NEW),
      POST: (request, reply) => create(service, request, reply),
    },
    [`${PATH}/:slug`]: {
      GET: (request, reply) => showOne(service, request, reply),
      POST: (request, reply) => save(service, request, reply),
    },
    [`${PATH}/:slug/delete`]: {
      POST: (request, reply) => {
        const slug = param(request, 'slug')
        const back = `${PATH}/${encodeURIComponent(slug)}`
        return actAndRedirect(
          service,
          reply,
          { back, done: PATH, successText: `Deleted the collection ${slug}.` },
          () => performAs(service, request, deleteCollection, { slug, ...expectedVersionOf(request) }),
        )
      },
    },
  })
}

async function showAll(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: TypedCollection,
  refusal?: Refusal,
): Promise<FastifyReply> {
  const collections = await performAs(service, request, listCollections, {})
  const page = listPage(collections, typed, csrfField(request), refusal)
  return sendAdmin(service, request, reply, page, refusal ? 400 : 200)
}

async function showOne(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  typed?: TypedCollection,
  refusal?: Refusal,
  status = 200,
): Promise<FastifyReply> {
  const stored = await performAs(service, request, getCollection, { slug: param(request, 'slug') })
  const shown = typed ?? fromStored(stored)
  const missing = missingIn(service.context(identifiedCaller(request)), stored)
  return sendAdmin(service, request, reply, onePage(stored, shown, missing, csrfField(request), refusal), status)
}

async function create(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const typed = typedCollection(request)
  const slug = typed.slug.trim() || slugify(typed.name)
  try {
    await performAs(service, request, putCollection, { slug, ifVersion: 0 }, bodyOf(typed))
  } catch (error) {
    if (!(error instanceof Failure) || (error.status !== 400 && error.status !== 409)) throw error
    const taken = `There is a collection ${slug} already. Choose another slug.`
    const refusal = error.status === 409 ? { text: taken, marked: { slug: taken } } : refusalOf(error, LABELS)
    return showAll(service, request, reply, typed, refusal)
  }
  return redirectWith(service, reply, PATH, { kind: 'good', text: `Created the collection ${slug}.` })
}

async function save(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const slug = param(request, 'slug')
  const typed = { ...typedCollection(request), slug }
  try {
    await performAs(service, request, putCollection, { slug, ...expectedVersionOf(request) }, bodyOf(typed))
  } catch (error) {
    if (!(error instanceof Failure) || (error.status !== 400 && error.status !== 409)) throw error
    return showOne(service, request, reply, typed, refusalOf(error, LABELS), error.status)
  }
  return redirectWith(service, reply, PATH, { kind: 'good', text: `Saved the collection ${slug}.` })
}

function typedCollection(request: FastifyRequest): TypedCollection {
  const { slug = '', name = '', text = '', tools = '', directories = '', published } = formOf(request)
  return { slug, name, text: text.replace(/\r\n/g, '\n'), tools, directories, published: published === 'true' }
}

/** Slugs, or addresses of their pages, with white space or commas between them. */
const slugsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,]+/)
      .map((part) => part.replace(/[?#].*$/, '').replace(/^.*\//, ''))
      .filter(Boolean),
  ),
]

const bodyOf = (typed: TypedCollection) => ({
  name: typed.name.trim(),
  text: typed.text.trim(),
  tools: slugsOf(typed.tools),
  directories: slugsOf(typed.directories),
  published: typed.published,
})

const fromStored = ({ slug, name, text, tools, directories, published }: Collection): TypedCollection => ({
  slug,
  name,
  text,
  tools: tools.join('\n'),
  directories: directories.join('\n'),
  published,
})

/** Slugs that visitors do not see: of listings that are not published, not there, or for adults. */
const missingIn = (ctx: Context, { tools, directories }: Collection): string[] => [
  ...tools.filter((slug) => !findTool(ctx, slug)),
  ...directories.filter((slug) => !findDirectory(ctx, slug)),
]

const listPage = (collections: readonly Collection[], typed: TypedCollection, token: Markup, refusal?: Refusal) => ({
  title: 'Collections',
  flash: refusalFlash(refusal),
  body: html`<div class="flow">
<h1>Collections</h1>
<p class="lead">Lists of tools and directories for a purpose, with a text of your own. Visitors find them at <a href="/collections">/collections</a>.</p>
${table({
  caption: 'Collections',
  columns: [
    {
      label: 'Name',
      cell: ({ slug, name }) => html`<a href="${PATH}/${slug}"><bdi>${name}</bdi></a>`,
      rowHeader: true,
    },
    { label: 'Tools', cell: ({ tools }) => tools.length, kind: 'number' },
    { label: 'Directories', cell: ({ directories }) => directories.length, kind: 'number' },
    {
      label: 'State',
      cell: ({ slug, published }) =>
        published ? html`<a href="/collections/${slug}">${badge('Visible', 'good')}</a>` : badge('Hidden'),
    },
  ],
  rows: collections,
  empty: emptyState({ title: 'No collections yet', text: 'Make the first one below.' }),
})}
${sectionHead('New collection')}
<form class="form wide" method="post" action="${PATH}">
${token}${fields(typed, true, refusal?.marked)}
<div class="row">${button('Create the collection')}</div>
</form>
</div>`,
})

const onePage = (
  stored: Collection,
  typed: TypedCollection,
  missing: readonly string[],
  token: Markup,
  refusal?: Refusal,
) => ({
  title: stored.name,
  flash: refusalFlash(refusal),
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Collections', href: PATH }, { label: stored.name }])}
<h1><bdi>${stored.name}</bdi></h1>
<p class="note">Slug <code>${stored.slug}</code>${stored.published && html` · <a href="/collections/${stored.slug}">its page</a>`}</p>
${missing.length > 0 && html`<p class="flash notice">Visitors do not see ${missing.length === 1 ? 'this one' : `these ${number(missing.length)}`}, because they are not listed or are for adults: <code>${missing.join(', ')}</code></p>`}
<form class="form wide" method="post" action="${PATH}/${stored.slug}">
${token}${versionField(stored)}
${refusal && storedValues([...shownFields(stored, typed)])}
${fields(typed, false, refusal?.marked)}
<div class="row save-bar">${button('Save')}${linkButton(PATH, 'Cancel', { kind: 'plain' })}</div>
</form>
${sectionHead('Delete')}
<details class="confirm"><summary class="button danger">Delete the collection</summary><div><p><strong><bdi>${stored.name}</bdi></strong> is gone for good; its tools and directories stay.</p><form method="post" action="${PATH}/${stored.slug}/delete">${token}${versionField(stored)}${button('Delete it', { kind: 'danger' })}</form></div></details>
</div>`,
})

const shownFields = (stored: Collection, typed: TypedCollection) => {
  const now = fromStored(stored)
  const texts = ['name', 'text', 'tools', 'directories'] as const
  const visible = ({ published }: TypedCollection) => (published ? 'Yes' : 'No')
  return [
    ...texts.map((name) => [LABELS[name], typed[name], now[name]] as const),
    [LABELS.published, visible(typed), visible(now)] as const,
  ]
}

const fields = (typed: TypedCollection, isNew: boolean, marked: Refusal['marked'] = {}): Markup =>
  html`${field({ name: 'name', label: LABELS.name, error: marked.name, value: typed.name, required: true, maxLength: 100 })}
${isNew && field({ name: 'slug', label: LABELS.slug, error: marked.slug, value: typed.slug, maxLength: 100, spellcheck: false, hint: 'Part of its address, and stays. Empty: made from the name.' })}
${textarea({ name: 'text', label: LABELS.text, error: marked.text, value: typed.text, rows: 6, maxLength: 20_000, hint: 'What it is about, in Markdown.' })}
${textarea({ name: 'tools', label: LABELS.tools, error: marked.tools, value: typed.tools, rows: 6, hint: 'Slugs or addresses of tools, one a line, in the order in which they are shown.' })}
${textarea({ name: 'directories', label: LABELS.directories, error: marked.directories, value: typed.directories, rows: 4, hint: 'The same for directories.' })}
${choice({ name: 'published', label: 'Visitors see it', checked: typed.published, error: marked.published })}`
