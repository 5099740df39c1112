// `catalog knowledge`: the articles that answers to questions are made from.
import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import type { Command } from 'commander'
import type { Static } from 'typebox'
import type { articleSchema } from '../../../features/support/knowledge.schema.ts'
import { addVersionGuard, guardGiven } from '../derived/schema-options.ts'
import { call } from '../kit/client.ts'
import { fileError } from '../kit/files.ts'
import { examples } from '../kit/lists.ts'
import { answer, CommandError, printTable, say } from '../kit/output.ts'
import { counted } from '../kit/progress.ts'

type Article = Static<typeof articleSchema>

const CLIENT = '--client <id>'
const CLIENT_MEANS = 'Identifier of the partner whose knowledge is meant; without it that for all partners.'
const ID = '4b7b2f0a-9c1d-4e7a-8f35-2d6c1b0a9e88'

export function addKnowledge(program: Command): void {
  const knowledge = program.command('knowledge').description('Edit and search the articles that answers come from.')
  knowledge.addHelpText(
    'after',
    examples('knowledge put help/*.md --client 8c0c2b0e-…', 'knowledge search "How long do refunds take?"'),
  )
  addListing(knowledge)
  addPut(knowledge)
  addAdd(knowledge)
  addEdit(knowledge)
  addDelete(knowledge)
  addSearch(knowledge)
}

/** The operation for one partner's knowledge, or for the knowledge of all partners. */
const scoped = <V extends 'get' | 'put' | 'add'>(verb: V, client: string | undefined) =>
  client === undefined
    ? ([`${verb}_knowledge`, {}] as const)
    : ([`${verb}_partner_knowledge`, { params: { id: client } }] as const)

function addListing(knowledge: Command): void {
  const list = knowledge.command('list').description('List the articles.').option(CLIENT, CLIENT_MEANS)
  list.addHelpText('after', examples('knowledge list', 'knowledge list --json > articles.json')).action(async () => {
    const [operation, call_] = scoped('get', list.opts().client)
    const data = await call(list, operation, call_)
    answer(list, data, ({ articles }) => {
      if (articles.length === 0) return say('No articles yet. Write some with: catalog knowledge put articles.json')
      printTable(articles, [
        { title: 'ID', value: (article) => article.id },
        { title: 'TITLE', value: (article) => article.title, cuttable: true },
        { title: 'TEXT', value: (article) => article.body, cuttable: true },
      ])
    })
  })
}

function addPut(knowledge: Command): void {
  const put = knowledge
    .command('put')
    .description('Replace all articles by those of the files. Earlier versions stay in the audit log.')
    .argument(
      '<files...>',
      'Markdown or text files, an article each, or JSON files as printed by: knowledge list --json',
    )
    .option(CLIENT, CLIENT_MEANS)
  addVersionGuard(put)
  put.addHelpText('after', examples('knowledge put help/*.md', 'knowledge put articles.json')).action(async (files) => {
    const articles = (files as string[]).flatMap(readArticles)
    const [operation, call_] = scoped('put', put.opts().client)
    const data = await call(put, operation, { ...call_, query: guardGiven(put), body: { articles } })
    answer(put, data, () => say(`${counted(data.articles.length, 'article', 'articles')} now.`))
  })
}

function addAdd(knowledge: Command): void {
  const add = knowledge
    .command('add')
    .description('Add the articles of the files to those there are.')
    .argument('<files...>', 'Markdown, text or JSON files.')
    .option(CLIENT, CLIENT_MEANS)
  add.addHelpText('after', examples('knowledge add refunds.md')).action(async (files) => {
    const made: Article[] = []
    for (const body of (files as string[]).flatMap(readArticles)) {
      const [operation, call_] = scoped('add', add.opts().client)
      made.push(await call(add, operation, { ...call_, body }))
    }
    answer(add, made, () => say(`Added ${counted(made.length, 'article', 'articles')}.`))
  })
}

function addEdit(knowledge: Command): void {
  const edit = knowledge
    .command('edit')
    .description('Put the text of a file in the place of an article. The earlier one stays in the audit log.')
  addVersionGuard(edit)
    .argument('<id>', 'Identifier of the article, from: catalog knowledge list')
    .argument('<file>', 'A Markdown or text file.')
    .addHelpText('after', examples(`knowledge edit ${ID} refunds.md`))
    .action(async (id: string, file: string) => {
      const body = readArticle(file, contentOf(file))
      const article = await call(edit, 'edit_article', { params: { id }, query: guardGiven(edit), body })
      answer(edit, article, () => say(`Saved the article ${JSON.stringify(article.title)}.`))
    })
}

function addDelete(knowledge: Command): void {
  const remove = knowledge.command('delete').description('Delete an article. Its text stays in the audit log.')
  addVersionGuard(remove)
    .argument('<id>', 'Identifier of the article, from: catalog knowledge list')
    .addHelpText('after', examples(`knowledge delete ${ID}`))
    .action(async (id: string) => {
      const article = await call(remove, 'delete_article', { params: { id }, query: guardGiven(remove) })
      answer(remove, article, () => say(`Deleted the article ${JSON.stringify(article.title)}.`))
    })
}

function addSearch(knowledge: Command): void {
  const search = knowledge
    .command('search')
    .description('Show the passages that speak of a question, and whether it would be answered.')
    .argument('<question>', 'The question.')
    .option(CLIENT, 'Identifier of a partner whose knowledge is searched too.')
  search.addHelpText('after', examples('knowledge search "How long do refunds take?"')).action(async (q: string) => {
    const { client } = search.opts()
    const query = { q, ...(client === undefined ? {} : { client }) }
    const found = await call(search, 'search_knowledge', { query })
    answer(search, found, () => {
      if (found.length === 0) return say('No passage speaks of it.')
      printTable(found, [
        { title: 'COVERS', value: (passage) => `${Math.round(Number(passage.coverage) * 100)} %` },
        { title: 'ANSWERS', value: (passage) => passage.answers },
        { title: 'ARTICLE', value: (passage) => passage.title, cuttable: true },
        { title: 'PASSAGE', value: (passage) => passage.text, cuttable: true },
      ])
    })
  })
}

function readArticles(file: string): { title: string; body: string }[] {
  const content = contentOf(file)
  if (extname(file) !== '.json') return [readArticle(file, content)]
  const parsed = parse(file, content)
  const list = Array.isArray(parsed) ? parsed : (parsed as { articles?: unknown } | null)?.articles
  if (!Array.isArray(list)) throw new CommandError(`${file} must hold {"articles": [{"title": …, "body": …}, …]}.`)
  return list
}

/** The first heading is the title; without a heading it is the file's name. */
function readArticle(file: string, content: string): { title: string; body: string } {
  const heading = /^\s*#+[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*(?:\r?\n|$)/.exec(content)
  const named = basename(file, extname(file)).replace(/[-_]+/g, ' ')
  return { title: heading?.[1] ?? named, body: content.slice(heading?.[0].length ?? 0).trim() }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw fileError('read', file, error)
  }
}

function parse(file: string, content: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new CommandError(`${file} is not valid JSON: ${(error as Error).message}`)
  }
}
