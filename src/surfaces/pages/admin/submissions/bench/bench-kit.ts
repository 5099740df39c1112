// The part of the bench with the current directory: the link to its submission form, the form that records it, and the kit, which is the
// texts and pictures to enter there. The script replaces this part of the page with each directory.
import type { Static } from 'typebox'
import { type BenchRow, REMEMBERED_REASONS } from '../../../../../features/plan/schema.ts'
import type { kitSchema } from '../../../../../features/submissions/queue/queue.schema.ts'
import { pictureAddress } from '../../../addresses.ts'
import { button, keyHint } from '../../../kit/button.ts'
import { badge, copyableFact, emptyState } from '../../../kit/components.ts'
import { field, hiddenField } from '../../../kit/forms/field.ts'
import { versionField } from '../../../kit/forms/version-field.ts'
import { addressWith } from '../../../kit/lists/address-query.ts'
import { html, type Markup } from '../../../kit/markup.ts'
import { listingTile } from '../../../kit/named-listing.ts'
import { externalLink } from '../../kit/list-pages.ts'
import type { Visit } from '../../kit/visit.ts'
import { badges, openLink, recordedState, recordForm, type TypedRecord } from '../directories.ts'
import { plannedBecause } from '../plan.ts'
import type { BenchFilters } from './bench.ts'

type Kit = Static<typeof kitSchema>
type KitField = Kit['fields'][number]

/** What was recorded or skipped last. It can be undone as long as the stored version is still this one. */
export interface LastAct {
  slug: string
  name: string
  did: 'record' | 'skip'
  version: number
  state: string
}

export interface BenchKit {
  /** The slug of the product, with which the names of downloaded pictures begin. */
  product: string
  row: BenchRow
  kit: Kit
  /** The version of the decision to skip or pin the directory; 0 if there is none. */
  decisionVersion: number
  /** The slug of the next directory that is left to do; '' if there is none. */
  next: string
  filters: BenchFilters
  last?: LastAct | null
  typed?: TypedRecord | null
  /** What was typed as the reason of a skip that was refused. */
  reason?: string
  /** Why a skip or an undo was refused. */
  problem?: string
}

export function kitSection(visit: Visit, given: BenchKit | null, path: string): Markup {
  if (!given)
    return html`<section id="kit" class="bench-kit">${emptyState({ title: 'Nothing to do here', text: 'The list has no directory. Set the package, or show all directories.' })}</section>`
  const { kit, row, last } = given
  const { directory } = kit
  return html`<section id="kit" class="bench-kit flow" data-slug="${row.slug}" data-state="${row.state}"${last && html` data-last="${last.slug}" data-last-state="${last.state}"`} aria-label="Current directory">
${last && undoForm(visit, last, given, path)}
<div class="directory-head">${listingTile(visit, 'directories', directory)}<div><h2><bdi>${directory.name}</bdi></h2>${row.state === 'skipped' && badge('Skipped', 'notice')}${badges(directory, visit)}</div>${openLink(directory, 'o')}</div>
${plannedBecause(row.reason.split(' · '), directory)}
${directory.row && recordedState(directory.row)}
${given.problem && html`<p class="error" role="alert">${given.problem}</p>`}
${recordForm(directory, visit, { action: actionOf(given, path), attributes: html`data-bench-form`, next: given.next, typed: given.typed, key: '↵' })}
${skipForm(visit, given, path)}
${kit.pictures.length > 0 && html`<div><p class="small quiet">Drag a picture into the form, or click it to download it.</p><ul class="bench-pictures">${kit.pictures.map((picture) => html`<li>${pictureLink(given.product, picture)}</li>\n`)}</ul></div>`}
<dl class="copy-facts bench-fields">${kit.fields.map((one, i) => copyableFact(one.label, one.value, { note: limitNote(one), key: i < 9 ? `${i + 1}` : undefined, isRepeated: kit.fields[i - 1]?.value === one.value }))}</dl>
</section>`
}

const actionOf = ({ row, filters }: BenchKit, path: string, verb = ''): string =>
  addressWith(`${path}/bench/${encodeURIComponent(row.slug)}${verb}`, filters)

/** How long the text is and how long the directory's form takes; '' if there is nothing to say. */
function limitNote({ name, value, limit, isUsual, isCut }: KitField): string {
  if (name === 'tags') return isCut ? `the first ${limit}` : ''
  const length = `${[...value].length}`
  if (limit === 0) return name === 'long' ? `${length} characters` : ''
  if (isUsual && isCut) return `cut to the usual ${limit}`
  return `${length} of ${limit}${isUsual ? ', a usual limit' : ''}${isCut ? ', cut' : ''}`
}

/** A picture to download. One on another host opens in a new tab instead, because browsers download only from the same site. */
function pictureLink(product: string, { label, url }: Kit['pictures'][number]): Markup {
  const shown = pictureAddress(url)
  if (!shown) return html`${externalLink(url, label) ?? label}`
  const name = `${product}-${label.toLowerCase().replaceAll(' ', '-')}${/\.\w+$/.exec(shown)?.[0] ?? ''}`
  return html`<a href="${shown}" download="${name}"><img src="${shown}" alt="" width="96" height="64" loading="lazy">${label}</a>`
}

function skipForm(visit: Visit, given: BenchKit, path: string): Markup {
  const { kit, decisionVersion, next, reason } = given
  if (kit.directory.row?.isSubmitted) return html``
  return html`<details class="bench-skip"${reason !== undefined && html` open`}><summary class="small">Skip${keyHint('s')}</summary>
<form class="row" method="post" action="${actionOf(given, path, '/skip')}" data-bench-form>
${visit.token}${versionField({ version: decisionVersion })}${hiddenField('next', next)}
${field({ name: 'reason', label: 'Reason', value: reason, maxLength: 500, hint: `${REMEMBERED_REASONS.join(' and ')} count for later products.`, autocomplete: 'off' })}
${button(html`Skip<span class="visually-hidden">: ${kit.directory.name}</span>`, { kind: 'plain', slim: true })}
</form></details>`
}

const undoForm = (visit: Visit, last: LastAct, { filters }: BenchKit, path: string): Markup =>
  html`<form class="row bench-undo" method="post" action="${addressWith(`${path}/bench/${encodeURIComponent(last.slug)}/undo`, filters)}" data-bench-form data-bench-undo>
${visit.token}${versionField(last)}${hiddenField('did', last.did)}<span class="small" role="status">${last.did === 'skip' ? 'Skipped' : 'Recorded'}: <bdi>${last.name}</bdi></span>${button(html`Undo${keyHint('u')}`, { kind: 'plain', slim: true })}</form>`
