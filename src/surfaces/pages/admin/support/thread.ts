// One conversation: what was said, what the knowledge has on it, the reply, and making knowledge of the reply.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { getThread, makeArticleOfReply, replyToConversation } from '../../../../features/support/inbox.operations.ts'
import { searchKnowledge } from '../../../../features/support/knowledge.operations.ts'
import type { foundPassageSchema } from '../../../../features/support/knowledge.schema.ts'
import { MAX_REPLY, type passageSchema, type threadSchema } from '../../../../features/support/schema.ts'
import type { Service } from '../../../http/service.ts'
import { badge } from '../../kit/badge.ts'
import { breadcrumbs } from '../../kit/breadcrumbs.ts'
import { actionForm, button } from '../../kit/button.ts'
import { sectionHead } from '../../kit/card.ts'
import { choice, field, hiddenField, select, textarea } from '../../kit/field.ts'
import { csrfField, csrfValues, formOf } from '../../kit/forms.ts'
import { html, type Markup, oneLine } from '../../kit/markup.ts'
import { redirectWith } from '../../kit/messages.ts'
import { param } from '../../kit/parameters.ts'
import { actAndRedirect, isCorrectable, performAs } from '../../kit/private-pages.ts'
import { failureText } from '../../kit/problems.ts'
import { thread } from '../../kit/thread.ts'
import { time } from '../../kit/values.ts'
import { ADMIN, sendAdmin } from '../frame.ts'
import { stateBadge } from '../states.ts'
import { expectedVersionOf, versionField } from '../version-field.ts'

export const SUPPORT = `${ADMIN}/support`

type Thread = Static<typeof threadSchema>
type Message = Thread['messages'][number]
type Found = Static<typeof foundPassageSchema>
type Passage = Static<typeof passageSchema>

const SUGGESTED = 5
// What a search takes.
const LONGEST_QUESTION = 4000

export async function showThread(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  came: { content?: string; article?: boolean; error?: string; status?: number } = {},
): Promise<FastifyReply> {
  const found = await threadOf(service, request)
  const passages = await suggested(service, request, found)
  const { content = '', error } = came
  return sendAdmin(
    service,
    request,
    reply,
    {
      title: oneLine(found.question, 60),
      flash: error ? [{ kind: 'danger', text: error }] : [],
      body: html`<div class="flow">
${breadcrumbs([{ label: 'Support', href: SUPPORT }, { label: oneLine(found.question, 60) }])}
<div class="row"><h1>Conversation</h1>${stateBadge(found.status)}${found.unanswered > 0 && found.status === 'answered' && badge(`${found.unanswered} without a reply`, 'notice')}</div>
<div class="beside">
<div class="flow">
${thread(
  found.messages.map((message) => ({
    id: message.id,
    isCustomer: message.role === 'customer',
    who: writer(message, found),
    when: time(message.createdAt),
    content: message.content,
    more: underMessage(request, found, message),
  })),
)}
${replyForm(request, found, content, came.article ?? false)}
</div>
<div class="flow">
${about(found)}
${suggestions(passages)}
</div>
</div>
</div>`,
    },
    came.status,
  )
}

const threadOf = (service: Service, request: FastifyRequest): Promise<Thread> =>
  performAs(service, request, getThread, { id: param(request, 'id') })

const suggested = async (service: Service, request: FastifyRequest, { question, clientId }: Thread) =>
  (
    await performAs(service, request, searchKnowledge, {
      q: question.slice(0, LONGEST_QUESTION).toWellFormed(),
      client: clientId,
    })
  ).slice(0, SUGGESTED)

const writer = ({ role, source, author }: Message, { customer }: Thread): Markup =>
  role === 'customer'
    ? html`<bdi>${oneLine(String(customer?.name ?? customer?.email ?? 'Customer'), 60)}</bdi>`
    : source === 'ai'
      ? html`AI`
      : html`<bdi>${author ?? 'A person'}</bdi>`

function underMessage(request: FastifyRequest, found: Thread, message: Message): Markup | null {
  if (message.source === 'human') return articleForms(request, found, message)
  if (!message.passages) return null
  return html`<details><summary class="small">Made from ${message.passages.length === 1 ? '1 passage' : `${message.passages.length} passages`}</summary><ul class="passages">${message.passages.map(({ title, text }) => html`<li><p><strong><bdi>${title}</bdi></strong></p><p class="text small"><bdi>${text}</bdi></p></li>\n`)}</ul></details>`
}

/** For the partner's customers under the question it answered, in one step; another title or another scope in two. */
function articleForms(request: FastifyRequest, { id, client, messages }: Thread, message: Message): Markup {
  const action = `${SUPPORT}/${id}/article`
  const question = messages.slice(0, messages.indexOf(message)).findLast(({ role }) => role === 'customer')
  return html`<div class="row">${actionForm({
    action,
    label: 'Turn into an article',
    kind: 'plain',
    slim: true,
    values: { ...csrfValues(request), messageId: message.id },
  })}</div>
<details><summary class="small">With another title, or for all partners</summary><form class="form" method="post" action="${action}">
${csrfField(request)}${hiddenField('messageId', message.id)}
${field({ id: `title-${message.id}`, name: 'title', label: 'Title', value: oneLine(question?.content ?? '', 200), maxLength: 200 })}
${select({
  id: `scope-${message.id}`,
  name: 'scope',
  label: 'For',
  value: 'client',
  options: [
    { value: 'client', label: `Customers of ${oneLine(client.name, 40)}` },
    { value: 'all', label: 'Customers of all partners' },
  ],
})}
<div class="row">${button('Add the article', { slim: true })}</div>
</form></details>`
}

