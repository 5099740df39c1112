// The addresses on which owners look after their listings, and the form with which they change one.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { getWorkOnOwnListing } from '../../../../features/billing/orders/account.operations.ts'
import * as owned from '../../../../features/founders/owned/account.operations.ts'
import type { OwnListing } from '../../../../features/founders/owned/schema.ts'
import { readHealth } from '../../../../features/health/operations.ts'
import { csvOf } from '../../../../kernel/formats/csv.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import type { Service } from '../../../http/service.ts'
import { OWN_PRODUCTS } from '../../addresses.ts'
import { fieldsIn } from '../../admin/listings/fields.ts'
import { type FormFields, formRefusal, listingFields, parseRefusal, withMoreRows } from '../../admin/listings/form.ts'
import {
  baseIn,
  bodyOfForm,
  type Form,
  fingerprints,
  formOfListing,
  merge,
  mergeSummary,
} from '../../admin/listings/values.ts'
import { sendDashboard } from '../../dashboard/frame.ts'
import { button, linkButton, saveBar } from '../../kit/button.ts'
import { breadcrumbs } from '../../kit/components.ts'
import { hiddenField } from '../../kit/forms/field.ts'
import {
  csrfField,
  csrfValues,
  expectedVersionOf,
  formOf,
  type Refusal,
  refusalFlash,
  versionField,
} from '../../kit/forms/forms.ts'
import { readListPage } from '../../kit/lists/paged-lists.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { param } from '../../kit/sending/answers.ts'
import type { Page } from '../../kit/sending/document.ts'
import { redirectWith } from '../../kit/sending/messages.ts'
import { actAndRedirect, isCorrectable, type PrivateRoute, performAs } from '../../kit/sending/private-pages.ts'
import { OWNER_GROUPS, ownerGroupsWithGuesses, ownerLabels, termChoices } from '../fields.ts'
import { OWNER_LABELS, ownedPage, ownedPath, provePage } from './owned.ts'

const PATH = `${OWN_PRODUCTS}/:slug`

export const ownedRoutes = (service: Service): Record<string, PrivateRoute> => ({
  [PATH]: { GET: (request, reply) => showOwned(service, request, reply) },
  [`${PATH}/numbers.csv`]: { GET: (request, reply) => sendNumbers(service, request, reply) },
  [`${PATH}/edit`]: {
    GET: async (request, reply) => showForm(service, request, reply, await listingOf(service, request)),
    POST: (request, reply) => changeListing(service, request, reply),
  },
  [`${PATH}/successor`]: {
    POST: (request, reply) => {
      const back = ownedPath(param(request, 'slug'))
      const { successor = '' } = formOf(request)
      return actAndRedirect(service, reply, { back, done: back, successText: 'The successor is saved.' }, () =>
        performAs(service, request, owned.nameOwnSuccessor, slugOf(request), { successor }),
      )
    },
  },
  [`${PATH}/undo`]: {
    POST: (request, reply) => {
      const back = ownedPath(param(request, 'slug'))
      const { id = '' } = formOf(request)
      return actAndRedirect(service, reply, { back, done: back, successText: 'The change is taken back.' }, () =>
        performAs(service, request, owned.undoOwnChange, { ...slugOf(request), id }),
      )
    },
  },
})

const slugOf = (request: FastifyRequest) => ({ slug: param(request, 'slug') })

const listingOf = (service: Service, request: FastifyRequest): Promise<OwnListing> =>
  performAs(service, request, owned.getOwnListing, slugOf(request))

async function showOwned(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const listing = await listingOf(service, request)
  if (listing.mustProve) return sendDashboard(service, request, reply, provePage(listing))
  const numbers = await performAs(service, request, owned.getOwnNumbers, slugOf(request))
  const changes = await readListPage(service, request, owned.listOwnChanges, slugOf(request))
  const waiting = await performAs(service, request, owned.listOwnChanges, { ...slugOf(request), state: 'waiting' })
  const { order, mayOrder } = await performAs(service, request, getWorkOnOwnListing, slugOf(request))
  // A listing that is not public has no health. The page is shown without it, also while the database is down.
  const health = await readHealth(service.context(identifiedCaller(request)), 'tool', listing.tool.slug).catch(
    () => null,
  )
  const page = ownedPage({
    health,
    listing,
    numbers,
    changes,
    waiting,
    order,
    values: csrfValues(request),
    mayOrder: service.sellsPackages && mayOrder,
    takesPayments: service.takesPayments,
    categories: service.context(identifiedCaller(request)).catalog.snapshot().taxonomy.categories,
    publicUrl: service.publicUrl,
    site: service.site.fields().name,
  })
  return sendDashboard(service, request, reply, page)
}

const COLUMNS = ['day', 'appearances', 'views', 'opens'] as const

async function sendNumbers(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { days } = await performAs(service, request, owned.getOwnNumbers, slugOf(request))
  const columns = COLUMNS.map((name) => [name, (row: (typeof days)[number]) => row[name]] as const)
  return reply
    .header('content-disposition', `attachment; filename="${param(request, 'slug')}-numbers.csv"`)
    .type('text/csv; charset=utf-8')
    .send(csvOf(columns, days))
}

