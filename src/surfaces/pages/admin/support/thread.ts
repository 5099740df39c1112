// The page of one support conversation: its messages, passages of the knowledge that fit the question, the form for a reply, and the button
// that turns a reply into an article.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { getSubmission } from '../../../../features/submissions/read/read.operations.ts'
import { findSubmissionsAbout } from '../../../../features/support/inbox/desk.operations.ts'
import {
  getThread,
  makeArticleOfReply,
  replyToConversation,
} from '../../../../features/support/inbox/inbox.operations.ts'
import type { passageSchema, threadSchema } from '../../../../features/support/inbox/inbox.schema.ts'
import { searchKnowledge } from '../../../../features/support/knowledge/knowledge.operations.ts'
import type { foundPassageSchema } from '../../../../features/support/knowledge/knowledge.schema.ts'
import { MAX_REPLY } from '../../../../features/support/schema.ts'
import { button, keyHint, rowAction } from '../../kit/button.ts'
import { badge, breadcrumbs, progress, sectionHead, thread } from '../../kit/components.ts'
import { choice, field, hiddenField, select, textarea } from '../../kit/forms/field.ts'
import { expectedVersionOf, failureText, versionField } from '../../kit/forms/forms.ts'
import { html, type Markup, normaliseLineBreaks, oneLine } from '../../kit/markup.ts'
import { listingTile } from '../../kit/named-listing.ts'
import { act, isCorrectable, type Visit } from '../../kit/sending/private-pages.ts'
import { ago } from '../../kit/values.ts'
import { ADMIN } from '../kit/frame.ts'
import { externalLink } from '../kit/list-pages.ts'
import { conversationBadge, submissionBadge, testBadge } from '../kit/states.ts'
import { checksPath } from '../submissions/checks.ts'
import { packageName, SUBMISSIONS } from '../submissions/list.ts'
import type { SubmissionWork } from '../submissions/work.ts'
import { deskSection, nextQuestion, saveDesk, savedReplyList, savedText, type TypedDesk } from './desk.ts'

export const SUPPORT = `${ADMIN}/support`

type Thread = Static<typeof threadSchema>
type ThreadMessage = Thread['messages'][number]
const MOST_SUGGESTED = 5
/** How many directories that wait for the founder are listed. */
const MOST_SHOWN = 5
// The longest question that the search accepts, in characters.
const LONGEST_QUESTION = 4000

export async function showThread(
  visit: Visit,
  returned: { content?: string; article?: boolean; desk?: TypedDesk; error?: string; status?: number } = {},
): Promise<FastifyReply> {
  const found = await threadOf(visit)
  const passages = await suggestPassages(visit, found)
  const { content = '', error } = returned
  // A name is a better heading than a question, which stands below it in full.
  const heading = customerName(found) ?? oneLine(found.question, 80)
  return visit.send(
    {
      title: oneLine(found.question, 60),
      flash: error ? [{ kind: 'danger', text: error }] : [],
      body: html`<div class="flow">
${breadcrumbs([{ label: 'Support', href: SUPPORT }, { label: oneLine(found.client.name, 60) }])}
<div class="row"><h1><bdi>${heading}</bdi></h1>${conversationBadge(found.status)}${testBadge(found)}${found.unanswered > 0 && found.status === 'answered' && badge(`${found.unanswered} without a reply`, 'notice')}</div>
<div class="beside">
<div class="flow">
${thread(
  found.messages.map((message) => ({
    id: message.id,
    isCustomer: message.role === 'customer',
    who: authorOf(message, found),
    when: ago(message.createdAt),
    content: message.content,
    more: belowMessage(visit, found, message),
  })),
)}
${replyForm(visit, found, content, returned.article ?? false)}
</div>
<div class="flow">
${await submissionsAbout(visit, found)}
${suggestionList(passages)}
${await savedReplyList(visit, found.id, REPLY_FORM)}
${await deskSection(visit, found.id, returned.desk)}
${conversationFacts(found)}
</div>
</div>
</div>`,
    },
    returned.status,
  )
}

const threadOf = (visit: Visit): Promise<Thread> => visit.perform(getThread, { id: visit.param('id') })

const suggestPassages = async (visit: Visit, { question, clientId }: Thread) =>
  (
    await visit.perform(searchKnowledge, { q: question.slice(0, LONGEST_QUESTION).toWellFormed(), client: clientId })
  ).slice(0, MOST_SUGGESTED)

function customerName({ customer }: Thread): string | null {
  const name = customer?.name ?? customer?.email
  return name == null ? null : oneLine(String(name), 80)
}