const REPLY_FORM = 'reply'

function replyForm(request: FastifyRequest, found: Thread, content: string, article: boolean): Markup {
  return html`${sectionHead('Reply')}
<form class="form broad" id="${REPLY_FORM}" method="post" action="${SUPPORT}/${found.id}/reply">
${csrfField(request)}${versionField(found)}
${textarea({ name: 'content', label: 'Reply', value: content, rows: 7, required: true, maxLength: MAX_REPLY, hint: 'As the customer reads it.' })}
${choice({ name: 'article', label: html`Add it to the knowledge of <bdi>${found.client.name}</bdi>, too`, checked: article })}
<div class="row">${button('Send the reply')}</div>
</form>`
}

/** Buttons of the reply's form: without a script the page comes back with the passage after what was typed. */
const suggestions = (passages: readonly Found[]): Markup => html`${sectionHead('From the knowledge')}
${
  passages.length === 0
    ? html`<p class="quiet">The knowledge has nothing on this question.</p>`
    : html`<ul class="passages">${passages.map(
        ({ title, text, answers }, i) =>
          html`<li><p class="row"><strong><bdi>${title}</bdi></strong>${answers && badge('Best', 'good')}</p><p class="text small" id="passage-${i}"><bdi>${text}</bdi></p><button type="submit" class="button plain slim" form="${REPLY_FORM}" name="insert" value="${i}" formnovalidate data-insert="passage-${i}">Put into the reply</button></li>\n`,
      )}</ul>`
}`

const about = ({ client, customer, externalId, metadata, createdAt, updatedAt }: Thread): Markup =>
  html`<dl class="facts">
<div><dt>Partner</dt><dd><bdi>${client.name}</bdi></dd></div>
${entries(customer).map(([name, value]) => html`<div><dt>${CUSTOMER[name] ?? name}</dt><dd><bdi>${value}</bdi></dd></div>\n`)}
${externalId && html`<div><dt>Thread id</dt><dd><bdi>${externalId}</bdi></dd></div>`}
${entries(metadata).map(([name, value]) => html`<div><dt><bdi>${name}</bdi></dt><dd><bdi>${value}</bdi></dd></div>\n`)}
<div><dt>Began</dt><dd>${time(createdAt)}</dd></div>
<div><dt>Last written to</dt><dd>${time(updatedAt)}</dd></div>
</dl>`

const CUSTOMER: Record<string, string> = { name: 'Customer', email: 'E-mail', id: 'Customer id' }

const entries = (values: Record<string, unknown> | null): [string, string][] =>
  Object.entries(values ?? {}).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])

export async function reply(service: Service, request: FastifyRequest, answer: FastifyReply): Promise<FastifyReply> {
  const { content = '', article, insert } = formOf(request)
  const text = content.replace(/\r\n/g, '\n')
  if (insert !== undefined) return insertPassage(service, request, answer, text, insert)
  const id = param(request, 'id')
  const path = `${SUPPORT}/${encodeURIComponent(id)}`
  try {
    const { messages } = await performAs(
      service,
      request,
      replyToConversation,
      { id, ...expectedVersionOf(request) },
      { content: text },
    )
    if (article === 'true')
      await performAs(service, request, makeArticleOfReply, { id }, { messageId: messages.at(-1)!.id })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const words = failureText(error, { content: 'The reply' })
    const came = { content: text, article: article === 'true', error: words, status: error.status }
    return showThread(service, request, answer, came)
  }
  const said = article === 'true' ? 'The reply is sent, and the knowledge has it, too.' : 'The reply is sent.'
  return redirectWith(service, answer, path, { kind: 'good', text: said })
}

async function insertPassage(
  service: Service,
  request: FastifyRequest,
  answer: FastifyReply,
  typed: string,
  which: string,
): Promise<FastifyReply> {
  const passages: readonly Passage[] = await suggested(service, request, await threadOf(service, request))
  const text = passages[Number(which)]?.text ?? ''
  const article = formOf(request).article === 'true'
  return showThread(service, request, answer, {
    content: [typed.trimEnd(), text].filter(Boolean).join('\n\n'),
    article,
  })
}

export function makeArticle(service: Service, request: FastifyRequest, answer: FastifyReply): Promise<FastifyReply> {
  const id = param(request, 'id')
  const path = `${SUPPORT}/${encodeURIComponent(id)}`
  const { messageId, title, scope } = formOf(request)
  const successText =
    scope === 'all' ? 'The knowledge for all has the article.' : 'The knowledge of the partner has the article.'
  return actAndRedirect(service, answer, { back: path, done: path, successText }, () =>
    performAs(
      service,
      request,
      makeArticleOfReply,
      { id },
      { messageId, ...(title?.trim() ? { title: title.trim() } : {}), ...(scope ? { scope } : {}) },
    ),
  )
}
