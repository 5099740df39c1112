// `catalog support`: the inbox of questions, and operators' replies.
import type { Command } from 'commander'
import type { Static } from 'typebox'
import type { modelHealthSchema } from '../../../features/model-calls/operations.ts'
import { inboxFilters, type threadSchema } from '../../../features/support/inbox.schema.ts'
import { fromReplyBody } from '../../../features/support/knowledge.schema.ts'
import { addFields, addVersionGuard, givenOptions, guardGiven } from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { readText } from '../kit/files.ts'
import { addList, examples } from '../kit/lists.ts'
import { answer, say } from '../kit/output.ts'
import { type PrintedRow, shortTime } from '../kit/table.ts'

type Thread = Static<typeof threadSchema>
type ModelHealth = Static<typeof modelHealthSchema>

const ID = '7d1f0f52-3c5e-4f0e-9a55-0c8a7b6d5e4f'
const ID_MEANS = 'Identifier of the conversation, from: catalog support list'

export function addSupport(program: Command): void {
  const support = program.command('support').description("Read and answer customers' questions.")
  support.addHelpText('after', examples('support list --status pending', `support reply ${ID} "Yes, within 14 days."`))
  addList(support, {
    operation: 'list_support_conversations',
    description: 'List conversations, newest first.',
    empty: 'No questions yet. Partners with support forward them.',
    filters: inboxFilters,
    none: 'No such conversations.',
    columns: [
      { title: 'ID', value: (item) => item.id },
      { title: 'STATUS', value: (item) => item.status },
      { title: 'OPEN', value: (item) => item.unanswered },
      { title: 'QUESTION', value: (item) => item.question, cuttable: true },
      { title: 'PARTNER', value: (item) => (item.client as PrintedRow).name, cuttable: true },
      { title: 'CUSTOMER', value: (item) => customerOf(item as PrintedRow & Thread), cuttable: true },
      { title: 'LAST', value: (item) => shortTime(item.updatedAt) },
    ],
    examples: examples('support list', 'support list --status pending --json'),
  })
  addShow(support)
  addReply(support)
  addArticle(support)
  addModelHealth(support)
}

function addModelHealth(support: Command): void {
  const model = support.command('model').description('Show whether the language model works, and its last failures.')
  model.addHelpText('after', examples('support model')).action(async () => {
    const health = await call(model, 'get_model_health', {})
    answer(model, health, () => say(healthInWords(health)))
  })
}

function healthInWords({ model, day, calls }: ModelHealth): string {
  const { answered, failed, median, inputTokens, outputTokens } = day
  const figures = `${answered} answered, ${failed} failed in 24 hours; median ${median === null ? 'unknown' : `${(median / 1000).toFixed(1)} s`}; ${inputTokens} tokens read, ${outputTokens} written.`
  const failures = calls
    .filter(({ failure }) => failure !== null)
    .map(({ createdAt, purpose, failure }) => `${shortTime(createdAt)}  ${purpose}  ${failure}`)
  return [model === null ? 'No language model is set up.' : `${model}: ${figures}`, ...failures].join('\n')
}

function addShow(support: Command): void {
  const show = support.command('show').description('Show a conversation with all its messages.')
  show
    .argument('<id>', ID_MEANS)
    .addHelpText('after', examples(`support show ${ID}`))
    .action(async (id: string) => {
      const thread = await call(show, 'get_support_conversation', { params: { id } })
      answer(show, thread, () => say(inWords(thread)))
    })
}

function addReply(support: Command): void {
  const reply = support.command('reply').description('Reply to a conversation; the partner is told.')
  addVersionGuard(reply)
    .argument('<id>', ID_MEANS)
    .argument('[text]', 'The reply; from --file, or from standard input, by default.')
    .option('--file <path>', 'File with the reply.')
    .addHelpText(
      'after',
      examples(`support reply ${ID} "Yes, within 14 days."`, `support reply ${ID} --file reply.txt`),
    )
    .action(async (id: string, text: string | undefined) => {
      const { file } = reply.opts()
      if (text !== undefined && file !== undefined) reply.error('error: give the text or --file, not both')
      const content = text ?? (await readText(file))
      const thread = await call(reply, 'reply_to_conversation', {
        params: { id },
        query: guardGiven(reply),
        body: { content },
      })
      answer(reply, thread, () => say(`Replied to ${customerOf(thread) || 'the customer'} of ${thread.client.name}.`))
    })
}

function addArticle(support: Command): void {
  const article = support.command('article').description('Turn the last reply of a person into an article.')
  const { properties } = fromReplyBody
  addFields(article.argument('<id>', ID_MEANS), properties)
    .addHelpText('after', examples(`support article ${ID} --title "Refunds"`))
    .action(async (id: string) => {
      const body = givenOptions(article, Object.keys(properties))
      const made = await call(article, 'make_article_of_reply', { params: { id }, body })
      answer(article, made, () => say(`Added the article ${JSON.stringify(made.title)}.`))
    })
}

const customerOf = ({ customer }: Thread): string =>
  [customer?.name, customer?.email, customer?.id].filter((part) => part !== undefined).join(', ')

function inWords(thread: Thread): string {
  const { client, status, externalId, unanswered, messages } = thread
  const head = [
    `${client.name}, ${status}${unanswered > 0 ? `, ${unanswered} without a reply` : ''}`,
    ...(customerOf(thread) ? [`Customer: ${customerOf(thread)}`] : []),
    ...(externalId ? [`Thread: ${externalId}`] : []),
    ...(thread.metadata ? [`Metadata: ${JSON.stringify(thread.metadata)}`] : []),
  ]
  const said = messages.map(({ role, source, author, content, passages, createdAt }) => {
    const who = role === 'customer' ? 'Customer' : source === 'ai' ? 'AI' : (author ?? 'Person')
    const from = passages ? `\n  (from ${passages.map(({ title }) => JSON.stringify(title)).join(', ')})` : ''
    return `${who}, ${shortTime(createdAt)}:\n${content.replace(/^/gm, '  ')}${from}`
  })
  return [head.join('\n'), ...said].join('\n\n')
}
