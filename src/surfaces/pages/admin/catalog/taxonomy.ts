// The lists and forms of categories, tags and directory categories. Administrators mark here which of them are adult, confirm tags of
// submissions, and split a tag that stands for two things.
import type { FastifyReply } from 'fastify'
import { type TermKind, TOPIC } from '../../../../features/catalog/schema.ts'
import { freeSlug, termSlug } from '../../../../features/catalog/terms/slugify.ts'
import { entryOperations } from '../../../../features/listings/operations.ts'
import { confirmTags, listMixedTags, splitTag } from '../../../../features/submissions/tags/tags.operations.ts'
import { thisNotFound } from '../../../../kernel/errors.ts'
import { identifiedCaller } from '../../../http/gate.ts'
import { actionForm, button, linkButton } from '../../kit/button.ts'
import { badge, breadcrumbs, sectionHead, tabs } from '../../kit/components.ts'
import { action, save } from '../../kit/forms/actions.ts'
import {
  type DeclaredForm,
  declareForm,
  deleteForm,
  type Refused,
  slugField,
  takenSlug,
} from '../../kit/forms/declared-form.ts'
import { choice } from '../../kit/forms/field.ts'
import { refusalFlash, versionField } from '../../kit/forms/forms.ts'
import { addressWith } from '../../kit/lists/address-query.ts'
import { table } from '../../kit/lists/table.ts'
import { html, type Markup } from '../../kit/markup.ts'
import type { Visit, VisitPages } from '../../kit/sending/private-pages.ts'
import { number } from '../../kit/values.ts'
import { categoryMark } from '../../site/lists/category-looks.ts'
import { showList } from '../kit/list-pages.ts'
import { brokenNote } from '../listings/pages.ts'

const TAXONOMY = '/admin/taxonomy'
const TAGS = `${TAXONOMY}/tags`
// These addresses are not below TAXONOMY, because there the last part of an address may be the slug of a term.
const CONFIRM = '/admin/tag-confirmations'
const SPLIT = '/admin/tag-splits'
/** The beginning of a checkbox's name; the rest is the slug of the tag. */
const PICK = 'pick-'

const NAME = { label: 'Name' }
const ADULT = { label: 'Adult', hint: 'Its listings are left out unless a reader asks for adult ones.' }

interface Part {
  kind: TermKind
  path: string
  /** One term in words, such as "category". */
  one: string
  title: string
  isDescribed: boolean
  mayBeAdult: boolean
  form: DeclaredForm<string>
  /** The address of the list of listings that use a term. */
  listings: (slug: string) => string
}

const PARTS: readonly [Part, ...Part[]] = [
  {
    kind: 'category',
    path: `${TAXONOMY}/categories`,
    one: 'category',
    title: 'Categories',
    isDescribed: true,
    mayBeAdult: true,
    form: declareForm(entryOperations.category.put, {
      name: NAME,
      description: { label: 'Description', rows: 3, hint: 'What belongs into it.' },
      icon: { label: 'Icon', hint: 'For programs: an emoji, or the address of a picture. Pages draw their own.' },
      adult: ADULT,
    }),
    listings: (category) => addressWith('/admin/tools', { category }),
  },
  {
    kind: 'tag',
    path: TAGS,
    one: 'tag',
    title: 'Tags',
    isDescribed: false,
    mayBeAdult: true,
    form: declareForm(entryOperations.tag.put, { name: NAME, adult: ADULT }),
    listings: (tag) => addressWith('/admin/tools', { tag }),
  },
  {
    kind: 'directoryCategory',
    path: `${TAXONOMY}/directory-categories`,
    one: 'directory category',
    title: 'Directory categories',
    isDescribed: false,
    mayBeAdult: false,
    form: declareForm(entryOperations.directoryCategory.put, { name: NAME }),
    listings: (category) => addressWith('/admin/directories', { category }),
  },
]

interface Term {
  slug: string
  name: string
  description?: string
  icon?: string
  adult?: boolean
  /** Whether a submission created the term. */
  submitted?: boolean
  /** For tags: whether readers see the tag. */
  shown?: boolean
  version: number
  listingsCount: number
  broken?: string
}

const partOf = ({ param }: Visit): Part => {
  const part = PARTS.find(({ path }) => path === `${TAXONOMY}/${param('kind')}`)
  if (!part) throw thisNotFound('part of the taxonomy')
  return part
}

const termPath = ({ path }: Part, slug: string): string => `${path}/${encodeURIComponent(slug)}`

const find = (visit: Visit): Promise<Term> =>
  visit.perform(entryOperations[partOf(visit).kind].get, { slug: visit.param('slug') })

const termsOf = ({ service, request }: Visit, kind: TermKind): ReadonlyMap<string, unknown> =>
  service.context(identifiedCaller(request)).catalog.snapshot().taxonomy[TOPIC[kind]]

function newSlug(visit: Visit): string {
  const { kind } = partOf(visit)
  const terms = termsOf(visit, kind)
  const { slug = '', name = '' } = visit.form
  return slug.trim() || freeSlug(termSlug(kind, name), (one) => terms.has(one))
}