interface TypedForm {
  form: Form
  /** The version and the values that this form was opened with. Left out after a merge: the form then starts from the stored ones. */
  opened?: { version: number; base: Readonly<Record<string, unknown>> }
  changes?: Markup
  refusal?: Refusal & { status: number }
}

/** The form sends slugs of terms, so no name is looked up. */
const keepTerm = (slug: string): string => slug

const formAndBodyOf = ({ fields }: OwnListing) => {
  const form = formOfListing(OWNER_GROUPS, fields)
  return { form, body: bodyOfForm(OWNER_GROUPS, form, keepTerm).body }
}

function showForm(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  listing: OwnListing,
  typed?: TypedForm,
): FastifyReply {
  const stored = formAndBodyOf(listing)
  const page = editPage({
    listing,
    token: csrfField(request),
    changes: typed?.changes,
    opened: typed?.opened ?? { version: listing.version, base: fingerprints(OWNER_GROUPS, stored.body) },
    fields: {
      action: `${ownedPath(listing.tool.slug)}/edit`,
      groups: ownerGroupsWithGuesses(listing.made),
      form: typed?.form ?? stored.form,
      problems: typed?.refusal?.marked ?? {},
      terms: termChoices(service.context(identifiedCaller(request)).catalog.snapshot()),
    },
  })
  const flash = refusalFlash(typed?.refusal)
  return sendDashboard(service, request, reply, { ...page, flash }, typed?.refusal?.status ?? 200)
}

async function changeListing(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const listing = await listingOf(service, request)
  const form = formOf(request)
  // A form without a version counts as version 0, so the operation refuses it and the page shows the stored values.
  const { ifVersion = '0' } = expectedVersionOf(request)
  const opened = { version: Number(ifVersion), base: baseIn(form) }
  const [what, name = ''] = (form.do ?? '').split(' ')
  // The button that adds rows to a list.
  if (what === 'more' && fieldsIn(OWNER_GROUPS).some((field) => field.name === name))
    return showForm(service, request, reply, listing, { form: withMoreRows(form, name), opened })
  const typed = bodyOfForm(OWNER_GROUPS, form, keepTerm)
  if (Object.keys(typed.problems).length > 0) {
    const refusal = { ...parseRefusal(OWNER_GROUPS, typed.problems), status: 400 }
    return showForm(service, request, reply, listing, { form, opened, refusal })
  }
  const stored = formAndBodyOf(listing)
  try {
    const body = changedIn(stored.body, typed.body)
    const result = await performAs(service, request, owned.changeOwnListing, { ...slugOf(request), ifVersion }, body)
    return redirectWith(service, reply, ownedPath(listing.tool.slug), { kind: 'good', text: resultText(result) })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const refusal = { ...formRefusal(OWNER_GROUPS, form, error), status: error.status }
    if (error.code !== 'version_conflict') return showForm(service, request, reply, listing, { form, opened, refusal })
    const merged = merge(OWNER_GROUPS, opened.base, { form, body: typed.body }, stored)
    return showForm(service, request, reply, listing, { form: merged.form, changes: mergeSummary(merged), refusal })
  }
}

/** The fields that differ from the stored ones; what was emptied is null. */
const changedIn = (before: Readonly<Record<string, unknown>>, body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(body)
      .map(([name, value]) => [name, value === '' ? null : value] as const)
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name] || null)),
  )

const namesOf = (fields: readonly string[]): string => fields.map((field) => OWNER_LABELS[field] ?? field).join(', ')

const resultText = ({ applied, proposed }: { applied: readonly string[]; proposed: readonly string[] }): string =>
  [
    applied.length > 0 ? `Changed: ${namesOf(applied)}.` : '',
    proposed.length > 0 ? `Waits for an administrator: ${namesOf(proposed)}.` : '',
    applied.length + proposed.length === 0 ? 'The listing has these values already.' : '',
  ]
    .filter(Boolean)
    .join(' ')

interface EditPage {
  listing: OwnListing
  token: Markup
  opened: { version: number; base: Readonly<Record<string, unknown>> }
  fields: FormFields
  /** A summary of what others changed meanwhile. */
  changes?: Markup
}

const listOfWords = new Intl.ListFormat('en-GB')

export const editPage = ({ listing, token, opened, fields, changes }: EditPage): Pick<Page, 'title' | 'body'> => ({
  title: `Edit ${oneLine(listing.tool.name, 40)}`,
  body: html`<div class="flow">
${breadcrumbs([{ label: 'Products', href: OWN_PRODUCTS }, { label: oneLine(listing.tool.name, 60), href: ownedPath(listing.tool.slug) }, { label: 'Edit' }])}
<h1>Edit <bdi>${listing.tool.name}</bdi></h1>
<p class="lead">Readers see your changes at once, except for ${listOfWords.format(ownerLabels('proposed'))}: those wait for an administrator. You can undo a change afterwards.</p>
${changes}
<form class="form wide marked" method="post" action="${fields.action}">
${token}${versionField(opened)}${hiddenField('base', JSON.stringify(opened.base))}
<button type="submit" class="visually-hidden" name="do" value="save" tabindex="-1" aria-hidden="true">Save</button>
${listingFields(fields)}
${saveBar(button('Save', { name: 'do', value: 'save' }), linkButton(ownedPath(listing.tool.slug), 'Cancel', { kind: 'plain' }))}
</form>
</div>`,
})
