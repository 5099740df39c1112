// `catalog support`: the inbox of questions, and operators' replies. `catalog knowledge`: the articles that answers are made from.
import { basename, extname } from 'node:path'
import { type Command, Option } from 'commander'
import type { OperatorAnswers } from '../../../features.ts'
import { byHand, command, type Given, type Group, list } from '../derived/declared.ts'
import { call } from '../kit/client.ts'
import { parseJson, readText } from '../kit/files.ts'
import { CommandError, counted, examples, printAnswer, printTable, say } from '../kit/output.ts'
import { shortTime } from '../kit/table.ts'

type Thread = OperatorAnswers['get_support_conversation']

const EXAMPLE_CONVERSATION = '7d1f0f52-3c5e-4f0e-9a55-0c8a7b6d5e4f'

const customerOf = ({ customer }: Pick<Thread, 'customer'>): string =>
  [customer?.name, customer?.email, customer?.id].filter((part) => part !== undefined).join(', ')

export const supportCommands: Group = {
  examples: ['support list --status pending', `support reply ${EXAMPLE_CONVERSATION} "Yes, within 14 days."`],
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
      examples: [`support show ${EXAMPLE_CONVERSATION}`],
      says: threadInWords,
    }),
    command('reply_to_conversation', {
      description: 'Reply to a conversation; the partner is told.',
      arguments: { content: ['[text]', 'The reply; from --file, or from standard input, by default.'] },
      options: [new Option('--file <path>', 'File with the reply.')],
      examples: [
        `support reply ${EXAMPLE_CONVERSATION} "Yes, within 14 days."`,
        `support reply ${EXAMPLE_CONVERSATION} --file reply.txt`,
      ],
      prepare: async ({ command, body }) => {
        const { file } = command.opts()
        if (body.content !== undefined && file !== undefined) command.error('error: give the text or --file, not both')
        return { body: { content: body.content ?? (await readText(file)) } }
      },
      says: (thread) => `Replied to ${customerOf(thread) || 'the customer'} of ${thread.client.name}.`,
    }),
    command('make_article_of_reply', {
      description: 'Turn the last reply of a person into an article.',
      examples: [`support article ${EXAMPLE_CONVERSATION} --title "Refunds"`],
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

const EXAMPLE_ARTICLE = '4b7b2f0a-9c1d-4e7a-8f35-2d6c1b0a9e88'

const clientOption = () =>
  new Option('--client <id>', 'Identifier of the partner whose knowledge is meant; without it that for all partners.')

/** With --client the operation on the knowledge of one partner, else that on the knowledge for all partners, and its path parameters. */
const scoped = <V extends 'get' | 'put' | 'add'>(verb: V, command: Command) => {
  const { client } = command.opts()
  return client === undefined
    ? ([`${verb}_knowledge`, {}] as const)
    : ([`${verb}_partner_knowledge`, { params: { id: String(client) } }] as const)
}

export const knowledgeCommands: Group = {
  examples: ['knowledge put help/*.md --client 8c0c2b0e-…', 'knowledge search "How long do refunds take?"'],
  arguments: { id: ['<id>', 'Identifier of the article, from: catalog knowledge list'] },
  commands: [
    command('get_knowledge', {
      name: 'list',
      description: 'List the articles.',
      options: [clientOption()],
      examples: ['knowledge list', 'knowledge list --json > articles.json'],
      perform: ({ command }) => {
        const [operation, scope] = scoped('get', command)
        return call(command, operation, scope)
      },
      prints: ({ articles }) => {
        if (articles.length === 0) return say('No articles yet. Write some with: catalog knowledge put articles.json')
        printTable(articles, { ID: 'id', TITLE: { cut: 'title' }, TEXT: { cut: 'body' } })
      },
    }),
    command('put_knowledge', {
      description: 'Replace all articles by those of the files. Earlier versions stay in the audit log.',
      arguments: {
        files: [
          '<files...>',
          'Markdown or text files, an article each, or JSON files as printed by: knowledge list --json',
        ],
      },
      fields: false,
      options: [clientOption()],
      examples: ['knowledge put help/*.md', 'knowledge put articles.json'],
      perform: putArticles,
      says: ({ articles }) => `${counted(articles.length, 'article', 'articles')} now.`,
    }),
    byHand(addArticles),
    command('edit_article', {
      name: 'edit',
      description: 'Put the text of a file in the place of an article. The earlier one stays in the audit log.',
      arguments: { file: ['<file>', 'A Markdown or text file.'] },
      fields: false,
      examples: [`knowledge edit ${EXAMPLE_ARTICLE} refunds.md`],
      prepare: async ({ text }) => ({ body: articleOfText(text('file'), await readText(text('file'))) }),
      says: ({ title }) => `Saved the article ${JSON.stringify(title)}.`,
    }),
    command('delete_article', {
      description: 'Delete an article. Its text stays in the audit log.',
      examples: [`knowledge delete ${EXAMPLE_ARTICLE}`],
      says: ({ title }) => `Deleted the article ${JSON.stringify(title)}.`,
    }),
    list('search_knowledge', {
      description: 'Show the passages that speak of a question, and whether it would be answered.',
      arguments: { q: ['<question>', 'The question.'] },
      fields: { client: 'Identifier of a partner whose knowledge is searched too.' },
      examples: ['knowledge search "How long do refunds take?"'],
      empty: 'No passage speaks of it.',
      columns: {
        COVERS: ({ coverage }) => `${Math.round(coverage * 100)} %`,
        ANSWERS: 'answers',
        ARTICLE: { cut: 'title' },
        PASSAGE: { cut: 'text' },
      },
    }),
  ],
}

async function putArticles({ command, query, texts }: Given) {
  const articles = await readArticles(texts('files'))
  const [operation, scope] = scoped('put', command)
  return call(command, operation, { ...scope, query, body: { articles } })
}

function addArticles(group: Command): void {
  const command = group
    .command('add')
    .description('Add the articles of the files to those there are.')
    .argument('<files...>', 'Markdown, text or JSON files.')
    .addOption(clientOption())
  command.addHelpText('after', examples('knowledge add refunds.md')).action(async (files: string[]) => {
    const made: OperatorAnswers['add_knowledge'][] = []
    const [operation, scope] = scoped('add', command)
    for (const body of await readArticles(files)) made.push(await call(command, operation, { ...scope, body }))
    printAnswer(command, made, () => say(`Added ${counted(made.length, 'article', 'articles')}.`))
  })
}

interface Article {
  title: string
  body: string
}

async function readArticles(files: readonly string[]): Promise<Article[]> {
  const articles: Article[] = []
  for (const file of files) {
    const content = await readText(file)
    articles.push(
      ...(extname(file) === '.json' ? articlesOfJson(file, parseJson(file, content)) : [articleOfText(file, content)]),
    )
  }
  return articles
}

function articlesOfJson(file: string, parsed: unknown): Article[] {
  const list = Array.isArray(parsed) ? parsed : (parsed as { articles?: unknown } | null)?.articles
  if (!Array.isArray(list)) throw new CommandError(`${file} must hold {"articles": [{"title": …, "body": …}, …]}.`)
  return list
}

/** The first heading is the title; without a heading it is the file's name. */
function articleOfText(file: string, content: string): Article {
  const heading = /^\s*#+[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*(?:\r?\n|$)/.exec(content)
  const fileTitle = basename(file, extname(file)).replace(/[-_]+/g, ' ')
  return { title: heading?.[1] ?? fileTitle, body: content.slice(heading?.[0].length ?? 0).trim() }
}
