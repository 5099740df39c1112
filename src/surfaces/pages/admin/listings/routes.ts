// The pages for work on tools and directories. They use the operations of the operator API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { localPath } from '../../../../features/accounts/rules.ts'
import { entryOperations } from '../../../../features/listings/operations.ts'
import { slugify } from '../../../../features/submissions/rules.ts'
import { Failure } from '../../../../kernel/errors.ts'
import { withEmptyValues } from '../../../../kernel/shape.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import type { Service } from '../../../http/service.ts'
import { readBufferedUploads } from '../../kit/buffered-uploads.ts'
import type { Flash } from '../../kit/flash.ts'
import { csrfField, csrfValues, formOf } from '../../kit/forms.ts'
import type { Markup } from '../../kit/markup.ts'
import { redirectWith } from '../../kit/messages.ts'
import { readListPage } from '../../kit/paged-lists.ts'
import { param } from '../../kit/parameters.ts'
import { actAndRedirect, addPrivatePages, isCorrectable, performAs } from '../../kit/private-pages.ts'
import { filtersOf } from '../filtered-lists.ts'
import { sendAdmin } from '../frame.ts'
import { expectedVersionOf } from '../version-field.ts'
import { type ListingForm, type ListingTerm, withMoreRows } from './form.ts'
import { problemsOf } from './form-problems.ts'
import { DIRECTORIES, type ListingKind, type StoredListing, TOOLS } from './kinds.ts'
import { merge, mergeSummary } from './merge.ts'
import {
  deleteListingPage,
  editListingPage,
  listingPath,
  listingPreviewPage,
  listingsPage,
  newListingPage,
} from './pages.ts'
import { LISTING_FORM_BYTES, storeUploads } from './uploads.ts'
import { bodyOfForm, type Form, fingerprints, formOfListing, type ParsedForm, type Values } from './values.ts'

// Enough for all texts of a listing at their maximum length, percent-encoded.
const FORM_LIMIT = 2 * 1024 * 1024

export const addToolPages = (server: FastifyInstance, service: Service): void => addListingPages(server, service, TOOLS)
export const addDirectoryPages = (server: FastifyInstance, service: Service): void =>
  addListingPages(server, service, DIRECTORIES)

function addListingPages(server: FastifyInstance, service: Service, kind: ListingKind): void {
  const pages = createListingPages(service, kind)
  addPrivatePages(
    server,
    service,
    'admin',
    {
      [kind.base]: { GET: pages.list, POST: pages.create },
      [`${kind.base}/-/new`]: { GET: pages.showNew },
      [`${kind.base}/:slug`]: { GET: pages.show, POST: pages.save },
      [`${kind.base}/:slug/preview`]: { GET: pages.preview },
      [`${kind.base}/:slug/change`]: { POST: pages.change },
      [`${kind.base}/:slug/delete`]: { GET: pages.confirmDelete, POST: pages.remove },
    },
    readBufferedUploads(LISTING_FORM_BYTES + FORM_LIMIT, FORM_LIMIT),
  )
}

type Terms = Record<string, readonly ListingTerm[]>