export const taxonomyPages: VisitPages = {
  [TAXONOMY]: { GET: (visit) => visit.redirect(PARTS[0].path) },
  [`${TAXONOMY}/:kind`]: {
    GET: (visit) => showTerms(visit),
    POST: (visit) => {
      const { form, kind, path, one } = partOf(visit)
      // The slug is made before the save: afterwards it is taken, and the message would name another one.
      const slug = newSlug(visit)
      return save({
        form,
        page: showTerms,
        operation: entryOperations[kind].put,
        parameters: () => ({ slug, ifVersion: 0 }),
        refuse: (failure) => takenSlug(failure, one, slug),
        done: path,
        text: `Created the ${one} ${slug}.`,
      })(visit)
    },
  },
  [CONFIRM]: {
    POST: action({
      operation: confirmTags,
      body: ({ form }) => ({ slugs: pickedIn(form) }),
      back: TAGS,
      text: ({ form }) => {
        const { length } = pickedIn(form)
        return `Confirmed ${length} ${length === 1 ? 'tag' : 'tags'}.`
      },
    }),
  },
  [SPLIT]: {
    POST: action({
      operation: splitTag,
      body: ({ form: { tag = '', name = '' } }) => ({ tag, name }),
      back: TAGS,
      text: ({ form }) => `The listings whose partners wrote ${form.name ?? ''} have a tag of that name now.`,
    }),
  },
  [`${TAXONOMY}/:kind/:slug`]: {
    GET: (visit) => showTerm(visit),
    POST: (visit) => {
      const { form, kind, path, one } = partOf(visit)
      return save({
        form,
        page: showTerm,
        find,
        operation: entryOperations[kind].put,
        body: (_, { submitted }) => ({
          ...form.body(form.typed(visit.form)),
          ...(submitted && visit.form.keep !== 'true' ? { submitted } : {}),
        }),
        done: path,
        text: `Saved the ${one} ${visit.param('slug')}.`,
      })(visit)
    },
  },
  [`${TAXONOMY}/:kind/:slug/delete`]: {
    POST: (visit) => {
      const part = partOf(visit)
      const slug = visit.param('slug')
      return action({
        operation: entryOperations[part.kind].remove,
        back: termPath(part, slug),
        done: part.path,
        text: `Deleted the ${part.one} ${slug}.`,
      })(visit)
    },
  },
}

const pickedIn = (form: Visit['form']): string[] =>
  Object.keys(form).flatMap((name) => (name.startsWith(PICK) ? name.slice(PICK.length) : []))

function shownBadge({ submitted, shown }: Term): Markup | null {
  if (shown === false) return badge('Not shown', 'notice')
  return submitted ? badge('From a submission', 'plain') : null
}

const stateBadges = (term: Term): Markup | false => {
  const shown = shownBadge(term)
  return (
    (term.adult || shown !== null) &&
    html`<span class="row tight">${term.adult && badge('Adult', 'danger')}${shown}</span>`
  )
}

/** The checkbox that confirms a tag that a submission created. */
const pickBox = ({ slug, name, submitted }: Term): Markup | false =>
  submitted === true &&
  html`<input type="checkbox" form="confirm" name="${PICK}${slug}" value="true" aria-label="Confirm ${name}">`

function showTerms(visit: Visit, refused?: Refused): Promise<FastifyReply> {
  const part = partOf(visit)
  const isTag = part.kind === 'tag'
  return showList(
    visit,
    {
      path: part.path,
      operation: entryOperations[part.kind].list,
      title: part.title,
      heading: 'Taxonomy',
      load: async (_, rows: readonly Term[]) => ({
        mixed: isTag ? await visit.perform(listMixedTags, {}) : [],
        hasSubmitted: rows.some(({ submitted }) => submitted),
      }),
      above: () =>
        tabs(
          'Parts of the taxonomy',
          PARTS.map(({ kind, path, title }) => ({
            href: path,
            label: title,
            count: termsOf(visit, kind).size,
            isCurrent: path === part.path,
          })),
        ),
      filters: {
        q: { label: 'Search', placeholder: 'Name or slug' },
        ...(isTag && { submitted: { label: 'Confirmed', words: { true: 'Not confirmed', false: 'Confirmed' } } }),
      },
      columns: ({ loaded: { hasSubmitted } }) => [
        ...(hasSubmitted ? [{ label: html`<span class="visually-hidden">Confirm</span>`, cell: pickBox }] : []),
        {
          label: 'Name',
          rowHeader: true,
          // A slug that is made from the name in the usual way is not shown.
          cell: ({ slug, name }: Term) =>
            html`<div class="who">${part.kind === 'category' && categoryMark(slug)}<div><a href="${termPath(part, slug)}"><bdi>${name}</bdi></a>${slug !== termSlug(part.kind, name) && html`<br><span class="note">${slug}</span>`}</div></div>`,
        },
        ...(part.isDescribed
          ? [
              {
                label: 'Description',
                onPhones: 'unlabelled' as const,
                cell: ({ description }: Term) => html`<bdi>${description}</bdi>`,
              },
            ]
          : []),
        ...(part.mayBeAdult
          ? [{ label: 'State', className: 'beside-name', onPhones: 'unlabelled' as const, cell: stateBadges }]
          : []),
        {
          label: 'Listings',
          kind: 'number',
          className: 'beside-name',
          cell: ({ slug, listingsCount }: Term) => html`<a href="${part.listings(slug)}">${number(listingsCount)}</a>`,
        },
      ],
      empty: { title: `No ${part.title.toLowerCase()} yet` },
      below: ({
        loaded: { mixed, hasSubmitted },
      }) => html`${hasSubmitted && html`<form id="confirm" method="post" action="${CONFIRM}">${visit.token}<div class="row">${button('Confirm the chosen tags', { kind: 'plain' })}</div></form>`}
${mixed.length > 0 && mixedTags(visit, mixed)}
${sectionHead(`New ${part.one}`)}
<form class="form" method="post" action="${part.path}">
${visit.token}
${part.form.fields(refused?.typed ?? {}, refused?.marked, { name: { after: slugField(visit, refused) } })}
<div class="row">${button('Add')}</div>
</form>`,
    },
    refused,
  )
}

