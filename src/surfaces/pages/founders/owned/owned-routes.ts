// The addresses on which owners look after their listings, and the form with which they change one.
import type { FastifyReply } from 'fastify'
import { getWorkOnOwnListing } from '../../../../features/billing/orders/account.operations.ts'
import * as owned from '../../../../features/founders/owned/account.operations.ts'
import type { OwnListing } from '../../../../features/founders/owned/schema.ts'
import { readHealth } from '../../../../features/health/operations.ts'
import { csvOf } from '../../../../kernel/formats/csv.ts'
import { OWN_PRODUCTS } from '../../addresses.ts'
import { fieldsIn } from '../../admin/listings/fields.ts'
import { type FormFields, formRefusal, listingFields, parseRefusal, withMoreRows } from '../../admin/listings/form.ts'
import * as formValues from '../../admin/listings/values.ts'
import { button, linkButton, saveBar } from '../../kit/button.ts'
import { breadcrumbs } from '../../kit/components.ts'
import { action } from '../../kit/forms/actions.ts'
import { hiddenField } from '../../kit/forms/field.ts'
import { expectedVersionOf, type Refusal, refusalFlash, versionField } from '../../kit/forms/forms.ts'
import { readListPage } from '../../kit/lists/paged-lists.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import type { Page } from '../../kit/sending/document.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'
import { OWNER_GROUPS, ownerGroupsWithGuesses, ownerLabels, termChoices } from '../fields.ts'
import { OWNER_LABELS, ownedPage, ownedPath, provePage } from './owned.ts'

const PATH = `${OWN_PRODUCTS}/:slug`

const pathOf = (visit: Visit): string => ownedPath(visit.param('slug'))

export const ownedPages: VisitPages = {
  [PATH]: { GET: showOwned },
  [`${PATH}/numbers.csv`]: { GET: sendNumbers },
  [`${PATH}/edit`]: { GET: async (visit) => showForm(visit, await listingOf(visit)), POST: changeListing },
  [`${PATH}/successor`]: {
    POST: action({
      operation: owned.nameOwnSuccessor,
      body: ({ form: { successor = '' } }) => ({ successor }),
      back: pathOf,
      text: 'The successor is saved.',
    }),
  },
  [`${PATH}/undo`]: {
    POST: action({
      operation: owned.undoOwnChange,
      parameters: (visit) => ({ ...slugOf(visit), id: visit.form.id ?? '' }),
      back: pathOf,
      text: 'The change is taken back.',
    }),
  },
}

const slugOf = (visit: Visit) => ({ slug: visit.param('slug') })

const listingOf = (visit: Visit): Promise<OwnListing> => visit.perform(owned.getOwnListing, slugOf(visit))

async function showOwned(visit: Visit): Promise<FastifyReply> {
  const listing = await listingOf(visit)
  if (listing.mustProve) return visit.send(provePage(listing))
  const numbers = await visit.perform(owned.getOwnNumbers, slugOf(visit))
  const changes = await readListPage(visit, owned.listOwnChanges, slugOf(visit))
  const waiting = await visit.perform(owned.listOwnChanges, { ...slugOf(visit), state: 'waiting' })
  const { order, mayOrder } = await visit.perform(getWorkOnOwnListing, slugOf(visit))
  // A listing that is not public has no health. The page is shown without it, also while the database is down.
  const health = await readHealth(visit.ctx, 'tool', listing.tool.slug).catch(() => null)
  const page = ownedPage({
    health,
    listing,
    numbers,
    changes,
    waiting,
    order,
    values: visit.values,
    mayOrder: visit.service.sellsPackages && mayOrder,
    takesPayments: visit.service.takesPayments,
    categories: visit.ctx.catalog.snapshot().taxonomy.categories,
    publicUrl: visit.service.publicUrl,
    site: visit.service.site.fields().name,
  })
  return visit.send(page)
}

const COLUMNS = ['day', 'appearances', 'views', 'opens'] as const

async function sendNumbers(visit: Visit): Promise<FastifyReply> {
  const { days } = await visit.perform(owned.getOwnNumbers, slugOf(visit))
  const columns = COLUMNS.map((name) => [name, (row: (typeof days)[number]) => row[name]] as const)
  return visit.reply
    .header('content-disposition', `attachment; filename="${visit.param('slug')}-numbers.csv"`)
    .type('text/csv; charset=utf-8')
    .send(csvOf(columns, days))
}

interface TypedForm {
  form: formValues.Form
  /** The version and the values that this form was opened with. Left out after a merge: the form then starts from the stored ones. */
  opened?: { version: number; base: Readonly<Record<string, unknown>> }
  changes?: Markup
  refusal?: Refusal & { status: number }
}

/** The form sends slugs of terms, so no name is looked up. */
const keepTerm = (slug: string): string => slug

const formAndBodyOf = ({ fields }: OwnListing) => {
  const form = formValues.formOfListing(OWNER_GROUPS, fields)
  return { form, body: formValues.bodyOfForm(OWNER_GROUPS, form, keepTerm).body }
}

function showForm(visit: Visit, listing: OwnListing, typed?: TypedForm): Promise<FastifyReply> {
  const stored = formAndBodyOf(listing)
  const page = editPage({
    listing,
    token: visit.token,
    changes: typed?.changes,
    opened: typed?.opened ?? { version: listing.version, base: formValues.fingerprints(OWNER_GROUPS, stored.body) },
    fields: {
      action: `${ownedPath(listing.tool.slug)}/edit`,
      groups: ownerGroupsWithGuesses(listing.made),
      form: typed?.form ?? stored.form,
      problems: typed?.refusal?.marked ?? {},
      terms: termChoices(visit.ctx.catalog.snapshot()),
    },
  })
  const flash = refusalFlash(typed?.refusal)
  return visit.send({ ...page, flash }, typed?.refusal?.status ?? 200)
}

async function changeListing(visit: Visit): Promise<FastifyReply> {
  const listing = await listingOf(visit)
  const form = visit.form
  // A form without a version counts as version 0, so the operation refuses it and the page shows the stored values.
  const { ifVersion = '0' } = expectedVersionOf(visit)
  const opened = { version: Number(ifVersion), base: formValues.baseIn(form) }
  const [what, name = ''] = (form.do ?? '').split(' ')
  // The button that adds rows to a list.
  if (what === 'more' && fieldsIn(OWNER_GROUPS).some((field) => field.name === name))
    return showForm(visit, listing, { form: withMoreRows(form, name), opened })
  const typed = formValues.bodyOfForm(OWNER_GROUPS, form, keepTerm)
  if (Object.keys(typed.problems).length > 0) {
    const refusal = { ...parseRefusal(OWNER_GROUPS, typed.problems), status: 400 }
    return showForm(visit, listing, { form, opened, refusal })
  }
  const stored = formAndBodyOf(listing)
  try {
    const body = changedIn(stored.body, typed.body)
    const result = await visit.perform(owned.changeOwnListing, { ...slugOf(visit), ifVersion }, body)
    return visit.redirect(ownedPath(listing.tool.slug), { kind: 'good', text: resultText(result) })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const refusal = { ...formRefusal(OWNER_GROUPS, form, error), status: error.status }
    if (error.code !== 'version_conflict') return showForm(visit, listing, { form, opened, refusal })
    const merged = formValues.merge(OWNER_GROUPS, opened.base, { form, body: typed.body }, stored)
    return showForm(visit, listing, { form: merged.form, changes: formValues.mergeSummary(merged), refusal })
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

const editPage = ({ listing, token, opened, fields, changes }: EditPage): Pick<Page, 'title' | 'body'> => ({
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
