// The routes of the pages on which administrators create, edit, publish and delete tools and directories.
import type { FastifyReply } from 'fastify'
import { localPath } from '../../../../features/accounts/rules.ts'
import { slugify } from '../../../../features/catalog/terms/slugify.ts'
import { entryOperations } from '../../../../features/listings/operations.ts'
import { withEmptyValues } from '../../../../kernel/checks/shape.ts'
import { Failure } from '../../../../kernel/errors.ts'
import type { Flash } from '../../kit/components.ts'
import { action } from '../../kit/forms/actions.ts'
import { expectedVersionOf } from '../../kit/forms/forms.ts'
import { readBufferedUploads } from '../../kit/forms/uploads.ts'
import type { Markup } from '../../kit/markup.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { type ListingForm, type ListingTerm, problemsOf, withMoreRows } from './form.ts'
import type { ListingKind, StoredListing } from './kinds.ts'
import * as listingPage from './pages.ts'
import { MAX_FILES_BYTES, storeUploads } from './uploads.ts'
import * as formValues from './values.ts'

// In bytes: enough for all texts of a listing at their maximum length, percent-encoded.
const FORM_LIMIT = 2 * 1024 * 1024

export const readListingForms = readBufferedUploads(MAX_FILES_BYTES + FORM_LIMIT, FORM_LIMIT)

export const listingPages = (kind: ListingKind): VisitPages => {
  const pages = createListingPages(kind)
  return {
    [kind.base]: { GET: (visit) => listingPage.showListings(visit, kind), POST: pages.create },
    [`${kind.base}/-/new`]: { GET: pages.showNew },
    [`${kind.base}/:slug`]: { GET: pages.show, POST: pages.save },
    [`${kind.base}/:slug/preview`]: { GET: pages.preview },
    [`${kind.base}/:slug/change`]: { POST: pages.change },
    [`${kind.base}/:slug/delete`]: {
      GET: pages.confirmDelete,
      POST: action({
        operation: kind.operations.remove,
        back: ({ param }) => listingPage.listingPath(kind, param('slug')),
        done: kind.base,
        text: ({ param }) => `Deleted the ${kind.kind} ${param('slug')}.`,
      }),
    },
  }
}

type Terms = Record<string, readonly ListingTerm[]>