/** A tag for which partners sent other names than the tag has. `unrecorded`: listings whose partner's name for it was not stored. */
interface MixedTag {
  slug: string
  name: string
  written: readonly { name: string; listings: readonly string[] }[]
  unrecorded: readonly string[]
}

/** The section in which administrators split a tag whose users wrote different names. */
const mixedTags = ({ values }: Visit, mixed: readonly MixedTag[]): Markup =>
  html`${sectionHead('Different names')}
<p>Partners of these listings wrote another name than the tag has. Split it to give them a tag of their own.${mixed.some(({ unrecorded }) => unrecorded.length > 0) && html` Before 1.2 names with the same slug became one tag, and what partners wrote was not stored: look at those listings, and move the ones that mean something else with <code>catalog tags split</code>.`}</p>
${table({
  caption: 'Tags whose users wrote different names',
  rows: mixed.flatMap((tag) => [
    ...tag.written.map((other) => ({ tag, other })),
    ...(tag.unrecorded.length > 0 ? [{ tag, other: { name: null, listings: tag.unrecorded } }] : []),
  ]),
  columns: [
    { label: 'Tag', rowHeader: true, cell: ({ tag }) => html`<bdi>${tag.name}</bdi>` },
    { label: 'Written', cell: ({ other }) => (other.name === null ? 'Not stored' : html`<bdi>${other.name}</bdi>`) },
    { label: 'Listings', kind: 'number', cell: ({ other }) => other.listings.length },
    {
      label: 'Split',
      kind: 'actions',
      cell: ({ tag, other: { name } }) =>
        name === null
          ? null
          : actionForm({ action: SPLIT, label: 'Split', kind: 'plain', values: { ...values, tag: tag.slug, name } }),
    },
  ],
})}`

async function showTerm(visit: Visit, refused?: Refused): Promise<FastifyReply> {
  const part = partOf(visit)
  const term = await find(visit)
  const { name, description, icon, adult } = term
  const stored = { name, description, icon, adult }
  const path = termPath(part, term.slug)
  const listings = term.listingsCount === 1 ? 'listing' : 'listings'
  const page = {
    title: name,
    flash: refusalFlash(refused),
    body: html`<div class="flow">
${breadcrumbs([{ label: part.title, href: part.path }, { label: name }])}
<h1><bdi>${name}</bdi></h1>
<p class="note">Slug <code>${term.slug}</code> · used by <a href="${part.listings(term.slug)}">${number(term.listingsCount)} ${listings}</a>, drafts included</p>
${term.broken && brokenNote(term.broken)}
${term.submitted && html`<p>${shownBadge(term)} A submission made it: readers see it while a published listing has it.</p>`}
<form class="form" method="post" action="${path}">
${visit.token}${versionField(term)}
${refused && part.form.storedBeside(refused.typed, stored)}
${part.form.fields(refused?.typed ?? part.form.of(stored), refused?.marked)}
${term.submitted && choice({ name: 'keep', label: 'Make it ours', checked: visit.form.keep === 'true', hint: 'Readers then see it also while no published listing has it.' })}
<div class="row">${button('Save')}${linkButton(part.path, 'Cancel', { kind: 'plain' })}</div>
</form>
${sectionHead('Delete')}
${
  term.listingsCount > 0
    ? html`<p>It is used and cannot be deleted. Take it off the ${listings} first.</p>`
    : deleteForm(
        visit,
        term,
        path,
        `Delete the ${part.one}`,
        html`No listing uses <strong><bdi>${name}</bdi></strong>. It is gone for good.`,
        'Delete',
      )
}
</div>`,
  }
  return visit.send(page, refused?.status)
}
