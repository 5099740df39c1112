// The part beside a conversation that only administrators see: who answers it, internal notes and saved replies. Also the page on which
// saved replies are edited.
import type { FastifyReply } from 'fastify'
import {
  changeDesk,
  deleteSavedReply,
  getDesk,
  listSavedReplies,
  nextConversation,
  putSavedReply,
} from '../../../../features/support/inbox/desk.operations.ts'
import { MAX_REPLY } from '../../../../features/support/schema.ts'
import { actionForm, button } from '../../kit/button.ts'
import { breadcrumbs, sectionHead } from '../../kit/components.ts'
import { field, hiddenField, textarea } from '../../kit/forms/field.ts'
import { expectedVersionOf, storedValuesSection, versionField, versionValue } from '../../kit/forms/forms.ts'
import { html, type Markup, normaliseLineBreaks, oneLine } from '../../kit/markup.ts'
import { isCorrectable, type Visit, type VisitPages } from '../../kit/sending/private-pages.ts'

const SUPPORT = '/admin/support'
const SAVED = `${SUPPORT}/saved-replies`

export const deskPages: VisitPages = {
  [SAVED]: { GET: (visit) => showSaved(visit), POST: (visit) => changeSaved(visit) },
}

/** What was typed into the form for assignee and notes when it was refused. */
export interface TypedDesk {
  assignee: string
  internalNotes: string
}

/** The form for assignee and notes. */
export async function deskSection(visit: Visit, id: string, typed?: TypedDesk): Promise<Markup> {
  const desk = await visit.perform(getDesk, { id })
  return html`<section class="panel flow">${sectionHead('Internal')}
<form class="form" method="post" action="${SUPPORT}/${id}/desk">${visit.token}${versionField(desk)}
${storedValuesSection([
  ['Answered by', typed?.assignee, desk.assignee ?? ''],
  ['Internal notes', typed?.internalNotes, desk.internalNotes],
])}
${field({ name: 'assignee', label: 'Answered by', value: typed?.assignee ?? desk.assignee, maxLength: 254, placeholder: 'me, or an e-mail address', autocomplete: 'off' })}
${textarea({ name: 'internalNotes', label: 'Internal notes', value: typed?.internalNotes ?? desk.internalNotes, maxLength: 10_000, rows: 3, hint: 'Only administrators see them.' })}
<div class="row">${button('Save', { kind: 'plain', slim: true })}</div></form></section>`
}

export async function savedReplyList(visit: Visit, id: string, replyForm: string): Promise<Markup> {
  const saved = await visit.perform(listSavedReplies, { conversation: id })
  return html`<section class="panel flow">${sectionHead('Saved replies', { href: SAVED, label: saved.length > 0 ? 'Edit them' : 'Write one' })}
${
  saved.length === 0
    ? html`<p class="quiet small">What you write often, to be put into the reply with one click.</p>`
    : html`<ul class="passages">${saved.map(
        ({ title, body }, i) =>
          html`<li><div class="row apart"><strong><bdi>${title}</bdi></strong><button type="submit" class="button plain slim" form="${replyForm}" name="saved" value="${title}" formnovalidate data-insert="saved-${i}">Put into the reply</button></div><details><summary class="small"><bdi>${oneLine(body, 60)}</bdi></summary><p class="text small" id="saved-${i}"><bdi>${body}</bdi></p></details></li>\n`,
      )}</ul>`
}</section>`
}

/** The text of a saved reply, with customer and product of the conversation filled in; '' if there is none of this title. */
export const savedText = async (visit: Visit, id: string, title: string) =>
  (await visit.perform(listSavedReplies, { conversation: id })).find((one) => one.title === title)?.body ?? ''

/** The address of the conversation that has waited longest for a person, or of the list if none waits. */
export async function nextQuestion(visit: Visit, after: string): Promise<string> {
  const { next } = await visit.perform(nextConversation, { after })
  return next ? `${SUPPORT}/${next.id}` : SUPPORT
}

/** Saves assignee and notes. Returns null, or, if they were refused, what was typed and why. */
export async function saveDesk(visit: Visit): Promise<{ desk: TypedDesk; error: string; status: number } | null> {
  const form = visit.form
  const desk = { assignee: (form.assignee ?? '').trim(), internalNotes: normaliseLineBreaks(form.internalNotes ?? '') }
  const assignee = desk.assignee.toLowerCase() === 'me' ? visit.user.email : desk.assignee
  const input = { id: visit.param('id'), ...expectedVersionOf(visit) }
  try {
    await visit.perform(changeDesk, input, { ...desk, assignee: assignee || null })
    return null
  } catch (error) {
    if (!isCorrectable(error)) throw error
    return { desk, error: error.message, status: error.status }
  }
}

/** A saved reply that was refused, and why. */
interface TypedReply {
  title: string
  body: string
  error: string
  status: number
}

async function showSaved(visit: Visit, typed?: TypedReply): Promise<FastifyReply> {
  const saved = await visit.perform(listSavedReplies, {})
  const isTyped = (title: string) => typed?.title === title
  const isNew = typed !== undefined && !saved.some(({ title }) => isTyped(title))
  const form = (one: { title: string; body: string; version: number } | null, i: number) =>
    html`<form class="form broad" method="post" action="${SAVED}">${visit.token}${versionField(one ?? { version: 0 })}
${one && isTyped(one.title) && storedValuesSection([['Text', typed?.body, one.body]])}
${one ? hiddenField('title', one.title) : field({ name: 'title', label: 'Title', value: isNew ? typed.title : '', maxLength: 100, required: true, autocomplete: 'off' })}
${textarea({ id: `body-${i}`, name: 'body', label: 'Text', value: (one ? isTyped(one.title) : isNew) ? typed?.body : one?.body, maxLength: MAX_REPLY, rows: 4, required: true, hint: '{customer} becomes the name of the customer, {product} the product.' })}
<div class="row">${button('Save', { slim: true })}</div></form>`
  const page = {
    title: 'Saved replies',
    flash: typed ? [{ kind: 'danger' as const, text: typed.error }] : [],
    body: html`<div class="flow">
${breadcrumbs([{ label: 'Support', href: SUPPORT }, { label: 'Saved replies' }])}
<h1>Saved replies</h1>
${saved.length > 0 && html`<div class="questions">${saved.map((one, i) => html`<details${isTyped(one.title) && html` open`}><summary><bdi>${one.title}</bdi></summary>${form(one, i)}${actionForm({ action: SAVED, label: 'Delete', kind: 'danger', slim: true, values: { ...visit.values, ...versionValue(one), title: one.title, delete: 'true' } })}</details>\n`)}</div>`}
${sectionHead('A new one')}
${form(null, saved.length)}
</div>`,
  }
  return visit.send(page, typed?.status)
}

async function changeSaved(visit: Visit): Promise<FastifyReply> {
  const { title = '', body = '', delete: isDeleted } = visit.form
  const guard = { title: title.trim(), ...expectedVersionOf(visit) }
  const text = normaliseLineBreaks(body)
  try {
    if (isDeleted) await visit.perform(deleteSavedReply, guard)
    else await visit.perform(putSavedReply, guard, { body: text })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    if (isDeleted) return visit.redirect(SAVED, { kind: 'danger', text: error.message })
    return showSaved(visit, { title: title.trim(), body: text, error: error.message, status: error.status })
  }
  return visit.redirect(SAVED, { kind: 'good', text: isDeleted ? 'Deleted.' : 'Saved.' })
}