function createListingPages(kind: ListingKind) {
  const { operations } = kind

  const find = (visit: Visit, slug = visit.param('slug')) => visit.perform(operations.get, { slug })
  const adultReason = (visit: Visit, stored: StoredListing) =>
    kind.adultReason(stored, visit.ctx.catalog.snapshot().taxonomy)

  async function termsFor(visit: Visit): Promise<Terms> {
    const terms: Terms = {}
    for (const [field, term] of Object.entries(kind.terms))
      terms[field] = await visit.perform(entryOperations[term].list, { limit: 1000 })
    return terms
  }

  const parse = (
    form: formValues.Form,
    terms: Terms,
    refused: formValues.ParsedForm['problems'] = {},
  ): formValues.ParsedForm => {
    const { body, problems } = formValues.bodyOfForm(kind.groups, form, slugFinder(terms))
    return { body, problems: { ...problems, ...refused } }
  }
  const formAndBodyOf = (stored: formValues.Values, terms: Terms) => {
    const form = formValues.formOfListing(kind.groups, stored)
    return { form, body: parse(form, terms).body }
  }

  interface ShownForm {
    stored: StoredListing
    terms: Terms
    form: formValues.Form
    problems?: Record<string, string>
    opened?: ListingForm['opened']
    changes?: Markup
    flash?: readonly Flash[]
    status?: number
  }

  function showForm(visit: Visit, shown: ShownForm): Promise<FastifyReply> {
    const { stored, terms, form, problems = {}, changes, flash } = shown
    const opened = shown.opened ?? openedState(stored, terms)
    const page = listingPage.editListingPage({
      kind,
      stored,
      adult: adultReason(visit, stored),
      hasNumbers: kind.kind === 'tool' && visit.service.founders !== 'off',
      form: { token: visit.token, form, problems, terms, opened },
      values: visit.values,
      changes,
      flash,
    })
    return visit.send(page, shown.status)
  }

  /**
   * The version of the listing and a fingerprint of each field, which the form contains. If another user saves in the meantime, `merge`
   * finds out by them who changed which field.
   */
  const openedState = (stored: StoredListing, terms: Terms): ListingForm['opened'] => ({
    version: stored.version,
    base: formValues.fingerprints(kind.groups, formAndBodyOf(stored, terms).body),
  })

  return {
    showNew: async (visit: Visit) => {
      const terms = await termsFor(visit)
      const form = { published: 'true' }
      const page = listingPage.newListingPage(kind, {
        token: visit.token,
        form,
        problems: {},
        terms,
        opened: NEW_LISTING,
        slug: '',
      })
      return visit.send(page)
    },

    create: async (visit: Visit) => {
      const { form, refused } = await storeUploads(visit, kind, visit.form)
      const terms = await termsFor(visit)
      const showFormAgain = (
        shown: formValues.Form,
        problems: Record<string, string>,
        flash: readonly Flash[],
        status: number,
      ) => {
        const token = visit.token
        const page = listingPage.newListingPage(
          kind,
          { token, form: shown, problems, terms, opened: NEW_LISTING, slug: form.slug ?? '' },
          flash,
        )
        return visit.send(page, status)
      }
      const more = withRequestedRows(form)
      if (more) return showFormAgain(more, refused, [], 200)
      const typed = parse(form, terms, refused)
      const slug = form.slug?.trim() || slugify(form.name ?? '')
      try {
        if (Object.keys(typed.problems).length > 0) throw new Failure(400, Object.values(typed.problems).join(' '))
        await visit.perform(operations.put, { slug, ifVersion: 0 }, typed.body)
      } catch (error) {
        if (!(error instanceof Failure) || (error.status !== 400 && error.status !== 409)) throw error
        const { problems, flash } = problemsOf(kind, slug, typed, error.status === 400 ? error : null)
        if (error.status === 409) problems.slug = `There is a ${kind.kind} ${slug} already. Choose another slug.`
        return showFormAgain(form, problems, flash, error.status)
      }
      const successText = `Created ${typed.body.name}.`
      return visit.redirect(listingPage.listingPath(kind, slug), { kind: 'good', text: successText })
    },

    show: async (visit: Visit) => {
      const stored = await find(visit)
      const terms = await termsFor(visit)
      return showForm(visit, { stored, terms, form: formAndBodyOf(stored, terms).form })
    },

    save: async (visit: Visit) => {
      const { form, refused } = await storeUploads(visit, kind, visit.form)
      const slug = visit.param('slug')
      const terms = await termsFor(visit)
      // A form without a version counts as version 0, so the operation refuses it and the page shows the stored values.
      const { ifVersion = '0' } = expectedVersionOf(visit)
      const opened = { version: Number(ifVersion), base: formValues.baseIn(form) }
      const more = withRequestedRows(form)
      if (more)
        return showForm(visit, {
          stored: await storedOrFromForm(visit, slug, form),
          terms,
          form: more,
          problems: refused,
          opened,
        })
      const typed = parse(form, terms, refused)
      try {
        if (Object.keys(typed.problems).length > 0) throw new Failure(400, Object.values(typed.problems).join(' '))
        await visit.perform(operations.put, { slug, ifVersion }, typed.body)
      } catch (error) {
        if (error instanceof Failure && error.status === 409)
          return showConflict(visit, error, { slug, base: opened.base, form, typed, terms })
        if (!isCorrectable(error)) throw error
        const stored = await storedOrFromForm(visit, slug, form)
        return showForm(visit, { stored, terms, form, opened, ...problemsOf(kind, slug, typed, error), status: 400 })
      }
      return visit.redirect(listingPage.listingPath(kind, slug), { kind: 'good', text: 'Saved.' })
    },

    preview: async (visit: Visit) => {
      const stored = await find(visit)
      return visit.send(
        listingPage.listingPreviewPage(kind, stored, stored.broken ? null : kind.preview(stored, visit.ctx)),
      )
    },

    change: action({
      operation: operations.change,
      parameters: ({ param, form: { id } }) => ({ slug: param('slug'), ...(id ? { id } : {}) }),
      body: ({ form: { published, featured } }) => ({
        ...(published ? { published: published === 'true' } : {}),
        ...(featured ? { featured: featured === 'true' } : {}),
      }),
      back: ({ param }) => listingPage.listingPath(kind, param('slug')),
      done: ({ param, form }) => localPath(form.back, listingPage.listingPath(kind, param('slug'))),
      text: ({ form: { published, featured } }) => changeText(kind, published, featured),
    }),

    confirmDelete: async (visit: Visit) =>
      visit.send(listingPage.deleteListingPage(kind, await find(visit), visit.token)),
  }

  /** The stored listing; if it was deleted in the meantime, one that is made from the form and has no id. */
  async function storedOrFromForm(visit: Visit, slug: string, form: formValues.Form): Promise<StoredListing> {
    try {
      return await find(visit, slug)
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 404) throw error
      const typed = { slug, name: form.name ?? slug, published: false, createdAt: new Date(), updatedAt: new Date() }
      return withEmptyValues(operations.get.data, typed)
    }
  }

  async function showConflict(
    visit: Visit,
    { message }: Failure,
    given: {
      slug: string
      base: ListingForm['opened']['base']
      form: formValues.Form
      typed: formValues.ParsedForm
      terms: Terms
    },
  ): Promise<FastifyReply> {
    const { slug, base, form, typed, terms } = given
    const stored = await storedOrFromForm(visit, slug, form)
    const notice = (text: string) => [{ kind: 'notice' as const, text, isPermanent: true }]
    const status = 409
    if (stored.id === '') {
      const flash = notice(`${message} Saving now creates it again.`)
      return showForm(visit, { stored, terms, form, opened: NEW_LISTING, flash, status })
    }
    const merged = formValues.merge(kind.groups, base, { form, body: typed.body }, formAndBodyOf(stored, terms))
    const flash = notice(message)
    return showForm(visit, {
      stored,
      terms,
      form: merged.form,
      flash,
      changes: formValues.mergeSummary(merged),
      status,
    })
  }
}

const NEW_LISTING: ListingForm['opened'] = { version: 0, base: {} }

/** The form with more rows, if its button `do=more features` was pressed, which saves nothing; null for any other button. */
function withRequestedRows(form: formValues.Form): Record<string, string> | null {
  const [, name] = /^more (\w+)$/.exec(form.do ?? '') ?? []
  return name ? withMoreRows(form, name) : null
}

/** Finds the slug of a term by its name; any other text is taken for a slug. */
const slugFinder = (terms: Terms) => {
  const byName = new Map(
    Object.values(terms).flatMap((list) => list.map(({ slug, name }) => [name.trim().toLowerCase(), slug])),
  )
  return (term: string) => byName.get(term.toLowerCase()) ?? term.toLowerCase()
}

/** The message after a button for publication or featuring. */
function changeText(kind: ListingKind, published: string | undefined, featured: string | undefined): string {
  if (published === 'true') return 'Published.'
  if (published)
    return kind.kind === 'tool'
      ? 'Hidden. New submissions for its host wait for an administrator.'
      : 'Hidden: it is a draft now.'
  return featured === 'true' ? 'Featured.' : 'No longer featured.'
}