function createListingPages(service: Service, kind: ListingKind) {
  const { operations } = kind

  const find = (request: FastifyRequest, slug = param(request, 'slug')) =>
    performAs(service, request, operations.get, { slug })
  const adultReason = (request: FastifyRequest, stored: StoredListing) =>
    kind.adultReason(stored, service.context(identifiedCaller(request)).catalog.snapshot().taxonomy)

  async function termsFor(request: FastifyRequest): Promise<Terms> {
    const terms: Terms = {}
    for (const [field, term] of Object.entries(kind.terms))
      terms[field] = await performAs(service, request, entryOperations[term].list, { limit: 1000 })
    return terms
  }

  const parse = (form: Form, terms: Terms, refused: ParsedForm['problems'] = {}): ParsedForm => {
    const { body, problems } = bodyOfForm(kind.groups, form, slugFinder(terms))
    return { body, problems: { ...problems, ...refused } }
  }
  const normalised = (stored: Values, terms: Terms) => {
    const form = formOfListing(kind.groups, stored)
    return { form, body: parse(form, terms).body }
  }

  interface ShownForm {
    stored: StoredListing
    terms: Terms
    form: Form
    problems?: Record<string, string>
    opened?: ListingForm['opened']
    changes?: Markup
    flash?: readonly Flash[]
    status?: number
  }

  function showForm(request: FastifyRequest, reply: FastifyReply, shown: ShownForm): Promise<FastifyReply> {
    const { stored, terms, form, problems = {}, changes, flash } = shown
    const opened = shown.opened ?? openedState(stored, terms)
    const page = editListingPage({
      kind,
      stored,
      adult: adultReason(request, stored),
      form: { token: csrfField(request), form, problems, terms, opened },
      values: csrfValues(request),
      changes,
      flash,
    })
    return sendAdmin(service, request, reply, page, shown.status)
  }

  const openedState = (stored: StoredListing, terms: Terms): ListingForm['opened'] => ({
    version: stored.version,
    base: fingerprints(kind.groups, normalised(stored, terms).body),
  })

  return {
    list: async (request: FastifyRequest, reply: FastifyReply) => {
      const filters = filtersOf(request, kind.filters)
      const list = await readListPage(service, request, operations.list, filters)
      const { taxonomy } = service.context(identifiedCaller(request)).catalog.snapshot()
      const page = listingsPage(
        kind,
        list,
        filters,
        taxonomy,
        (stored) => adultReason(request, stored),
        csrfValues(request),
      )
      return sendAdmin(service, request, reply, page)
    },

    showNew: async (request: FastifyRequest, reply: FastifyReply) => {
      const terms = await termsFor(request)
      const form = { published: 'true' }
      const page = newListingPage(kind, {
        token: csrfField(request),
        form,
        problems: {},
        terms,
        opened: NEW_LISTING,
        slug: '',
      })
      return sendAdmin(service, request, reply, page)
    },

    create: async (request: FastifyRequest, reply: FastifyReply) => {
      const { form, refused } = await storeUploads(service, request, kind, formOf(request))
      const terms = await termsFor(request)
      const showFormAgain = (
        shown: Form,
        problems: Record<string, string>,
        flash: readonly Flash[],
        status: number,
      ) => {
        const token = csrfField(request)
        const page = newListingPage(
          kind,
          { token, form: shown, problems, terms, opened: NEW_LISTING, slug: form.slug ?? '' },
          flash,
        )
        return sendAdmin(service, request, reply, page, status)
      }
      const more = withRequestedRows(form)
      if (more) return showFormAgain(more, refused, [], 200)
      const typed = parse(form, terms, refused)
      const slug = form.slug?.trim() || slugify(form.name ?? '')
      try {
        if (Object.keys(typed.problems).length > 0) throw new Failure(400, Object.values(typed.problems).join(' '))
        await performAs(service, request, operations.put, { slug, ifVersion: 0 }, typed.body)
      } catch (error) {
        if (!(error instanceof Failure) || (error.status !== 400 && error.status !== 409)) throw error
        const { problems, flash } = problemsOf(kind, slug, typed, error.status === 400 ? error : null)
        if (error.status === 409) problems.slug = `There is a ${kind.kind} ${slug} already. Choose another slug.`
        return showFormAgain(form, problems, flash, error.status)
      }
      const successText = `Created ${typed.body.name}.`
      return redirectWith(service, reply, listingPath(kind, slug), { kind: 'good', text: successText })
    },

    show: async (request: FastifyRequest, reply: FastifyReply) => {
      const stored = await find(request)
      const terms = await termsFor(request)
      return showForm(request, reply, { stored, terms, form: normalised(stored, terms).form })
    },

    save: async (request: FastifyRequest, reply: FastifyReply) => {
      const { form, refused } = await storeUploads(service, request, kind, formOf(request))
      const slug = param(request, 'slug')
      const terms = await termsFor(request)
      // A form without a version counts as version 0, so the operation refuses it and the page shows the stored values.
      const { ifVersion = '0' } = expectedVersionOf(request)
      const opened = { version: Number(ifVersion), base: parseJsonObject(form.base) }
      const more = withRequestedRows(form)
      if (more)
        return showForm(request, reply, {
          stored: await storedOrFromForm(request, slug, form),
          terms,
          form: more,
          problems: refused,
          opened,
        })
      const typed = parse(form, terms, refused)
      try {
        if (Object.keys(typed.problems).length > 0) throw new Failure(400, Object.values(typed.problems).join(' '))
        await performAs(service, request, operations.put, { slug, ifVersion }, typed.body)
      } catch (error) {
        if (error instanceof Failure && error.status === 409)
          return showConflict(request, reply, error, { slug, base: opened.base, form, typed, terms })
        if (!isCorrectable(error)) throw error
        const stored = await storedOrFromForm(request, slug, form)
        return showForm(request, reply, {
          stored,
          terms,
          form,
          opened,
          ...problemsOf(kind, slug, typed, error),
          status: 400,
        })
      }
      return redirectWith(service, reply, listingPath(kind, slug), { kind: 'good', text: 'Saved.' })
    },

    preview: async (request: FastifyRequest, reply: FastifyReply) => {
      const stored = await find(request)
      return sendAdmin(
        service,
        request,
        reply,
        listingPreviewPage(
          kind,
          stored,
          stored.broken ? null : kind.preview(stored, service.context(identifiedCaller(request))),
        ),
      )
    },

    change: async (request: FastifyRequest, reply: FastifyReply) => {
      const { id, published, featured, back } = formOf(request)
      const slug = param(request, 'slug')
      const body = {
        ...(published ? { published: published === 'true' } : {}),
        ...(featured ? { featured: featured === 'true' } : {}),
      }
      const path = listingPath(kind, slug)
      const successText = changeText(kind, published, featured)
      return actAndRedirect(service, reply, { back: path, done: localPath(back, path), successText }, () =>
        performAs(
          service,
          request,
          operations.change,
          { slug, ...(id ? { id } : {}), ...expectedVersionOf(request) },
          body,
        ),
      )
    },

    confirmDelete: async (request: FastifyRequest, reply: FastifyReply) =>
      sendAdmin(service, request, reply, deleteListingPage(kind, await find(request), csrfField(request))),

    remove: async (request: FastifyRequest, reply: FastifyReply) => {
      const slug = param(request, 'slug')
      const back = listingPath(kind, slug)
      return actAndRedirect(
        service,
        reply,
        { back, done: kind.base, successText: `Deleted the ${kind.kind} ${slug}.` },
        () => performAs(service, request, operations.remove, { slug, ...expectedVersionOf(request) }),
      )
    },
  }

  /** The stored listing. If it was deleted in the meantime, a listing made from the form replaces it. */
  async function storedOrFromForm(request: FastifyRequest, slug: string, form: Form): Promise<StoredListing> {
    try {
      return await find(request, slug)
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 404) throw error
      const typed = { slug, name: form.name ?? slug, published: false, createdAt: new Date(), updatedAt: new Date() }
      return withEmptyValues(operations.get.data, typed)
    }
  }

  async function showConflict(
    request: FastifyRequest,
    reply: FastifyReply,
    { message }: Failure,
    given: { slug: string; base: ListingForm['opened']['base']; form: Form; typed: ParsedForm; terms: Terms },
  ): Promise<FastifyReply> {
    const { slug, base, form, typed, terms } = given
    const stored = await storedOrFromForm(request, slug, form)
    const notice = (text: string) => [{ kind: 'notice' as const, text, isPermanent: true }]
    const status = 409
    if (stored.id === '') {
      const flash = notice(`${message} Saving now creates it again.`)
      return showForm(request, reply, { stored, terms, form, opened: NEW_LISTING, flash, status })
    }
    const merged = merge(kind.groups, base, { form, body: typed.body }, normalised(stored, terms))
    const flash = notice(message)
    return showForm(request, reply, { stored, terms, form: merged.form, flash, changes: mergeSummary(merged), status })
  }
}

const NEW_LISTING: ListingForm['opened'] = { version: 0, base: {} }

/** The button `do=more features` adds rows and saves nothing. */
function withRequestedRows(form: Form): Record<string, string> | null {
  const [, name] = /^more (\w+)$/.exec(form.do ?? '') ?? []
  return name ? withMoreRows(form, name) : null
}

const slugFinder = (terms: Terms) => {
  const byName = new Map(
    Object.values(terms).flatMap((list) => list.map(({ slug, name }) => [name.trim().toLowerCase(), slug])),
  )
  return (term: string) => byName.get(term.toLowerCase()) ?? term.toLowerCase()
}

function parseJsonObject(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** What the buttons for publication and featuring say afterwards. */
function changeText(kind: ListingKind, published: string | undefined, featured: string | undefined): string {
  if (published === 'true') return 'Published.'
  if (published)
    return kind.kind === 'tool'
      ? 'Hidden. New submissions for its host wait for an administrator.'
      : 'Hidden: it is a draft now.'
  return featured === 'true' ? 'Featured.' : 'No longer featured.'
}