function authorOf({ role, source, author }: ThreadMessage, found: Thread): Markup {
  if (role === 'customer') return html`<bdi>${customerName(found) ?? 'Customer'}</bdi>`
  return source === 'ai' ? html`AI` : html`<bdi>${author ?? 'A person'}</bdi>`
}

function belowMessage(visit: Visit, found: Thread, message: ThreadMessage): Markup | null {
  if (message.notAnswered !== null)
    return html`<p class="small quiet">The AI did not answer: ${message.notAnswered}</p>`
  if (message.source === 'human') return found.test ? null : articleForms(visit, found, message)
  if (!message.passages) return null
  return html`<details><summary class="small">Made from ${message.passages.length === 1 ? '1 passage' : `${message.passages.length} passages`}</summary><ul class="passages">${message.passages.map(({ title, text }) => html`<li><p><strong><bdi>${title}</bdi></strong></p><p class="text small"><bdi>${text}</bdi></p></li>\n`)}</ul></details>`
}

/** A button that makes an article of the reply for the partner's customers, with the question as its title. A second form sets others. */
function articleForms(visit: Visit, { id, client, messages }: Thread, message: ThreadMessage): Markup {
  const action = `${SUPPORT}/${id}/article`
  const question = messages.slice(0, messages.indexOf(message)).findLast(({ role }) => role === 'customer')
  return html`<div class="row">${rowAction(action, 'Turn into an article', { ...visit.values, messageId: message.id })}</div>
<details><summary class="small">With another title, or for all partners</summary><form class="form" method="post" action="${action}">
${visit.token}${hiddenField('messageId', message.id)}
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

function replyForm(visit: Visit, found: Thread, content: string, article: boolean): Markup {
  return html`<section class="panel flow">${sectionHead('Reply')}
<form class="form broad" id="${REPLY_FORM}" method="post" action="${SUPPORT}/${found.id}/reply">
${visit.token}${versionField(found)}
${textarea({ name: 'content', label: 'Reply', value: content, rows: 7, required: true, maxLength: MAX_REPLY, hint: 'As the customer reads it.' })}
${!found.test && choice({ name: 'article', label: html`Add it to the knowledge of <bdi>${found.client.name}</bdi>, too`, checked: article })}
<div class="row">${button(html`Send the reply${keyHint('Ctrl+↵, ⌘↵')}`)}${!found.test && button('Send and open the next question', { name: 'after', value: 'next', kind: 'plain' })}</div>
</form></section>`
}

/** Passages, each with a button that puts it into the reply. Without the script the button sends the form, which is shown again with it. */
const suggestionList = (
  passages: readonly Static<typeof foundPassageSchema>[],
): Markup => html`<section class="panel flow">${sectionHead('From the knowledge')}
${
  passages.length === 0
    ? html`<p class="quiet">The knowledge has nothing on this question.</p>`
    : html`<ul class="passages">${passages.map(
        ({ title, text, answers }, i) =>
          html`<li><p class="row"><strong><bdi>${title}</bdi></strong>${answers && badge('Best', 'good')}</p><p class="text small" id="passage-${i}"><bdi>${text}</bdi></p><button type="submit" class="button plain slim" form="${REPLY_FORM}" name="insert" value="${i}" formnovalidate data-insert="passage-${i}">Put into the reply</button></li>\n`,
      )}</ul>`
}</section>`

/** The submissions that the question is about, so that it can be answered without opening other pages. */
async function submissionsAbout(visit: Visit, { id }: Thread): Promise<Markup[]> {
  const ids = await visit.perform(findSubmissionsAbout, { id })
  return Promise.all(ids.map(async (id) => submissionCard(visit, await visit.perform(getSubmission, { id }))))
}

function submissionCard(visit: Visit, work: SubmissionWork): Markup {
  const { tool, state, submittedCount, targetDirectoriesCount: target, assignee, updatedAt, submissions } = work
  const path = `${SUBMISSIONS}/${work.id}`
  const waits = submissions.flatMap(({ waitingFor, action, name }) =>
    waitingFor === 'founder' && action ? [{ action, name }] : [],
  )
  return html`<section class="card" aria-label="Submission of ${tool.name}"><h2 class="named">${listingTile(visit, 'tools', tool)}<a href="${path}"><bdi>${tool.name}</bdi></a></h2>
<p class="row">${submissionBadge(state)}<span class="small quiet">changed ${ago(updatedAt)}${assignee && html`, <bdi>${assignee}</bdi>`}</span></p>
${target > 0 && progress({ label: packageName(work.paymentType), value: submittedCount, max: target })}
${waits.length > 0 && html`<p class="small"><strong>Waits for the founder</strong></p><ul class="small">${waits.slice(0, MOST_SHOWN).map(({ action, name }) => html`<li><bdi>${name}</bdi>: <bdi>${action}</bdi></li>\n`)}</ul>`}
${work.notes && html`<p class="text small notes"><bdi>${oneLine(work.notes, 300)}</bdi></p>`}
<p class="row small"><a href="${checksPath(work.id)}">Links and report</a><a href="${path}/plan">Plan</a>${externalLink(tool.website, 'Open its site')}</p></section>`
}

const conversationFacts = ({ client, customer, externalId, metadata, createdAt, updatedAt }: Thread): Markup =>
  html`<dl class="facts panel">
<div><dt>Partner</dt><dd><bdi>${client.name}</bdi></dd></div>
${entries(customer).map(([name, value]) => html`<div><dt>${CUSTOMER_LABELS[name] ?? name}</dt><dd><bdi>${value}</bdi></dd></div>\n`)}
${externalId && html`<div><dt>Thread id</dt><dd><bdi>${externalId}</bdi></dd></div>`}
${entries(metadata).map(([name, value]) => html`<div><dt><bdi>${name}</bdi></dt><dd><bdi>${value}</bdi></dd></div>\n`)}
<div><dt>Began</dt><dd>${ago(createdAt)}</dd></div>
<div><dt>Last message</dt><dd>${ago(updatedAt)}</dd></div>
</dl>`

const CUSTOMER_LABELS: Record<string, string> = { name: 'Customer', email: 'E-mail', id: 'Customer id' }

const entries = (values: Record<string, unknown> | null): [string, string][] =>
  Object.entries(values ?? {}).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])

export async function postDesk(visit: Visit): Promise<FastifyReply> {
  const refused = await saveDesk(visit)
  if (refused) return showThread(visit, refused)
  const path = `${SUPPORT}/${encodeURIComponent(visit.param('id'))}`
  return visit.redirect(path, { kind: 'good', text: 'Saved.' })
}

export async function postReply(visit: Visit): Promise<FastifyReply> {
  const { content = '', article, insert, saved, after } = visit.form
  const text = normaliseLineBreaks(content)
  if (insert !== undefined) return insertPassage(visit, text, insert)
  const id = visit.param('id')
  if (saved !== undefined) {
    const added = [text.trimEnd(), await savedText(visit, id, saved)].filter(Boolean).join('\n\n')
    return showThread(visit, { content: added, article: article === 'true' })
  }
  const path = `${SUPPORT}/${encodeURIComponent(id)}`
  try {
    const { messages } = await visit.perform(
      replyToConversation,
      { id, ...expectedVersionOf(visit) },
      { content: text },
    )
    if (article === 'true') await visit.perform(makeArticleOfReply, { id }, { messageId: messages.at(-1)?.id })
  } catch (error) {
    if (!isCorrectable(error)) throw error
    const problem = failureText(error, { content: 'The reply' })
    const returned = { content: text, article: article === 'true', error: problem, status: error.status }
    return showThread(visit, returned)
  }
  const successText = article === 'true' ? 'The reply is sent, and the knowledge has it, too.' : 'The reply is sent.'
  const to = after === 'next' ? await nextQuestion(visit, id) : path
  return visit.redirect(to, { kind: 'good', text: successText })
}

/** Shows the page again with a passage added to the typed reply. */
async function insertPassage(visit: Visit, typed: string, position: string): Promise<FastifyReply> {
  const passages: readonly Static<typeof passageSchema>[] = await suggestPassages(visit, await threadOf(visit))
  const text = passages[Number(position)]?.text ?? ''
  const article = visit.form.article === 'true'
  return showThread(visit, { content: [typed.trimEnd(), text].filter(Boolean).join('\n\n'), article })
}

export function makeArticle(visit: Visit): Promise<FastifyReply> {
  const id = visit.param('id')
  const path = `${SUPPORT}/${encodeURIComponent(id)}`
  const { messageId, title, scope } = visit.form
  const text =
    scope === 'all' ? 'The knowledge for all has the article.' : 'The knowledge of the partner has the article.'
  return act(visit, { back: path, text }, () =>
    visit.perform(
      makeArticleOfReply,
      { id },
      { messageId, ...(title?.trim() ? { title: title.trim() } : {}), ...(scope ? { scope } : {}) },
    ),
  )
}
