// `catalog site`, `collections` and `unfound`: what visitors see and look for. `catalog overview`, `broken` and `audit`: what operators see.
import type { OperatorAnswers } from '../../../features.ts'
import { isObject } from '../../../kernel/values/objects.ts'
import { exportTo } from '../by-hand/export.ts'
import { byHand, command, type Group, list } from '../derived/declared.ts'
import { readObject } from '../kit/files.ts'
import { examples, printTable, say } from '../kit/output.ts'

export const siteCommands: Group = {
  examples: ['site show', 'site show --json > site.json', 'site put site.json'],
  commands: [
    command('get_site', {
      isDefault: true,
      description: 'Show what visitors see of the site itself.',
      examples: ['site show', 'site show --json > site.json'],
      prints: ({ texts, links, version, ...lines }) => {
        for (const [name, value] of Object.entries(lines)) say(`${name}: ${value ?? '–'}`)
        for (const { label, href } of links) say(`link: ${label} ${href}`)
        for (const [name, text] of Object.entries(texts))
          say(`${name}: ${text === '' ? '–' : `${text.length} characters`}`)
        say(`version: ${version}`)
      },
    }),
    command('put_site', {
      description: 'Replace it with the content of a file. What the file omits gets its default.',
      arguments: { file: ['<file>', 'JSON as "catalog site show --json" prints it.'] },
      fields: false,
      examples: ['site put site.json', 'site put site.json --if-version 3'],
      prepare: async ({ text }) => {
        const { version: _, ...body } = await readObject(text('file'))
        return { body }
      },
      says: ({ name, version }) => `The site is ${name} (version ${version}).`,
    }),
  ],
}

const COLLECTION =
  'collections put write-better-mail --name "Write better mail" --tools acme-writer,quill --directories launch-list'

export const collectionsCommands: Group = {
  examples: ['collections list', COLLECTION],
  arguments: { slug: ['<slug>', 'Slug of the collection.'] },
  commands: [
    command('list_collections', {
      isDefault: true,
      description: 'List all collections by name.',
      examples: ['collections list'],
      prints: (found) => {
        for (const { slug, name, tools, directories, published } of found)
          say(
            `${slug}: ${name} (${tools.length} tools, ${directories.length} directories${published ? '' : ', hidden'})`,
          )
        if (found.length === 0) say(`Nothing yet. Make one with: catalog ${COLLECTION}`)
      },
    }),
    command('put_collection', {
      description: 'Create the collection, or replace it whole: what is not given gets its default.',
      examples: [COLLECTION],
      says: ({ slug, name }) => `Saved collection ${slug}: ${name}.`,
    }),
    command('delete_collection', {
      description: 'Delete a collection; its tools and directories stay.',
      examples: ['collections delete old-one'],
      says: ({ slug }) => `Deleted collection ${slug}.`,
    }),
  ],
}

export const unfoundCommands: Group = {
  examples: ['unfound', 'unfound list --searched tools', 'unfound export questions.ndjson'],
  path: 'unfound-questions',
  commands: [
    list('list_unfound_questions', {
      isDefault: true,
      description: 'List the questions that found nothing, or only partial matches, the most asked first.',
      empty: 'No question was asked by five different callers on one day and not found.',
      none: 'There is no such question.',
      columns: {
        WORDS: { cut: 'words' },
        SEARCHED: 'searched',
        ASKED: 'times',
        NOTHING: 'nothing',
        PARTIAL: 'partial',
        LAST: 'lastDay',
      },
      examples: ['unfound list', 'unfound list --searched directories'],
    }),
    byHand((group) => {
      const command = group
        .command('export')
        .description('Export all of them as lines of JSON.')
        .argument('[file]', 'File to write; standard output by default.')
        .addHelpText('after', examples('unfound export questions.ndjson'))
      command.action((file = '-') => exportTo(command, 'export_unfound_questions', file, ['question', 'questions']))
    }),
  ],
}

export const overviewCommands: Group = {
  examples: ['overview', 'overview --json'],
  commands: [
    command('get_overview', {
      name: '',
      prints: (found) => {
        printTable(workThatWaits(found), { WHAT: 'what', COUNT: 'count' })
        for (const { kind, problem, remedy } of found.mailProblems ?? [])
          say(`\nMails not sent: ${kind}. ${problem} ${remedy}`)
      },
    }),
  ],
}

const workThatWaits = (found: OperatorAnswers['get_overview']): { what: string; count: number }[] => [
  ...Object.entries(found.submissions).map(([state, count]) => ({ what: `submissions ${state}`, count })),
  { what: 'pending conversations', count: found.pendingConversations },
  { what: 'failed or unknown deliveries', count: found.openWebhooks },
  { what: 'enrichments that failed', count: found.failedEnrichments },
  { what: 'rows that are broken', count: found.brokenRows },
  { what: 'listings to review', count: found.listingsToReview ?? 0 },
  { what: 'keys never received', count: found.unheldKeys },
  ...(found.mailProblems ?? []).map(({ kind, count }) => ({ what: `mails not sent: ${kind}`, count })),
  ...Object.entries(found.embeddings ?? {}).map(([state, count]) => ({ what: `vectors ${state}`, count })),
]

export const brokenCommands: Group = {
  examples: ['broken list'],
  path: 'broken-rows',
  commands: [
    list('list_broken_rows', {
      description: 'List broken rows with reasons.',
      empty: 'There are no broken rows.',
      columns: { KIND: 'kind', NAME: 'name', 'WHAT IS WRONG': { cut: 'reason' } },
      examples: ['broken list', 'broken list --json'],
    }),
  ],
}

const isEmptyObject = (details: unknown) => isObject(details) && Object.keys(details).length === 0

export const auditCommands: Group = {
  examples: ['audit', 'audit list --limit 20'],
  commands: [
    list('list_audit', {
      isDefault: true,
      description: 'List the changes, newest first.',
      empty: 'Nothing was changed yet.',
      none: 'Nothing of that kind was changed.',
      columns: {
        WHEN: { time: 'at' },
        WHO: { cut: 'actor' },
        WHAT: 'action',
        ON: { cut: 'subject' },
        DETAILS: { cut: ({ details }) => (isEmptyObject(details) ? '' : details) },
      },
      examples: ['audit', 'audit list --limit 20', 'audit list --subject tool:acme-writer'],
    }),
  ],
}

export const changesCommands: Group = {
  examples: ['changes', 'changes list --since CURSOR --json'],
  commands: [
    list('list_changes', {
      isDefault: true,
      description:
        'List the entries of the catalog that changed since a cursor; the cursor to go on with is in --json.',
      empty: 'The catalog is empty.',
      none: 'Nothing changed since.',
      columns: { KIND: 'kind', SLUG: 'slug', CHANGE: 'change', AT: { time: 'at' } },
      examples: ['changes', 'changes list --since CURSOR --json'],
    }),
  ],
}
