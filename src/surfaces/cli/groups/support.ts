// `catalog support`: the inbox of questions, and operators' replies.
import { Option } from 'commander'
import type { OperatorAnswers } from '../../../features.ts'
import type { Group } from '../derived/declared.ts'
import { command, list } from '../derived/define.ts'
import { readText } from '../kit/files.ts'
import { shortTime } from '../kit/table.ts'

type Thread = OperatorAnswers['get_support_conversation']

const EXAMPLE_ID = '7d1f0f52-3c5e-4f0e-9a55-0c8a7b6d5e4f'

const customerOf = ({ customer }: Pick<Thread, 'customer'>): string =>
  [customer?.name, customer?.email, customer?.id].filter((part) => part !== undefined).join(', ')

export const supportCommands: Group = {
  examples: ['support list --status pending', `support reply ${EXAMPLE_ID} "Yes, within 14 days."`],
  arguments: { id: ['<id>', 'Identifier of the conversation, from: catalog support list'] },
  commands: [
    list('list_support_conversations', {
      name: 'list',
      description: 'List conversations, newest first.',
      empty: 'No questions yet. Partners with support forward them.',
      none: 'No such conversations.',
      columns: {
        ID: 'id',
        STATUS: 'status',
        OPEN: 'unanswered',
        QUESTION: { cut: 'question' },
        PARTNER: { cut: ({ client }) => client.name },
        CUSTOMER: { cut: customerOf },
        LAST: { time: 'updatedAt' },
      },
      examples: ['support list', 'support list --status pending --json'],
    }),
    command('get_support_conversation', {
      name: 'show',
      description: 'Show a conversation with all its messages.',
      examples: [`support show ${EXAMPLE_ID}`],
      says: threadInWords,
    }),
    command('reply_to_conversation', {
      description: 'Reply to a conversation; the partner is told.',
      arguments: { content: ['[text]', 'The reply; from --file, or from standard input, by default.'] },
      options: [new Option('--file <path>', 'File with the reply.')],
      examples: [`support reply ${EXAMPLE_ID} "Yes, within 14 days."`, `support reply ${EXAMPLE_ID} --file reply.txt`],
      prepare: async ({ command, body }) => {
        const { file } = command.opts()
        if (body.content !== undefined && file !== undefined) command.error('error: give the text or --file, not both')
        return { body: { content: body.content ?? (await readText(file)) } }
      },
      says: (thread) => `Replied to ${customerOf(thread) || 'the customer'} of ${thread.client.name}.`,
    }),
    command('make_article_of_reply', {
      description: 'Turn the last reply of a person into an article.',
      examples: [`support article ${EXAMPLE_ID} --title "Refunds"`],
      says: ({ title }) => `Added the article ${JSON.stringify(title)}.`,
    }),
    command('get_model_health', {
      description: 'Show whether the language model works, and its last failures.',
      examples: ['support model'],
      says: healthInWords,
    }),
    command('put_saved_reply', { name: 'put-saved-reply' }),
    command('delete_saved_reply', {
      name: 'delete-saved-reply',
      asks: ({ text }) => `Delete the saved reply ${text('title')} for good?`,
    }),
  ],
}

function healthInWords({ model, day, calls }: OperatorAnswers['get_model_health']): string {
  const { answered, failed, median, inputTokens, outputTokens } = day
  const figures = `${answered} answered, ${failed} failed in 24 hours; median ${median === null ? 'unknown' : `${(median / 1000).toFixed(1)} s`}; ${inputTokens} tokens read, ${outputTokens} written.`
  const failures = calls
    .filter(({ failure }) => failure !== null)
    .map(({ createdAt, purpose, failure }) => `${shortTime(createdAt)}  ${purpose}  ${failure}`)
  return [model === null ? 'No language model is set up.' : `${model}: ${figures}`, ...failures].join('\n')
}

function threadInWords(thread: Thread): string {
  const { client, status, externalId, unanswered, messages } = thread
  const head = [
    `${client.name}, ${status}${unanswered > 0 ? `, ${unanswered} without a reply` : ''}`,
    ...(customerOf(thread) ? [`Customer: ${customerOf(thread)}`] : []),
    ...(externalId ? [`Thread: ${externalId}`] : []),
    ...(thread.metadata ? [`Metadata: ${JSON.stringify(thread.metadata)}`] : []),
  ]
  const messageTexts = messages.map(({ role, source, author, content, passages, createdAt }) => {
    const who = role === 'customer' ? 'Customer' : source === 'ai' ? 'AI' : (author ?? 'Person')
    const from = passages ? `\n  (from ${passages.map(({ title }) => JSON.stringify(title)).join(', ')})` : ''
    return `${who}, ${shortTime(createdAt)}:\n${content.replace(/^/gm, '  ')}${from}`
  })
  return [head.join('\n'), ...messageTexts].join('\n\n')
}
