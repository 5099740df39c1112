// `catalog tools` and `catalog directories`: listings as they are stored, including drafts, as JSON.
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { Static } from 'typebox'
import type { ListingOperations } from '../../../features/listings/operations.ts'
import { listingFilters } from '../../../features/listings/schema.ts'
import { addFilters, addVersionGuard, changesGiven, guardGiven } from '../derived/schema-options.ts'
import { callOperation } from '../kit/client.ts'
import { confirm } from '../kit/confirm.ts'
import { fileError } from '../kit/files.ts'
import { addListOf, examples } from '../kit/lists.ts'
import { answer, CommandError, say } from '../kit/output.ts'
import { shortDay } from '../kit/table.ts'

const LISTING_COMMANDS = [
  {
    name: 'tools',
    one: 'tool',
    slug: 'acme-writer',
    example: '{"name":"Acme Writer","website":"https://acme.example.com"}',
  },
  { name: 'directories', one: 'directory', slug: 'launch-list', example: '{"name":"Launch List"}' },
] as const

export function addListings(program: Command): void {
  for (const noun of LISTING_COMMANDS) {
    const parent = program
      .command(noun.name)
      .description(`List, show, create, replace, publish or delete ${noun.name}.`)
    parent.addHelpText(
      'after',
      examples(`${noun.name} put ${noun.slug} --file ${noun.slug}.json`, `${noun.name} delete ${noun.slug}`),
    )
    addLists(parent, noun)
    addGet(parent, noun)
    addPut(parent, noun)
    addChange(parent, noun)
    addDelete(parent, noun)
  }
}

type ListingRow = Static<ListingOperations['list']['data']>[number]

type ListingCommand = (typeof LISTING_COMMANDS)[number]

function addLists(parent: Command, { name, one, slug }: ListingCommand): void {
  addListOf<ListingRow>(parent, {
    operation: `list_${one}_entries`,
    description: `List ${name}, drafts too, newest first.`,
    empty: `No ${name} yet. Make one with: catalog ${name} put ${slug} --file ${slug}.json`,
    filters: listingFilters[one],
    none: `No such ${one}.`,
    columns: [
      { title: 'SLUG', value: (listing) => listing.slug },
      { title: 'NAME', value: (listing) => listing.name, cuttable: true },
      {
        title: 'PUBLISHED',
        value: (listing) =>
          'hiddenReason' in listing && listing.hiddenReason
            ? `${listing.published} (${listing.hiddenReason})`
            : listing.published,
      },
      { title: 'FEATURED', value: (listing) => listing.featured },
      { title: 'WEBSITE', value: (listing) => listing.website, cuttable: true },
      { title: 'MADE', value: (listing) => shortDay(listing.createdAt) },
    ],
    examples: examples(`${name} list --q acme`, `${name} list --no-published`),
  })
}

function addGet(parent: Command, { name, one, slug: exampleSlug }: ListingCommand): void {
  const get = parent.command('get').description(`Show a ${one} as it is stored, in the form that put takes.`)
  get
    .argument('<slug>', `Slug of the ${one}.`)
    .addHelpText('after', examples(`${name} get ${exampleSlug} > ${exampleSlug}.json`))
    .action(async (slug: string) => {
      const stored = await callOperation<ListingOperations['get']>(get, `get_${one}_entry`, { params: { slug } })
      answer(get, stored, () => say(JSON.stringify(stored, null, 2)))
    })
}

function addChange(parent: Command, { name, one, slug: exampleSlug }: ListingCommand): void {
  const { published, featured } = listingFilters[one]
  const change = parent.command('change').description(`Publish, hide or feature a ${one}.`)
  addVersionGuard(change)
  addFilters(change.argument('<slug>', `Slug of the ${one}.`), {
    published: { ...published, description: 'Publish it.' },
    featured: { ...featured, description: 'Feature it.' },
  })
    .addHelpText('after', examples(`${name} change ${exampleSlug} --no-published`))
    .action(async (slug: string) => {
      const body = changesGiven(change, ['published', 'featured'])
      const stored = await callOperation<ListingOperations['change']>(change, `change_${one}`, {
        params: { slug },
        query: guardGiven(change),
        body,
      })
      answer(change, stored, () => say(`Changed ${one} ${stored.slug}: ${Object.keys(body).join(', ')}.`))
    })
}

function addPut(parent: Command, { name, one, slug: exampleSlug, example }: ListingCommand): void {
  const put = parent
    .command('put')
    .description(`Create the ${one}, or replace it whole: what is not given becomes empty.`)
  addVersionGuard(put)
    .argument('<slug>', `Slug of the ${one}.`)
    .requiredOption('--file <file>', 'JSON file with its fields; - for standard input.')
    .addHelpText('after', examples(`${name} put ${exampleSlug} --file ${exampleSlug}.json`))
    .addHelpText('after', `\nThe file:\n  ${example}`)
    .action(async (slug: string, { file }: { file: string }) => {
      const stored = await callOperation<ListingOperations['put']>(put, `put_${one}`, {
        params: { slug },
        query: guardGiven(put),
        body: await readObject(file),
      })
      answer(put, stored, () =>
        say(`Saved ${one} ${stored.slug}: ${stored.name}${stored.published ? '' : ' (not published)'}.`),
      )
    })
}

function addDelete(parent: Command, { name, one, slug: exampleSlug }: ListingCommand): void {
  const remove = parent
    .command('delete')
    .description(`Delete the ${one} for good. To hide it, put it with "published": false.`)
  addVersionGuard(remove)
    .argument('<slug>', `Slug of the ${one}.`)
    .option('--yes', 'Do not ask.')
    .addHelpText('after', examples(`${name} delete ${exampleSlug}`, `${name} delete ${exampleSlug} --yes`))
    .action(async (slug: string, { yes }: { yes?: boolean }) => {
      if (!yes) await confirm(remove, `Delete the ${one} ${slug} for good?`)
      const data = await callOperation<ListingOperations['remove']>(remove, `delete_${one}`, {
        params: { slug },
        query: guardGiven(remove),
      })
      answer(remove, data, () => say(`Deleted ${one} ${data.slug}.`))
    })
}

async function readObject(file: string): Promise<object> {
  const name = file === '-' ? 'Standard input' : file
  const content = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch((error) => {
    throw fileError('read', file, error)
  })
  let value: unknown
  try {
    value = JSON.parse(content.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new CommandError(`${name} is not valid JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CommandError(`${name} must hold one JSON object.`)
  return value
}
